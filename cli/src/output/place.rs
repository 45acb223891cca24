//! The final path of a file: resolves symbolic links, checks whether a file may be written at the
//! path, and moves a new file there.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
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

/// The permissions of an unfinished file: 0600, or 0400 if the owner of the file that it will
/// replace can't write to that file.
#[cfg(unix)]
pub(super) fn unfinished_mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(path).map_or(0o600, |there| there.permissions().mode() & 0o200 | 0o400)
}

#[cfg(not(unix))]
pub(super) fn unfinished_mode(_: &Path) -> u32 {
    0
}

/// Gives a file the permissions of a new file.
#[cfg(unix)]
pub(super) fn new_mode(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    use rustix::{fs::Mode, process::umask};

    // The mask can only be read by setting it.
    let mask = umask(Mode::RWXG | Mode::RWXO);
    umask(mask);
    file.set_permissions(fs::Permissions::from_mode(0o666 & !mask.bits()))
}

#[cfg(not(unix))]
pub(super) fn new_mode(_: &File) -> io::Result<()> {
    Ok(())
}

/// Renames a file, but fails with `AlreadyExists` if there is anything at the new path.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::{
            fs::{CWD, RenameFlags, renameat_with},
            io::Errno,
        };

        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Some file systems, such as NFS, have only links.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            renamed => return Ok(renamed?),
        }
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
