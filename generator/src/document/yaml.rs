//! Decodes and parses the YAML of an OpenAPI description.

use serde::de::DeserializeOwned;
use serde_saphyr::{Error, MessageFormatter, UserMessageFormatter, options};

use super::Unsupported;

/// Decodes the contents of a file as UTF-8. The error is the line and the column of the first byte
/// that isn't valid UTF-8.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, (u64, u64)> {
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to());
        let before = String::from_utf8_lossy(before.unwrap_or_default());
        let line = before.rsplit('\n').next().unwrap_or_default();
        let [lines, columns] = [before.matches('\n').count(), line.chars().count()];
        (lines as u64 + 1, columns as u64 + 1)
    })
}

/// Parses the YAML of an OpenAPI description. The size isn't limited, because a program's own
/// description is trusted.
pub(crate) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let mut options = options! {
        // In YAML 1.2, `yes` and `n` are strings, not booleans.
        strict_booleans: true,
        budget: None,
    };
    options.alias_limits.max_total_replayed_events = usize::MAX;
    serde_saphyr::from_str_with_options(text, options)
}

/// Returns the message for a description that can't be parsed.
pub(crate) fn broken(error: &Error) -> Unsupported {
    match error.without_snippet() {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` appears twice: remove one of them")
        }
        error => UserMessageFormatter.format_message(error).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_another_encoding_has_the_place_of_its_first_letter() {
        let latin = b"openapi: 3.0.3\ninfo: { title: Fl\xe4che }".to_vec();
        let after_others = "a: é\nb: ö".bytes().chain([0xff]).collect();
        for (bytes, place) in [
            (b"a: 1".to_vec(), Ok("a: 1".to_owned())),
            (latin, Err((2, 18))),
            (after_others, Err((2, 5))),
            (vec![0xff, 0xfe, b'a', 0], Err((1, 1))),
        ] {
            assert_eq!(text(bytes), place);
        }
    }
}
