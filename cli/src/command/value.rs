//! Parsers for the values of options.

use std::ffi::OsStr;

use chrono::{DateTime, Months, NaiveDate, SecondsFormat, SubsecRound, TimeDelta, Utc};
use clap::{
    Arg, Command,
    builder::{PossibleValue, TypedValueParser},
    error::ErrorKind,
};
use digital_assets::reqwest::header::{HeaderName, HeaderValue};
use uuid::Uuid;

use crate::{
    format::Decimals,
    operation::{Kind, Parameter},
};

/// A parser for a parameter's value. Shell completions offer the values that the OpenAPI
/// description lists, but other values are accepted too.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueOf {
    pub parameter: &'static Parameter,
    /// Whether the value may name a file that contains values, as in `@profiles.txt`.
    pub from_file: bool,
}

impl TypedValueParser for ValueOf {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = value.to_string_lossy();
        let read = if value.to_str().is_none() {
            Err("is not UTF-8".to_owned())
        } else if self.from_file && text.starts_with('@') {
            Ok(text.to_string())
        } else {
            read(self.parameter, &text)
        };
        read.map_err(|reason| {
            let argument = argument.map(ToString::to_string).unwrap_or_default();
            let message = format!("invalid value '{text}' for '{argument}': {reason}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = self.parameter.values;
        (!values.is_empty()).then(|| Box::new(values.iter().map(PossibleValue::new)) as _)
    }
}

/// Whether a parameter takes a comma-separated list: it takes several values, and no value can
/// contain a comma.
pub(super) fn is_split(parameter: &Parameter) -> bool {
    let has_none = match parameter.kind {
        Kind::Text | Kind::Json => {
            !parameter.values.is_empty() && !parameter.values.iter().any(|it| it.contains(','))
        }
        _ => true,
    };
    parameter.many && has_none
}

pub(super) fn read(parameter: &Parameter, text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("is empty; omit the option instead".to_owned());
    }
    let wanted = |what: &str| Err(format!("is not {what}"));
    match parameter.kind {
        Kind::Time => {
            let time = time(side_of_day(parameter), text, Utc::now())?;
            // A relative time identifies a listing as it is written. Its value is determined later.
            return Ok(if is_relative(text) { text.to_owned() } else { time });
        }
        Kind::Uuid if text.parse::<Uuid>().is_err() => return wanted("a UUID"),
        Kind::Date if text.parse::<NaiveDate>().is_err() => {
            return wanted("a date like 2025-01-31");
        }
        Kind::Integer if text.parse::<i64>().is_err() => return wanted("a whole number"),
        Kind::Number if !text.parse::<f64>().is_ok_and(f64::is_finite) => {
            return wanted("a number");
        }
        Kind::Boolean if text.parse::<bool>().is_err() => return wanted("true or false"),
        _ => {}
    }
    Ok(text.to_owned())
}

/// Parses an RFC 3339 timestamp, a time relative to now such as `-7d`, or a period in UTC (a day, a
/// month or a year). Returns a timestamp.
///
/// For a period, returns its start or its end, depending on `side`, or an error if `side` is
/// `None`.
fn time(side: Option<Side>, text: &str, now: DateTime<Utc>) -> Result<String, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true));
    }
    if let Some(ago) = text.strip_prefix('-') {
        let ago = humantime::parse_duration(ago).ok().and_then(|it| TimeDelta::from_std(it).ok());
        let time = ago.and_then(|ago| now.trunc_subsecs(0).checked_sub_signed(ago));
        let time = time.ok_or("is not a time before now such as -7d or -12h")?;
        return Ok(time.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    }
    let [first, last] = period(text, now.date_naive()).ok_or(
        "is neither a time like 2025-01-31T12:00:00Z or -7d, nor a day, month or year in UTC, like \
         yesterday, 2025-01-31, 2025-12 or 2025",
    )?;
    let time = match side {
        Some(Side::Begin) => first.and_hms_opt(0, 0, 0),
        Some(Side::End) => last.and_hms_nano_opt(23, 59, 59, 999_999_999),
        None => None,
    };
    let time = time.ok_or("is a date, but this option needs a time like 2025-01-31T12:00:00Z")?;
    Ok(time.and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

fn is_relative(text: &str) -> bool {
    text.starts_with('-') || ["today", "yesterday"].contains(&text)
}

/// The timestamp that a parameter's value stands for at the time `now`. Returns any value other
/// than a time unchanged.
pub(super) fn at(parameter: &Parameter, value: String, now: DateTime<Utc>) -> String {
    if parameter.kind != Kind::Time {
        return value;
    }
    time(side_of_day(parameter), &value, now).unwrap_or(value)
}

/// Parses a day, a month or a year, and returns its first and last day.
fn period(text: &str, today: NaiveDate) -> Option<[NaiveDate; 2]> {
    let day = match text {
        "today" => Some(today),
        "yesterday" => today.pred_opt(),
        _ => text.parse().ok(),
    };
    if let Some(day) = day {
        return Some([day, day]);
    }
    let is_number = |text: &str, digits| {
        text.len() == digits && text.bytes().all(|digit| digit.is_ascii_digit())
    };
    let (year, month) =
        text.split_once('-').map_or((text, None), |(year, month)| (year, Some(month)));
    if !is_number(year, 4) || !month.is_none_or(|month| is_number(month, 2)) {
        return None;
    }
    let months = if month.is_some() { 1 } else { 12 };
    let month = month.map_or(Some(1), |month| month.parse().ok())?;
    let first = NaiveDate::from_ymd_opt(year.parse().ok()?, month, 1)?;
    Some([first, first.checked_add_months(Months::new(months))?.pred_opt()?])
}

#[derive(Clone, Copy)]
pub(super) enum Side {
    Begin,
    End,
}

/// Whether a date given for this parameter means the start or the end of that day. `None` if the
/// parameter doesn't accept a date.
pub(super) fn side_of_day(parameter: &Parameter) -> Option<Side> {
    let word = match parameter.bound() {
        Some(bound) => bound.operator,
        None => parameter.name.rsplit(['.', '_']).next()?,
    };
    match word {
        ">=" | "<" | "begin" | "from" | "since" | "start" => Some(Side::Begin),
        "<=" | ">" | "end" | "until" | "to" => Some(Side::End),
        _ => None,
    }
}

/// Parses a share: a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("is not between 0 and 1".to_owned()) }
}

/// Parses the value of `--decimals`, the number of decimal places. If the value is empty, each
/// column has as many decimal places as the records need.
pub(super) fn decimals(text: &str) -> Result<Decimals, String> {
    if text.is_empty() {
        return Ok(Decimals::Found);
    }
    match text.parse() {
        Ok(scale) if scale <= 38 => Ok(Decimals::Scale(scale)),
        _ => Err("is not a number from 0 to 38".to_owned()),
    }
}

/// Parses a number of requests per second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err("is not above 0".to_owned()) }
}

