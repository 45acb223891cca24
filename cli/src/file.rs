//! Functions for files: read a text file, extend a path, lock an open file, and check whether it is
//! still at its path.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// Reads a file's text, without the byte order mark that some Windows editors write at its start.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').map(ToOwned::to_owned).unwrap_or(text))
}

/// The path with an extension appended: `books.csv` becomes `books.csv.part`.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// The number of the file at a path, which changes if another file replaces that file. `None` if
/// there is no file. On systems other than Unix, all files have the same number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct FileNumber(Option<(u64, u64)>);

impl FileNumber {
    pub(crate) fn at(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|file| number(&file)))
    }

    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(Self(Some(number(&file.metadata()?))))
    }
}

#[cfg(unix)]
fn number(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;

    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// The number of hard links to the file at a path.
#[cfg(unix)]
pub(crate) fn links(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| std::os::unix::fs::MetadataExt::nlink(&file))
}

#[cfg(not(unix))]
pub(crate) fn links(_: &Path) -> u64 {
    1
}

/// Whether an open file is still at this path, and hasn't been removed or replaced.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    Ok(FileNumber::at(path) == FileNumber::of(file)?)
}

/// Locks an open file. Returns whether the lock was free.
///
/// # Errors
///
/// If the file can't be locked at all, for example because its file system has no locks.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if has_no_locks(&error) => Err(io::Error::new(
            ErrorKind::Unsupported,
            "the file system has no file locks, so another process could write to the same file; \
             use another directory",
        )),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether the error is `ENOLCK`, `ENOSYS` or `EOPNOTSUPP`.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error()) {
        return true;
    }
    error.kind() == ErrorKind::Unsupported
}
