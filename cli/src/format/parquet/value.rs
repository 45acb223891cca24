//! Converts the text of a cell to the value that Parquet stores.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;

use super::decimals::Decimals;
use crate::operation::Kind;

/// The maximum number of digits in a decimal column, including the decimal places. Parquet readers
/// don't support more digits.
pub(super) const PRECISION: i32 = 38;
pub(super) const MOST_DIGITS: u32 = PRECISION.unsigned_abs();

/// The text of a value: a string as it is, and any other value as JSON.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// Checks that a column of this kind can store the value with this text.
///
/// # Errors
///
/// If the column can't store the value. The error is a message that says why.
pub(super) fn check(kind: Kind, decimals: Option<Decimals>, text: &str) -> Result<(), String> {
    match (kind, decimals) {
        (Kind::Time, _) => time(text).map(drop),
        (Kind::Date, _) => date(text).map(drop),
        (Kind::Integer, _) => integer(text).map(drop),
        (Kind::Number, _) => number(text).map(drop),
        (Kind::Decimal, Some(Decimals::Scale(scale))) => decimal(text, scale).map(drop),
        (Kind::Decimal, Some(Decimals::Found)) => decimal(text, digits(text).1).map(drop),
        _ => Ok(()),
    }
}

/// Converts a timestamp to nanoseconds since 1970-01-01T00:00:00Z.
pub(super) fn time(text: &str) -> Result<i64, String> {
    let time: Option<DateTime<Utc>> = text.parse().ok();
    let nanoseconds = time.and_then(|time| time.timestamp_nanos_opt());
    nanoseconds.ok_or_else(|| {
        "Parquet can't store a year outside 1678 to 2261; use --format jsonl".to_owned()
    })
}

/// Converts a date to days since 1970-01-01.
pub(super) fn date(text: &str) -> Result<i32, String> {
    let date: Option<NaiveDate> = text.parse().ok();
    let days = date.map(|date| (date - NaiveDate::default()).num_days());
    days.and_then(|days| days.try_into().ok()).ok_or_else(|| "the value isn't a date".to_owned())
}

pub(super) fn integer(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "the value isn't a 64-bit integer".to_owned())
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "the value isn't a number".to_owned())
}

/// The advice for an amount that doesn't fit into a decimal column, whatever the number of decimal
/// places.
pub(super) const AS_TEXT: &str = "omit --decimals to write amounts as text";

/// Parses a decimal number, and returns it multiplied by 10 to the power of `scale`.
pub(super) fn decimal(text: &str, scale: u32) -> Result<i128, String> {
    let Some((is_negative, whole, fraction)) = parts(text) else {
        return Err(format!("the value isn't a decimal number; {AS_TEXT}"));
    };
    let (before, behind) = (length(whole), length(fraction));
    if before.saturating_add(behind) > MOST_DIGITS {
        return Err(format!("the value has more than {PRECISION} digits; {AS_TEXT}"));
    }
    if behind > scale {
        return Err(format!(
            "the value has {behind} decimal places; use --decimals={behind}, or write to a file \
             and pass --decimals without a number to keep all decimal places"
        ));
    }
    if before + scale > MOST_DIGITS {
        let fits = MOST_DIGITS - before;
        return Err(format!(
            "the value has {before} digits before the decimal point, but at most {PRECISION} \
             digits in total can be stored; use --decimals={fits}"
        ));
    }
    let digits = format!("0{whole}{fraction}{:0<1$}", "", (scale - behind) as usize);
    let number: i128 = digits.parse().map_err(|_| AS_TEXT.to_owned())?;
    Ok(if is_negative { -number } else { number })
}

/// The number of digits that a decimal number needs before and after the decimal point.
pub(super) fn digits(text: &str) -> (u32, u32) {
    parts(text).map_or((0, 0), |(_, whole, fraction)| (length(whole), length(fraction)))
}

/// Splits a decimal number into three parts: whether it is negative, its digits before the point,
/// and its digits after the point. Removes insignificant zeros.
///
/// Returns `None` if the text isn't a decimal number.
fn parts(text: &str) -> Option<(bool, &str, &str)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_decimal = !whole.is_empty() && is_number(whole) && is_number(fraction);
    is_decimal.then(|| {
        (text.starts_with('-'), whole.trim_start_matches('0'), fraction.trim_end_matches('0'))
    })
}

fn length(digits: &str) -> u32 {
    u32::try_from(digits.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn a_decimal_is_exact_or_none() {
        for (text, scale, expected) in [
            ("0", 0, Some(0)),
            ("25", 2, Some(2_500)),
            ("100.00", 1, Some(1_000)),
            ("-0.016663334", 9, Some(-16_663_334)),
            ("0.016663334", 8, None),
            ("99999999999999999999999999999999999999", 0, Some(10_i128.pow(38) - 1)),
            ("100000000000000000000000000000000000000", 0, None),
            ("9999999999999999999999", 18, None),
            ("1e5", 18, None),
            (".5", 18, None),
            ("", 18, None),
            ("-", 18, None),
            ("--1", 18, None),
        ] {
            assert_eq!(decimal(text, scale).ok(), expected, "{text} at {scale}");
        }
    }

    #[test]
    fn a_scale_that_holds_a_number_is_named() {
        for (text, scale, words) in [
            ("0.016663334", 8, "use --decimals=9"),
            ("-0007.250", 0, "use --decimals=2"),
            ("123456789012345678901.5", 18, "use --decimals=17"),
            ("12345678901234567890.1234567890123456789", 20, "more than 38 digits; omit"),
            ("1e5", 18, "isn't a decimal number; omit --decimals"),
        ] {
            let reason = decimal(text, scale).unwrap_err();
            assert!(reason.contains(words), "{text} at {scale}: {reason}");
        }
    }
}
