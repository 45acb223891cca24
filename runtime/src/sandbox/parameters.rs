//! Reads the parameters of a request and checks them against the OpenAPI description.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, StatusCode};
use chrono::DateTime;
use percent_encoding::percent_decode_str;
use serde_json::{Number, Value};
use uuid::{Uuid, fmt::Hyphenated};

use super::{
    problem::Rejection,
    times::{Nanoseconds, nanoseconds},
};
use crate::{
    Operation,
    call::{Parameter, ParameterLocation},
    validate::{Kind, Mode},
};

/// The path and query parameters of a request, each with the strings that were sent for it.
#[derive(Debug)]
pub struct Parameters(BTreeMap<&'static str, Vec<String>>);

impl Parameters {
    /// Reads a request's parameters. Rejects values that violate the OpenAPI description. Also
    /// rejects unknown query parameters, because a listing that ignored a misspelled filter would
    /// return too many records.
    pub(super) fn read(
        operation: Operation,
        described: &'static [Parameter],
        path: &[(&str, &str)],
        query: &str,
        headers: &HeaderMap,
    ) -> Result<Self, Rejection> {
        let query = query.split('&').filter(|pair| !pair.is_empty());
        let query = query.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let query: Vec<_> = query.map(|(name, sent)| (decoded(name), sent)).collect();
        let in_query = |name| {
            described.iter().any(|p| p.location == ParameterLocation::Query && p.name == name)
        };
        if let Some((name, _)) = query.iter().find(|(name, _)| !in_query(name)) {
            return Err(Rejection::parameter(name, format!("unknown query parameter {name}")));
        }
        let mut given = BTreeMap::new();
        for parameter in described {
            let texts = sent(parameter, path, &query, headers);
            check(parameter, &texts)
                .map_err(|detail| Rejection::parameter(parameter.name, detail))?;
            // Header parameters are checked here, but operations read their values from the
            // request's headers.
            if parameter.location != ParameterLocation::Header && !texts.is_empty() {
                given.entry(parameter.name).or_insert(texts);
            }
        }
        if let Some(listing) = operation.listing()
            && given.contains_key(listing.cursor)
            && let Some(name) = listing.not_with_cursor.iter().find(|it| given.contains_key(*it))
        {
            let detail = format!("{name} must not be used together with {}", listing.cursor);
            return Err(Rejection::parameter(name, detail));
        }
        Ok(Self(given))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.0.iter().map(|(name, texts)| (*name, texts.as_slice()))
    }

    /// Returns the first string that was sent for a parameter, or `None` if the parameter wasn't
    /// sent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.entries(name).first().map(String::as_str)
    }

    /// Returns the strings that were sent for a parameter. An array has one string per entry.
    #[must_use]
    pub fn entries(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Returns the strings that were sent for a parameter in the path, the query or the headers. An
/// array has one string per entry.
fn sent(
    parameter: &Parameter,
    path: &[(&str, &str)],
    query: &[(String, &str)],
    headers: &HeaderMap,
) -> Vec<String> {
    let name = parameter.name;
    match parameter.location {
        ParameterLocation::Path => {
            let sent = path.iter().filter(|(known, _)| *known == name);
            sent.map(|(_, text)| (*text).to_owned()).collect()
        }
        ParameterLocation::Query => {
            let sent = query.iter().filter(|(known, _)| known == name);
            let entries = sent.flat_map(|(_, text)| match parameter.separator {
                None => vec![decoded(text)],
                // A comma inside an entry is percent-encoded, so it doesn't split the entry.
                Some(',') => text.split(',').map(decoded).collect(),
                Some(by) => decoded(text).split(by).map(str::to_owned).collect(),
            });
            entries.collect()
        }
        ParameterLocation::Header => {
            let sent = headers.get_all(name).iter();
            let texts = sent.map(|sent| String::from_utf8_lossy(sent.as_bytes()));
            let entries = texts.flat_map(|text| {
                if !parameter.is_array() {
                    return vec![text.into_owned()];
                }
                text.split(',').map(|entry| entry.trim().to_owned()).collect()
            });
            entries.collect()
        }
    }
}

pub(super) fn decoded(sent: &str) -> String {
    percent_decode_str(&sent.replace('+', " ")).decode_utf8_lossy().into_owned()
}

fn check(parameter: &Parameter, texts: &[String]) -> Result<(), String> {
    let name = parameter.name;
    if texts.is_empty() {
        return if parameter.required { Err(format!("`{name}` is missing")) } else { Ok(()) };
    }
    let check = |value: &Value| {
        parameter.check(value, Mode::Send).map_err(|rejected| rejected.message(name))
    };
    let values: Option<Vec<Value>> = texts.iter().map(|text| value(parameter, text)).collect();
    match values.ok_or_else(|| format!("`{name}` is not {}", parameter.kind.words()))? {
        values if parameter.is_array() => check(&values.into()),
        values if values.len() > 1 => Err(format!("`{name}` is given more than once")),
        values => values.iter().try_for_each(check),
    }
}

/// Converts the string to a JSON value. Returns `None` if the string doesn't match the parameter's
/// type.
fn value(parameter: &Parameter, text: &str) -> Option<Value> {
    match parameter.kind {
        Kind::Int32 => text.parse::<i32>().ok().map(Value::from),
        Kind::Int64 => text.parse::<i64>().ok().map(Value::from),
        Kind::UnsignedInteger => text.parse::<u64>().ok().map(Value::from),
        Kind::SmallInteger => text.parse::<i16>().ok().map(Value::from),
        Kind::Number => text.parse().ok().and_then(Number::from_f64).map(Value::from),
        Kind::Boolean => text.parse::<bool>().ok().map(Value::from),
        Kind::Time => time(text).map(|_| text.into()),
        Kind::Uuid => uuid(text).map(|_| text.into()),
        _ => Some(text.into()),
    }
}

/// Parses an RFC 3339 timestamp, which must have a `T` between date and time. chrono by itself also
/// accepts a space there.
pub(super) fn time(text: &str) -> Option<Nanoseconds> {
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| text.contains(['T', 't']))?;
    Some(nanoseconds(time.to_utc()))
}

/// Parses a UUID, but only in the hyphenated form, because lenient parsing would hide mistakes.
pub fn uuid(text: &str) -> Option<Uuid> {
    text.parse::<Hyphenated>().ok().map(Hyphenated::into_uuid)
}

pub(super) fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

/// A rejection with status 404, for a record or other object that doesn't exist.
#[must_use]
pub fn not_found(what: &str) -> Rejection {
    Rejection::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::Rule;

    static TO_NINE: Rule = Rule::Integer { least: None, most: Some(9), multiple_of: None };
    static DESCRIBED: &[Parameter] = &[
        Parameter::path("id", Kind::Text),
        Parameter::query("id", Kind::Text),
        Parameter::query("marks", Kind::Text).entries(1, Some(2), true).separated(','),
        Parameter::query("on", Kind::Boolean),
        Parameter::query("pipes", Kind::Int64)
            .entries(1, Some(2), true)
            .separated('|')
            .within(&TO_NINE),
        Parameter::query("rate", Kind::Number),
        Parameter::query("size", Kind::UnsignedInteger),
        Parameter::query("small", Kind::SmallInteger),
        Parameter::header("X-Ids", Kind::Uuid).entries(1, Some(1), false),
        Parameter::header("X-Trace", Kind::Text).required(),
    ];

    fn read(query: &str, headers: &[(&'static str, &'static str)]) -> Result<Parameters, String> {
        let headers =
            headers.iter().map(|(name, text)| (name.parse().unwrap(), text.parse().unwrap()));
        let headers: HeaderMap = headers.collect();
        let operation = crate::fixture::BY_TIME;
        Parameters::read(operation, DESCRIBED, &[("id", "7")], query, &headers)
            .map_err(|rejection| format!("{rejection:?}"))
    }

    const TRACE: (&str, &str) = ("x-trace", "a");

    #[test]
    fn each_parameter_is_checked_by_its_type_in_its_place() {
        for (query, refused) in [
            ("size=abc", "`size` is not an unsigned integer"),
            ("small=70000", "`small` is not an 8-bit or 16-bit integer"),
            ("rate=NaN", "`rate` is not a number"),
            ("on=yes", "`on` is not true or false"),
            ("id=8&id=9", "`id` is given more than once"),
            ("marks=a&marks=a", "`marks[1]` repeats an earlier entry"),
            ("pipes=1%7C2%7C3", "`pipes` has 3 entries, the maximum is 2"),
            ("pipes=1%7C10", "`pipes[1]` is 10, the maximum is 9"),
            ("X-Trace=a", "unknown query parameter X-Trace"),
        ] {
            let error = read(query, &[TRACE]).unwrap_err();
            assert!(error.contains(refused), "{query}: {error}");
        }
        let id = "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05";
        for (headers, refused) in [
            (vec![], "`X-Trace` is missing"),
            (vec![TRACE, ("x-ids", "b")], "`X-Ids` is not a UUID"),
        ] {
            let error = read("", &headers).unwrap_err();
            assert!(error.contains(refused), "{headers:?}: {error}");
        }
        let query = "id=a+b&marks=a%2Cb,c&on=true&pipes=1%7C2&rate=0.5&size=9&small=-9";
        let read = read(query, &[TRACE, ("X-Ids", id)]).unwrap();
        assert_eq!(read.get("id"), Some("7"));
        assert_eq!(read.0["marks"], ["a,b", "c"]);
        assert!(read.iter().all(|(name, _)| !name.starts_with("X-")));
    }
}
