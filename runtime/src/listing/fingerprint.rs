//! A hash that is the same in every process, unlike the standard library's hashes.

use std::fmt;

/// A 64-bit FNV-1a hash.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a string and a terminator to the hash.
    pub(crate) fn add(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
        self.end();
    }

    /// Adds a number, as 16 hexadecimal digits and a terminator.
    pub(crate) fn add_number(&mut self, number: u64) {
        for byte in number.to_be_bytes() {
            self.add_bytes(
                &[byte >> 4, byte & 0xf].map(|digit| b"0123456789abcdef"[usize::from(digit)]),
            );
        }
        self.end();
    }

    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds a terminator.
    pub(crate) fn end(&mut self) {
        self.add_bytes(b"\0");
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Prints the hash as 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
