//! The hash of a value as JSON. Any change of the value changes the hash, but the order of the keys
//! in an object doesn't.

use std::{
    cell::Cell,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use super::fingerprint::Fingerprint;

/// Returns the hash of a value's JSON. If the value can't be written as JSON, returns the hash of
/// null.
///
/// Checkpoints contain such hashes, so they must never change:
///
/// - The hash of a string, a number, a boolean or null is the hash of its JSON.
/// - The hash of an array is the hash of `[` and the hashes of its entries.
/// - The hash of an object is the hash of `{` and the sum of the hashes of its fields. The hash of a
///   field is the hash of its unescaped key and the hash of its value.
pub(crate) fn json_hash<T: Serialize + ?Sized>(value: &T) -> u64 {
    let hash = ValueHash::default();
    let hasher = Hasher { hash: &hash, around: Vec::new(), sums: Vec::new(), is_in_key: false };
    let written = value.serialize(&mut Serializer::with_formatter(&hash, hasher));
    if written.is_ok() { hash.finish() } else { json_hash(&()) }
}

/// The hash of the value that is being written.
#[derive(Default)]
struct ValueHash {
    hash: Cell<Fingerprint>,
    /// Whether the value is an array or an object that has been written. Its hash is complete. The
    /// hash of any other value still needs its terminator.
    is_complete: Cell<bool>,
}

impl ValueHash {
    fn add(&self, add: impl FnOnce(&mut Fingerprint)) {
        let mut hash = self.hash.get();
        add(&mut hash);
        self.hash.set(hash);
    }

    /// Returns the value's hash, and begins the hash of the next value.
    fn finish(&self) -> u64 {
        let mut hash = self.hash.take();
        if !self.is_complete.take() {
            hash.end();
        }
        hash.value()
    }
}

/// Adds the JSON of a scalar or of a key.
impl Write for &ValueHash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(|hash| hash.add_bytes(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Combines the hashes of the values within an array or an object. Writes only scalars and keys.
struct Hasher<'a> {
    hash: &'a ValueHash,
    /// The unfinished hashes of the arrays and fields around the current value.
    around: Vec<Fingerprint>,
    /// For each object around the current value, the sum of the hashes of its fields so far.
    sums: Vec<u64>,
    is_in_key: bool,
}

impl Hasher<'_> {
    /// Sets the hash of the current value aside, and begins the hash of a value within it.
    fn enter(&mut self) {
        self.around.push(self.hash.hash.take());
    }

    /// Finishes the current value, and adds its hash to that of the value around it.
    fn leave(&mut self) {
        let number = self.hash.finish();
        self.hash.hash.set(self.around.pop().unwrap_or_default());
        self.hash.add(|hash| hash.add_number(number));
    }
}

impl Formatter for Hasher<'_> {
    /// Writes the number as an `f64`, as which a `serde_json::Value` holds it.
    fn write_f32<W: Write + ?Sized>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        self.write_f64(writer, value.into())
    }

    fn begin_string<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.is_in_key { Ok(()) } else { writer.write_all(b"\"") }
    }

    fn end_string<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_string(writer)
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if !self.is_in_key {
            return CompactFormatter.write_char_escape(writer, escape);
        }
        writer.write_all(&[match escape {
            CharEscape::Quote => b'"',
            CharEscape::ReverseSolidus => b'\\',
            CharEscape::Solidus => b'/',
            CharEscape::Backspace => b'\x08',
            CharEscape::FormFeed => b'\x0c',
            CharEscape::LineFeed => b'\n',
            CharEscape::CarriageReturn => b'\r',
            CharEscape::Tab => b'\t',
            CharEscape::AsciiControl(byte) => byte,
        }])
    }

    fn begin_array<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.hash.add(|hash| hash.add("["));
        Ok(())
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, _: &mut W, _: bool) -> io::Result<()> {
        self.enter();
        Ok(())
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.leave();
        Ok(())
    }

    fn end_array<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.hash.is_complete.set(true);
        Ok(())
    }

    /// Begins the sum of the hashes of the object's fields.
    fn begin_object<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.sums.push(0);
        Ok(())
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, _: &mut W, _: bool) -> io::Result<()> {
        self.is_in_key = true;
        Ok(())
    }

    fn end_object_key<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_key = false;
        self.hash.add(Fingerprint::end);
        Ok(())
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.enter();
        Ok(())
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.leave();
        let field = self.hash.hash.take().value();
        if let Some(sum) = self.sums.last_mut() {
            *sum = sum.wrapping_add(field);
        }
        Ok(())
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        let sum = self.sums.pop().unwrap_or_default();
        self.hash.add(|hash| {
            hash.add("{");
            hash.add_number(sum);
        });
        self.end_array(writer)
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::{Value, json};

    use super::*;

    // The numbers are the hashes in checkpoints that earlier versions have stored.
    #[test]
    fn a_checkpoint_that_was_kept_finds_the_hashes_that_it_holds() {
        for (value, hash) in [
            (json!({ "a": [1, true, null, "ä\"\n"], "b": { "c": 0.5 } }), 0x7b84_6d50_f035_e366),
            (json!({ "b": { "c": 0.5 }, "a": [1, true, null, "ä\"\n"] }), 0x7b84_6d50_f035_e366),
            (Value::Null, 0x2ab8_2c9a_3142_1b6c),
            (json!(false), 0x7208_c663_8663_26e8),
            (json!(""), 0xd50a_b417_d888_b8df),
            (json!([]), 0x0960_fe07_b5ec_692e),
            (json!({}), 0x5877_b93d_c8ae_524a),
            (json!([[], {}, [{}]]), 0x8052_c02f_c599_28ab),
            (json!([u64::MAX, i64::MIN, -0.0, 1.5, 1e300, 5e-324, 0.1]), 0x6b7b_f7ce_a339_8fa0),
            (json!({ "ä\"\\\n\t\u{1}/": "ä\"\\\n\t\u{1}/" }), 0x4cf6_4ff0_a628_76e4),
            (
                json!({ "z": 1, "a": { "y": [{ "x": 2, "b": null }], "c": "" }, "m": {} }),
                0x5af0_114e_6dea_2902,
            ),
            (
                json!({ "m": {}, "a": { "c": "", "y": [{ "b": null, "x": 2 }] }, "z": 1 }),
                0x5af0_114e_6dea_2902,
            ),
        ] {
            assert_eq!(json_hash(&value), hash, "{value}");
        }
    }

    #[test]
    fn what_is_written_in_one_way_has_one_hash() {
        #[derive(Serialize)]
        enum Kind {
            Unit,
            Newtype(u8),
            Tuple(u8, i8),
            Struct { a: Option<bool> },
        }
        #[derive(Serialize)]
        struct Record {
            float: f32,
            infinite: f64,
            char: char,
            kinds: [Kind; 4],
            unit: (),
            #[serde(flatten)]
            others: std::collections::BTreeMap<u64, Option<&'static [u8]>>,
        }
        let record = Record {
            float: 0.1,
            infinite: f64::INFINITY,
            char: '"',
            kinds: [Kind::Unit, Kind::Newtype(1), Kind::Tuple(2, -3), Kind::Struct { a: None }],
            unit: (),
            others: [(7, Some(&b"ab"[..])), (70, None)].into(),
        };

        assert_eq!(json_hash(&record), 0xf910_336b_7577_a361);
    }
}
