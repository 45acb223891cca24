//! Dates in HTTP headers.

use chrono::{DateTime, Utc};

/// Reads an HTTP date (RFC 9110, section 5.6.7). Also accepts forms that some services send: with
/// `UTC` or `+0000` instead of `GMT`, with a one-digit day, or without the weekday.
pub(crate) fn http_date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(date) = httpdate::parse_http_date(text) {
        return Some(date.into());
    }
    let without_name = text.split_once(',').map_or(text, |(_, date)| date.trim());
    let date = without_name.strip_suffix("UTC").map(|date| format!("{date}GMT"));
    let date = date.as_deref().unwrap_or(without_name);
    DateTime::parse_from_rfc2822(date).ok().map(|date| date.to_utc())
}
