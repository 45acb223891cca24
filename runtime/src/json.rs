//! Helpers for reading JSON, which keep a value as a string if Rust's types can't hold the value
//! exactly.

use std::borrow::Cow;

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The JSON without a leading byte order mark, which some services send (RFC 8259, section 8.1).
pub(crate) fn without_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json)
}

/// The fields of a JSON object, or `None` if the JSON isn't an object. A value that Rust's types
/// can't hold exactly is kept as a string.
pub(crate) fn fields(json: &[u8]) -> Option<Map<String, Value>> {
    let json = str::from_utf8(without_mark(json)).ok()?;
    let read = serde_json::from_str(json).ok().filter(|_| !may_be_rounded(json));
    let kept = || serde_json::from_str(&kept_as_text(json, quoted)).ok();
    read.or_else(kept)
}

/// Whether the JSON is incomplete, as in a truncated response.
pub(crate) fn ends_early(json: &[u8]) -> bool {
    let read = serde_json::from_slice::<IgnoredAny>(without_mark(json));
    read.is_err_and(|error| error.is_eof())
}

/// Puts a number in quotation marks, so that it becomes a JSON string.
pub(crate) fn quoted(number: &str) -> String {
    format!("\"{number}\"")
}

/// Returns the JSON with replacements for the values that `serde_json` would reject or round.
///
/// - An unpaired surrogate (`\ud800`) is replaced by the literal characters of its escape sequence.
/// - A number that Rust's types can't hold exactly (`1e999`, `1e-999`, or a number with many
///   digits) is replaced by the result of calling `number` with it.
pub(crate) fn kept_as_text(json: &str, number: impl Fn(&str) -> String) -> Cow<'_, str> {
    let (mut kept, mut copied) = (String::new(), 0);
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = json.as_bytes().get(at) {
        let rest = || json.get(at..).unwrap_or_default();
        let is_number = !in_string && matches!(byte, b'-' | b'0'..=b'9');
        let length = match byte {
            b'\\' => escape_length(rest()),
            _ if is_number => number_length(rest()),
            _ => 1,
        };
        in_string ^= *byte == b'"';
        // A token of a single byte is never replaced.
        if length > 1 {
            let token = rest().get(..length).unwrap_or_default();
            let replacement = if is_half_of_a_pair(token) {
                Some(format!("\\{token}"))
            } else if is_number && is_rounded(token) {
                Some(number(token))
            } else {
                None
            };
            if let Some(replacement) = replacement {
                kept.push_str(json.get(copied..at).unwrap_or_default());
                kept.push_str(&replacement);
                copied = at + length;
            }
        }
        at += length;
    }
    if copied == 0 {
        return json.into();
    }
    kept.push_str(json.get(copied..).unwrap_or_default());
    kept.into()
}

/// Whether the error was caused by a number or a surrogate that Rust's types can't hold.
/// [`kept_as_text`] replaces such values.
pub(crate) fn is_beyond_rust(error: &serde_json::Error) -> bool {
    const MESSAGES: [&str; 3] = [
        "number out of range",
        "lone leading surrogate in hex escape",
        "unexpected end of hex escape",
    ];
    let message = error.to_string();
    error.is_syntax() && MESSAGES.iter().any(|beyond| message.starts_with(beyond))
}

/// Whether the JSON may contain a number that `serde_json` would round. The search doesn't
/// recognize strings, so it sometimes mistakes a part of a string for a number.
pub(crate) fn may_be_rounded(json: &str) -> bool {
    let bytes = json.as_bytes();
    // A rounded number has at least 16 digits or a negative exponent. Wherever a run of 16 digits
    // starts, it fills at least one aligned block of eight bytes, of which at most one is the
    // decimal point.
    let eights = bytes.as_chunks::<8>().0.iter().enumerate();
    let filled = eights.filter(|(_, eight)| {
        has_seven_digits(u64::from_le_bytes(**eight))
            && eight.iter().all(|byte| is_part_of_a_number(*byte))
    });
    let long = filled.map(|(at, _)| 8 * at);
    let small = |word: &'static [u8]| memmem::find_iter(bytes, word);
    any_is_rounded(json, long)
        || any_is_rounded(json, small(b"e-"))
        || any_is_rounded(json, small(b"E-"))
}

/// Whether at least seven of the eight bytes in `eight` are ASCII digits. The bit operations are
/// much faster than a loop over the bytes.
fn has_seven_digits(eight: u64) -> bool {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    // The XOR turns an ASCII digit into its value, 0 to 9. Adding 0x76 sets the highest bit only
    // for larger values.
    let digits = eight ^ (0x30 * EACH);
    let others = (((digits & (0x7F * EACH)) + 0x76 * EACH) | digits) & (0x80 * EACH);
    others & others.wrapping_sub(1) == 0
}

