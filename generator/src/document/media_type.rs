//! JSON media types.

use serde_json::Value;

/// Finds a JSON media type in `content`, preferably `application/json`.
///
/// Returns the key in `content`, the media type as a header value, and the media type object.
/// Returns `None` if `content` is missing or empty, and an error if none of the media types is
/// JSON.
pub(crate) fn json(content: Option<&Value>) -> Result<Option<(&str, &str, &Value)>, String> {
    let Some(content) = content.and_then(Value::as_object) else { return Ok(None) };
    let known = content.iter().filter_map(|(kind, media)| Some((kind, media_type(kind)?, media)));
    match known.min_by_key(|(_, sent, _)| *sent != JSON) {
        Some((kind, sent, media)) => Ok(Some((kind, sent, media))),
        None if content.is_empty() => Ok(None),
        None => {
            let kinds: Vec<&str> = content.keys().map(String::as_str).collect();
            Err(format!(
                "is {}, but only JSON is supported: add `application/json` if the service accepts \
                 it, or remove the operation",
                kinds.join(", ")
            ))
        }
    }
}

pub(crate) const JSON: &str = "application/json";

/// Returns the header value for a media type, or `None` if the media type isn't JSON.
fn media_type(kind: &str) -> Option<&str> {
    let plain = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is_header = kind.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    match plain.strip_prefix("application/") {
        Some("json") => Some(JSON),
        Some(kind_of) if kind_of.ends_with("+json") && !kind_of.contains('*') && is_header => {
            Some(kind.trim())
        }
        _ => None,
    }
}
