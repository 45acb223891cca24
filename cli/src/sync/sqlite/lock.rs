//! The lock that a sync holds on its table in a SQLite file. It is a lock of the operating system on
//! a byte of the file itself, so it doesn't depend on the file's name, and ends with the process.
//!
//! On systems other than Linux, there is no such lock. If two syncs write to one table there, one of
//! them stops, because the saved position has changed.

use std::{fs::File, io, path::Path};

#[cfg(target_os = "linux")]
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, fcntl},
    libc,
};

#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no locks"))]
pub(super) struct Lock {
    file: &'static File,
    byte: i32,
}

impl Lock {
    /// The lock on a table, which isn't taken yet.
    pub(super) fn of(path: &Path, table: &str) -> io::Result<Self> {
        // The file is never closed. If a process closes a file, it loses all locks that SQLite
        // holds on that file.
        let file = File::options().read(true).append(true).open(path);
        let file = Box::leak(Box::new(file.or_else(|_| File::open(path))?));
        // A hash of the table's name (FNV-1a), below the bytes from 2³⁰ on, which SQLite locks.
        let add = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        let hash = table.as_bytes().iter().fold(0x811c_9dc5, add);
        Ok(Self { file, byte: (hash >> 2).cast_signed() })
    }
}

#[cfg(target_os = "linux")]
impl Lock {
    /// Takes the lock. Returns false if another sync holds it.
    pub(super) fn take(&self) -> io::Result<bool> {
        match fcntl(self.file, FcntlArg::F_OFD_SETLK(&self.request(libc::F_WRLCK))) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a sync holds the lock.
    pub(super) fn is_taken(&self) -> io::Result<bool> {
        let mut request = self.request(libc::F_WRLCK);
        fcntl(self.file, FcntlArg::F_OFD_GETLK(&mut request))?;
        Ok(i32::from(request.l_type) != libc::F_UNLCK)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the constants are small")]
    fn request(&self, kind: i32) -> libc::flock {
        libc::flock {
            l_type: kind as _,
            l_whence: libc::SEEK_SET as _,
            l_start: self.byte.into(),
            l_len: 1,
            l_pid: 0,
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fcntl(self.file, FcntlArg::F_OFD_SETLK(&self.request(libc::F_UNLCK)));
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_self, clippy::unnecessary_wraps)]
impl Lock {
    pub(super) fn take(&self) -> io::Result<bool> {
        Ok(true)
    }

    pub(super) fn is_taken(&self) -> io::Result<bool> {
        Ok(false)
    }
}