/// Whether `serde_json` would round a number at any of the byte offsets `places`. An offset may be
/// in the middle of a number. A number is checked only if a JSON value can begin where the number
/// starts.
fn any_is_rounded(json: &str, mut places: impl Iterator<Item = usize>) -> bool {
    let is_other = |byte: &u8| !is_part_of_a_number(*byte);
    let mut end = 0;
    // Skips a place within a number that has been checked, so that each byte is read only once.
    places.any(|at| {
        let Some((before, rest)) = json.as_bytes().split_at_checked(at).filter(|_| at >= end)
        else {
            return false;
        };
        let start = before.iter().rposition(is_other).map_or(0, |other| other + 1);
        end = at + rest.iter().position(is_other).unwrap_or(rest.len());
        let before = before.get(..start).unwrap_or_default().trim_ascii_end();
        let begins = before.last().is_none_or(|last| b":,[".contains(last));
        begins && json.get(start..end).is_some_and(is_rounded)
    })
}

/// The length of the escape sequence at the start of `json`, in bytes. The two escape sequences of
/// a surrogate pair are counted together.
fn escape_length(json: &str) -> usize {
    match (utf16_unit(json), json.get(6..).and_then(utf16_unit)) {
        (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
        (Some(_), _) => 6,
        (None, _) => json.char_indices().nth(2).map_or(json.len(), |(at, _)| at),
    }
}

fn is_half_of_a_pair(token: &str) -> bool {
    token.len() == 6 && matches!(utf16_unit(token), Some(0xD800..0xE000))
}

fn utf16_unit(escape: &str) -> Option<u16> {
    u16::from_str_radix(escape.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn number_length(json: &str) -> usize {
    json.bytes().position(|byte| !is_part_of_a_number(byte)).unwrap_or(json.len())
}

fn is_part_of_a_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Whether `serde_json` would read this number as a different number, or reject it.
fn is_rounded(number: &str) -> bool {
    // A 64-bit float preserves up to 15 digits, with any exponent of up to two digits.
    let exponent = number.split_once(['e', 'E']).map_or("", |(_, exponent)| exponent);
    if number.len() <= 15 && exponent.trim_start_matches(['-', '+']).len() <= 2 {
        return false;
    }
    // If a value is ignored, serde_json checks only its grammar, not its range.
    let is_json = serde_json::from_str::<IgnoredAny>(number).is_ok();
    let read = || serde_json::from_str::<Value>(number);
    is_json && read().map_or(true, |read| normalized(&read.to_string()) != normalized(number))
}

/// Whether a number is negative, its significant digits, and its exponent. The result is the same
/// for all notations of a number, such as `1.50` and `15e-1`.
fn normalized(number: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_negative = whole.starts_with('-');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches(['-', '0']);
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return (is_negative, String::new(), 0);
    }
    let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let zeros = i64::try_from(digits.len() - significant.len()).unwrap_or(i64::MAX);
    // An exponent that doesn't fit in an `i64` is also beyond the range of every float.
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
    (is_negative, significant.to_owned(), exponent.saturating_sub(places).saturating_add(zeros))
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use bigdecimal::BigDecimal;
    use proptest::prelude::*;

    use super::*;

    fn kept(json: &str) -> Cow<'_, str> {
        kept_as_text(json, quoted)
    }

    /// Generates the contents of a JSON string, sometimes with unpaired surrogates.
    fn characters() -> impl Strategy<Value = String> {
        let unit = "\\\\u([dD][89a-fA-F]|00)[0-9a-f]{2}";
        let part = prop_oneof![unit, "\\\\[\"\\\\/bfnrt]", "[^\"\\\\\\x00-\\x1f]"];
        proptest::collection::vec(part, 0..9).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn any_json_becomes_what_serde_json_reads(
            characters in characters(),
            number in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,4})?",
        ) {
            let json = format!("{{\"{characters}\":[{number}, \"{characters}\",{number}]}}");

            let once = kept(&json);

            prop_assert!(serde_json::from_str::<Value>(&once).is_ok(), "{}: {}", json, once);
            if serde_json::from_str::<Value>(&json).is_ok() {
                prop_assert_eq!(once != json, may_be_rounded(&json), "{}", json);
            }
            prop_assert_eq!(kept(&once), once.as_ref());
        }

        #[test]
        fn a_number_is_kept_as_text_exactly_if_another_is_read(
            number in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?",
            space in "[ \n]{0,9}",
        ) {
            let json = format!("{{\"1e-400\":[1,{space}{number}{space}]}}");
            let exact = BigDecimal::from_str(&number).expect("a number");
            let read = serde_json::from_str::<Value>(&number).map(|read| read.to_string());
            let read = read.map(|read| BigDecimal::from_str(&read).expect("a number"));

            let is_exact = read.is_ok_and(|read| read == exact);

            prop_assert_eq!(kept(&json) == json, is_exact, "{}", json);
            prop_assert_eq!(may_be_rounded(&json) && is_exact, false, "{}", json);
        }

        #[test]
        fn what_is_not_json_stays_what_it_is(text in "[\\[\\]{}:,\"\\\\u0-9eE.+d8é-]{0,30}") {
            if serde_json::from_str::<IgnoredAny>(&text).is_err() {
                prop_assert!(serde_json::from_str::<Value>(&kept(&text)).is_err(), "{}", text);
            }
        }
    }
}
