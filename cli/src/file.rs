//! Files: their text, and whether an open one is still the one at its path.

use std::{fs, fs::File, io, path::Path};

/// The text without the byte order mark that editors on Windows begin it with.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').map(ToOwned::to_owned).unwrap_or(text))
}

/// False if it has been removed or replaced since it was opened.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let open = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|at| (at.dev(), at.ino()) == (open.dev(), open.ino())))
}

#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}
