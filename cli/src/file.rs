//! Files: their text, what stands beside them, and whether an open one is still the one at its path.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

/// The text without the byte order mark that editors on Windows begin it with.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').map(ToOwned::to_owned).unwrap_or(text))
}

/// The path with another ending behind its own.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Tells a file from another one that has its path, as far as the system numbers them. `None` if there
/// is none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileNumber(Option<(u64, u64)>);

impl FileNumber {
    pub(crate) fn at(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|file| number(&file)))
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

/// False if it has been removed or replaced since it was opened.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    Ok(FileNumber::at(path) == FileNumber(Some(number(&file.metadata()?))))
}
