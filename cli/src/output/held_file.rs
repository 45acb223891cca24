//! A file that this process has open and locked. The open file is what counts, not its name:
//! before anything happens to the name, it must still belong to the open file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Seek, Write},
    path::{Path, PathBuf},
};

use super::place::{check, new_mode, remove, rename_new};
use crate::{
    failure::Failure,
    file::{self, FileNumber},
};

pub(super) struct HeldFile {
    pub path: PathBuf,
    file: File,
}

impl HeldFile {
    /// Creates and locks a file with these permissions.
    ///
    /// # Errors
    ///
    /// If anything is at the path, including a symbolic link, or if the file can't be locked.
    pub(super) fn create(path: &Path, mode: u32) -> Result<Self, Failure> {
        let created = options(mode).append(true).create_new(true).open(path);
        let file = created.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => in_use(),
            _ => error.into(),
        })?;
        let is_locked = file::try_lock(&file).inspect_err(|_| drop(remove(path)))?;
        if is_locked { Ok(Self { path: path.to_owned(), file }) } else { Err(in_use()) }
    }

    /// Opens and locks the file at this path. Returns `None` if there is no file.
    ///
    /// # Errors
    ///
    /// If the path is a symbolic link or a device, or if another process has locked the file.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Failure> {
        let Some(file) = opened(path, options(0).append(true))? else { return Ok(None) };
        if !file::try_lock(&file)? {
            return Err(in_use());
        }
        // If another process has completed the file in the meantime, the opened file is no longer
        // at this path.
        if !file::is_at(&file, path)? {
            return Err(Failure::other("another process has just completed this file"));
        }
        Ok(Some(Self { path: path.to_owned(), file }))
    }

    /// Checks that the file is still at its path.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if file::is_at(&self.file, &self.path)? {
            return Ok(());
        }
        let path = self.path.display();
        Err(Failure::other(format!("{path} was removed or replaced while it was written")))
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    pub(super) fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub(super) fn number(&self) -> io::Result<FileNumber> {
        FileNumber::of(&self.file)
    }

    /// Returns a reader of the whole file.
    pub(super) fn reader(&self) -> io::Result<&File> {
        (&self.file).rewind()?;
        Ok(&self.file)
    }

    /// Removes the file, unless its path now names another file.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        self.check()?;
        remove(&self.path)
    }

    /// Moves the file to the path `to`. A file that is replaced leaves its permissions to this one.
    ///
    /// # Errors
    ///
    /// If this file's path now names another file, or if there is a file at `to` and `replaces` is
    /// false.
    pub(super) fn publish(&self, to: &Path, replaces: bool) -> Result<(), Failure> {
        self.check()?;
        check(to)?;
        let there = fs::symlink_metadata(to).ok();
        if there.is_some() && !replaces {
            return Err(created_meanwhile());
        }
        match there {
            Some(there) if !there.is_symlink() => self.file.set_permissions(there.permissions())?,
            _ => new_mode(&self.file)?,
        }
        if replaces {
            fs::rename(&self.path, to)?;
        } else {
            rename_new(&self.path, to).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => created_meanwhile(),
                _ => error.into(),
            })?;
        }
        if file::is_at(&self.file, to)? {
            Ok(())
        } else {
            Err(Failure::other("another process has replaced this file; check its content"))
        }
    }
}

impl Write for &HeldFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file).flush()
    }
}

/// Reads the text of a file. Returns `None` if there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let Some(mut file) = opened(path, &mut options(0))? else { return Ok(None) };
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Lets the owner write to an unfinished file that was given the permissions of a read-only file.
/// Does nothing if there is no regular file at the path.
#[cfg(unix)]
pub(super) fn make_writable(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;

    let is_read_only =
        |there: fs::Metadata| there.is_file() && there.permissions().mode() & 0o777 == 0o400;
    if fs::symlink_metadata(path).is_ok_and(is_read_only)
        && let Some(file) = opened(path, &mut options(0))?
    {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// Opens a file, but not through a symbolic link.
fn opened(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, Failure> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    let file = match options.open(path) {
        _ if is_link => None,
        Ok(file) => Some(file).filter(|file| file.metadata().is_ok_and(|it| it.is_file())),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::from(error).in_words(path.display())),
    };
    let refused = || Failure::other(format!("{} is not a regular file; remove it", path.display()));
    file.map(Some).ok_or_else(refused)
}

/// Options for a file that is readable, with these permissions if it is created.
fn options(mode: u32) -> OpenOptions {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        options.mode(mode).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
}

fn in_use() -> Failure {
    Failure::other("another process is writing to this file")
}

pub(super) fn created_meanwhile() -> Failure {
    Failure::other(
        "another program has created this file in the meantime; move it away and use --resume, or \
         replace it with --force",
    )
}
