//! The final path of a file: resolves symbolic links, checks whether a file may be written at the
//! path, and moves the file there.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// Returns the target of a symbolic link, or the path itself if it isn't a symbolic link.
pub(super) fn behind(path: &Path) -> Result<PathBuf, Failure> {
    if !fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
        return Ok(path.to_owned());
    }
    fs::canonicalize(path).map_err(|_| Failure::other("the path is a broken symbolic link"))
}

/// Returns an error if the path is a directory or a device. Moving a file to the path of a device
/// would replace the device, which other programs may need.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].into_iter().any(|it| path == Path::new(it)) {
        return Err(Failure::other("the path is stdout; use - instead"));
    }
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(Failure::other(
            "the path is a directory or a device, which can't be replaced; name a file",
        ));
    }
    Ok(())
}

/// Moves the file `new` to `path`. If there is a file at `path`, replaces that file but keeps its
/// permissions.
pub(super) fn replace(path: &Path, new: &Path) -> Result<(), Failure> {
    check(path)?;
    if let Ok(there) = fs::metadata(path) {
        fs::set_permissions(new, there.permissions())?;
    }
    Ok(fs::rename(new, path)?)
}

pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
