//! Dates in HTTP headers.

use chrono::{DateTime, Datelike, Utc};

/// The last year that an HTTP date can have. Adding a time span to such a date can't overflow,
/// unless the time span is longer than a hundred thousand years.
const LAST_YEAR: i32 = 9999;

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
    DateTime::parse_from_rfc2822(date).ok().map(|date| date.to_utc()).filter(is_http_date)
}

/// Whether the date can be written as an HTTP date, whose year has four digits.
pub(super) fn is_http_date(date: &DateTime<Utc>) -> bool {
    date.year() <= LAST_YEAR
}