/// Parses a header of the form `NAME:VALUE`, and returns its name and its value.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("needs a colon, as in x-request-id:42")?;
    let (name, value) = (name.trim(), value.trim());
    HeaderName::try_from(name).map_err(|_| "has an invalid name")?;
    HeaderValue::try_from(value).map_err(|_| "has an invalid value")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::{Side, side_of_day, time};
    use crate::operation::{Bound, Kind, Parameter};

    const BEGIN: Option<Side> = Some(Side::Begin);
    const END: Option<Side> = Some(Side::End);

    fn now() -> DateTime<Utc> {
        "2025-03-01T01:02:03.5Z".parse().unwrap()
    }

    #[test]
    fn a_time_may_be_relative_or_a_period() {
        for (text, begin, end) in [
            ("today", "2025-03-01T00:00:00Z", "2025-03-01T23:59:59.999999999Z"),
            ("yesterday", "2025-02-28T00:00:00Z", "2025-02-28T23:59:59.999999999Z"),
            ("-7d", "2025-02-22T01:02:03Z", "2025-02-22T01:02:03Z"),
            ("-12h", "2025-02-28T13:02:03Z", "2025-02-28T13:02:03Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999999999Z"),
            ("2025-12", "2025-12-01T00:00:00Z", "2025-12-31T23:59:59.999999999Z"),
            ("2025", "2025-01-01T00:00:00Z", "2025-12-31T23:59:59.999999999Z"),
        ] {
            assert_eq!(time(BEGIN, text, now()).as_deref(), Ok(begin), "{text}");
            assert_eq!(time(END, text, now()).as_deref(), Ok(end), "{text}");
        }
        for text in ["tomorrow", "7d", "-7", "-7x", "2025-13", "25", "2025-1", "20250", "-1000000y"]
        {
            assert!(time(BEGIN, text, now()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_date_is_its_whole_day() {
        let first = Some("2025-03-31T00:00:00Z");
        let last = Some("2025-03-31T23:59:59.999999999Z");
        let bound = |operator| Some(Bound { column: "made", operator });
        for (name, bound, expected) in [
            ("made.begin", None, first),
            ("made.gte", None, first),
            ("made.lt", None, first),
            ("made.end", None, last),
            ("made.lte", None, last),
            ("made.gt", None, last),
            ("made.eq", None, None),
            ("made_since", None, first),
            ("made_until", None, last),
            ("earliest", None, None),
            ("earliest", bound(">="), first),
            ("before", bound("<"), first),
            ("latest", bound("<="), last),
        ] {
            let parameter = Parameter {
                name,
                option: name,
                description: "",
                kind: Kind::Time,
                values: &[],
                examples: &[],
                default: None,
                minimum: None,
                maximum: None,
                many: false,
                required: false,
                bound,
            };
            let read = time(side_of_day(&parameter), "2025-03-31", now());
            assert_eq!(read.as_deref().ok(), expected, "{name} {bound:?}");
        }
    }

    #[test]
    fn the_last_date_there_is_has_an_end() {
        let end = time(END, "+262142-12-31", now());

        assert_eq!(end.as_deref(), Ok("+262142-12-31T23:59:59.999999999Z"));
    }

    #[test]
    fn a_time_is_sent_in_utc_with_all_its_digits() {
        let time = time(None, "2025-03-31T12:00:00.123456789+02:00", now());

        assert_eq!(time.as_deref(), Ok("2025-03-31T10:00:00.123456789Z"));
    }
}
