//! A hash that is the same in every process, unlike the standard library's hashes.

use std::fmt::{self, Write};

use serde_json::Value;

/// A 64-bit FNV-1a hash.
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a string and a terminator to the hash.
    pub(crate) fn add(&mut self, text: &str) {
        let _ = write!(self, "{text}\0");
    }

    /// The hash of a JSON value. The order of keys in objects doesn't affect the hash.
    pub(crate) fn of_json(value: &Value) -> u64 {
        let mut fingerprint = Self::new();
        match value {
            Value::Array(entries) => {
                fingerprint.add("[");
                for entry in entries {
                    fingerprint.add_number(Self::of_json(entry));
                }
            }
            Value::Object(fields) => {
                fingerprint.add("{");
                let fields = fields.iter().map(|(name, value)| {
                    let mut field = Self::new();
                    field.add(name);
                    field.add_number(Self::of_json(value));
                    field.0
                });
                fingerprint.add_number(fields.fold(0, u64::wrapping_add));
            }
            scalar => {
                let _ = write!(fingerprint, "{scalar}\0");
            }
        }
        fingerprint.0
    }

    fn add_number(&mut self, number: u64) {
        let _ = write!(self, "{number:016x}\0");
    }
}

/// Prints the hash as 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_checkpoint_that_was_kept_finds_the_hashes_that_it_holds() {
        let value = json!({ "a": [1, true, null, "ä\"\n"], "b": { "c": 0.5 } });

        assert_eq!(Fingerprint::of_json(&value), 0x7b84_6d50_f035_e366);
    }
}
