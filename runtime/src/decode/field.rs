//! Reports which field of a successful response can't be decoded, and why, without revealing the
//! field's data.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

use super::answer;
use crate::{Error, ErrorKind, Operation};

/// Decodes the body again, and returns an error with the path of the field that isn't UTF-8.
pub(super) fn not_utf8<T: DeserializeOwned>(operation: Operation, body: &[u8]) -> Error {
    explained::<T>(operation, body, |error| match error {
        Some(error) if !error.to_string().starts_with(INVALID_UTF8) => what(error),
        _ => "is not UTF-8".to_owned(),
    })
}

/// Decodes the body again, and returns an error with the path of the field that can't be decoded.
pub(super) fn error<T: DeserializeOwned>(operation: Operation, body: &[u8]) -> Error {
    let unread = || "can't be read".to_owned();
    explained::<T>(operation, body, |error| error.map_or_else(unread, what))
}

/// The start of `serde_json`'s error message for bytes that aren't UTF-8.
const INVALID_UTF8: &str = "invalid unicode code point";

/// Returns an error with the path of the field at which decoding fails. `why` converts serde's
/// error into the reason given in the message.
fn explained<T: DeserializeOwned>(
    operation: Operation,
    body: &[u8],
    why: impl Fn(Option<&serde_json::Error>) -> String,
) -> Error {
    let mut json = serde_json::Deserializer::from_slice(body);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let read = T::deserialize(tracked).and_then(|_| json.end());
    match read.and_then(|()| answer::check(operation, body)) {
        Ok(()) => Error::new(ErrorKind::Decode, format!("the response {}:", why(None))),
        Err(error) => {
            let message = format!("{} {}:", place(operation, &track.path()), why(Some(&error)));
            // serde's own error would quote the data.
            let at = format!("line {}, column {} of the body", error.line(), error.column());
            Error::new(ErrorKind::Decode, message).caused_by(at)
        }
    }
}

/// Formats a field's path. The path ends before the first key that isn't in the OpenAPI
/// description, because such a key is part of the service's data.
fn place(operation: Operation, path: &Path) -> String {
    let mut place = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => place.extend(["[", &index.to_string(), "]"]),
            Segment::Map { key } if operation.names_field(key) => {
                if !place.is_empty() {
                    place.push('.');
                }
                place.push_str(key);
            }
            _ => break,
        }
    }
    if place.is_empty() { "the response".to_owned() } else { place }
}

/// The reason for a decoding error, without the data that serde's own message would quote.
fn what(error: &serde_json::Error) -> String {
    let message = error.to_string();
    if error.is_eof() {
        return "ends before it is complete".to_owned();
    }
    if message.starts_with("recursion limit exceeded") {
        return "is nested more than 127 levels deep".to_owned();
    }
    if error.is_syntax() {
        return "is not valid JSON".to_owned();
    }
    let field_after = |start| message.strip_prefix(start)?.split('`').next();
    if let Some(field) = field_after("missing field `") {
        return format!("has no `{field}`");
    }
    if let Some(field) = field_after("duplicate field `") {
        return format!("has `{field}` twice");
    }
    match message.rsplit_once(", expected ") {
        Some((_, rest)) if message.starts_with("invalid ") => {
            let expected = rest.split(" at line ").next().unwrap_or_default();
            format!("is not {}", in_words(expected))
        }
        _ => "does not match the description".to_owned(),
    }
}

/// Replaces serde's name for an expected type (such as `a sequence`) with the usual name in JSON.
fn in_words(expected: &str) -> &str {
    match expected {
        "a sequence" => "an array",
        "a map" => "an object",
        "i32" => "a 32-bit integer",
        "i64" => "a 64-bit integer",
        "f32" | "f64" => "a number",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::{Deserialize, de::Error};

    use super::what;

    fn said<T: for<'de> Deserialize<'de>>(json: &str) -> Option<String> {
        serde_json::from_str::<T>(json).err().map(|error| what(&error))
    }

    #[test]
    fn what_is_expected_has_its_name_in_json() {
        #[derive(Deserialize)]
        struct Record {}

        assert_eq!(said::<Record>("5").as_deref(), Some("is not an object"));
        assert_eq!(said::<HashMap<String, String>>("5").as_deref(), Some("is not an object"));
        assert_eq!(said::<Vec<String>>("5").as_deref(), Some("is not an array"));
        assert_eq!(said::<i32>("[]").as_deref(), Some("is not a 32-bit integer"));
        assert_eq!(said::<i64>("true").as_deref(), Some("is not a 64-bit integer"));
        assert_eq!(said::<f64>("true").as_deref(), Some("is not a number"));
        assert_eq!(said::<bool>("5").as_deref(), Some("is not a boolean"));
    }

    #[test]
    fn a_message_of_another_form_is_not_quoted() {
        let error = serde_json::Error::custom("found a secret, expected a password");

        assert_eq!(what(&error), "does not match the description");
    }
}
