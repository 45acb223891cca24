//! Keeps, as text, values that JSON can express but Rust's types can't hold.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The fields of an object, read again if `serde_json` rejects one of its values.
pub(crate) fn fields(json: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(json).ok().or_else(|| {
        let json = str::from_utf8(json).ok()?;
        serde_json::from_str(&kept_as_text(json, |number| format!("\"{number}\""))).ok()
    })
}

/// Whether JSON ends before it is complete.
pub(crate) fn ends_early(json: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(json).is_err_and(|error| error.is_eof())
}

/// Replaces the values for which `serde_json` rejects a whole answer. Half of a surrogate pair
/// (`\ud800`) becomes the text of its escape. A number beyond a float (`1e999`) becomes what `number`
/// returns.
pub(crate) fn kept_as_text(json: &str, number: impl Fn(&str) -> String) -> String {
    let mut kept = String::with_capacity(json.len() + 16);
    let (mut rest, mut in_string) = (json, false);
    while let Some(next) = rest.chars().next() {
        let is_number = !in_string && matches!(next, '-' | '0'..='9');
        let length = match next {
            '\\' => escape_length(rest),
            _ if is_number => number_length(rest),
            _ => next.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        if is_half_of_a_pair(token) {
            kept.push('\\');
        }
        if is_number && is_beyond_a_float(token) {
            kept.push_str(&number(token));
        } else {
            kept.push_str(token);
        }
        in_string ^= next == '"';
        rest = behind;
    }
    kept
}

/// The length of an escape, or of both escapes of a surrogate pair.
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
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    json.find(|c| !is_part(c)).unwrap_or(json.len())
}

fn is_beyond_a_float(number: &str) -> bool {
    // serde_json checks only the grammar of a value that it ignores.
    let is_json = serde_json::from_str::<IgnoredAny>(number).is_ok();
    is_json && serde_json::from_str::<Value>(number).is_err()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(json: &str) -> String {
        kept_as_text(json, |number| format!("\"{number}\""))
    }

    /// What is between the quotes of a string, at times with halves of surrogate pairs.
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
                prop_assert_eq!(&once, &json);
            }
            prop_assert_eq!(kept(&once), once);
        }

        #[test]
        fn what_is_not_json_stays_what_it_is(text in "[\\[\\]{}:,\"\\\\u0-9eE.+d8é-]{0,30}") {
            if serde_json::from_str::<IgnoredAny>(&text).is_err() {
                prop_assert!(serde_json::from_str::<Value>(&kept(&text)).is_err(), "{}", text);
            }
        }
    }
}
