//! Reads timestamps. Nearly all services send them in RFC 3339 format and in UTC.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Deserializer};

use super::lenient::{from_text, or_blank};

/// Reads a timestamp.
///
/// # Errors
///
/// Any error from the deserializer, and an error for a string that isn't a timestamp.
pub fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DateTime<Utc>, D::Error> {
    Ok(Time::deserialize(deserializer)?.0)
}

/// Reads an optional timestamp. Null and the empty string become `None`.
///
/// # Errors
///
/// Any error from the deserializer, and an error for a string that isn't a timestamp.
pub fn or_blank_time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<DateTime<Utc>>, D::Error> {
    Ok(or_blank(deserializer)?.map(|Time(time)| time))
}

/// Reads the timestamp of an optional property that may be null. Null and the empty string become
/// `Some(None)`. If the property is absent, this function isn't called, and the field is `None`.
///
/// # Errors
///
/// Any error from the deserializer, and an error for a string that isn't a timestamp.
pub fn or_null_time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<DateTime<Utc>>>, D::Error> {
    or_blank_time(deserializer).map(Some)
}

struct Time(DateTime<Utc>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "an RFC 3339 formatted date and time string", |text| {
            in_utc(text).map_or_else(|| text.parse(), Ok).map(Self)
        })
    }
}

/// Reads a timestamp in the form `2025-06-01T12:00:05Z`, with an optional fraction of up to nine
/// digits. Returns `None` for any other form, which is left to chrono's much slower general parser.
fn in_utc(text: &str) -> Option<DateTime<Utc>> {
    let (second, fraction) = text.as_bytes().split_first_chunk::<19>()?;
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2] =
        second
    else {
        return None;
    };
    let nanosecond = match fraction {
        [b'Z'] => 0,
        [b'.', digits @ .., b'Z'] if matches!(digits.len(), 1..=9) => {
            let missing = 9 - u32::try_from(digits.len()).ok()?;
            number(digits)? * 10_u32.pow(missing)
        }
        _ => return None,
    };
    let year = number(&[y1, y2, y3, y4])?;
    let date =
        NaiveDate::from_ymd_opt(year.try_into().ok()?, number(&[m1, m2])?, number(&[d1, d2])?)?;
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[n1, n2])?, number(&[s1, s2])?);
    Some(date.and_hms_nano_opt(hour, minute, second, nanosecond)?.and_utc())
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + u32::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_time_that_is_read_without_chrono_is_what_chrono_reads(
            (year, month, day) in (0..10_000, 0..14, 0..33),
            (hour, minute, second) in (0..26, 0..62, 0..63),
            fraction in "(\\.[0-9]{0,11})?",
            zone in "[Zz]|[+-]0[0-9]:[0-6]0",
            separator in "[Tt _]",
            others in ("[0-9TZ:.-]{0,31}", any::<String>()),
        ) {
            let text = format!(
                "{year:04}-{month:02}-{day:02}{separator}{hour:02}:{minute:02}:{second:02}{fraction}{zone}"
            );

            for text in [text, others.0, others.1] {
                if let Some(time) = in_utc(&text) {
                    prop_assert_eq!(text.parse(), Ok(time));
                }
            }
        }

        #[test]
        fn every_time_of_a_service_is_read_without_chrono(
            seconds in -62_167_219_200..253_402_300_800_i64,
            nanoseconds in 0..1_000_000_000_u32,
        ) {
            use chrono::SecondsFormat::{Micros, Millis, Nanos, Secs};

            let time = DateTime::from_timestamp(seconds, nanoseconds).expect("a time");
            for digits in [Secs, Millis, Micros, Nanos] {
                let text = time.to_rfc3339_opts(digits, true);
                prop_assert_eq!(in_utc(&text), text.parse().ok());
                prop_assert!(in_utc(&text).is_some());
            }
        }
    }
}
