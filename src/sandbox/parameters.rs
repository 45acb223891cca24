//! The parameters of a request, read by what the description says of each.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use chrono::DateTime;
use serde_json::Value;
use uuid::{Uuid, fmt::Hyphenated};

use super::{
    problem::Rejection,
    times::{Nanoseconds, nanoseconds},
};
use crate::{Operation, call::Parameter, operation::CURSOR, validate::Mode};

/// The texts that were sent for each parameter.
#[derive(Debug)]
pub(super) struct Parameters(BTreeMap<&'static str, Vec<String>>);

impl Parameters {
    /// Rejects what the description forbids, and what it doesn't name: a typo would widen a listing.
    pub(super) fn read(
        operation: Operation,
        described: &'static [Parameter],
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Rejection> {
        let mut given = BTreeMap::<_, Vec<String>>::new();
        for (name, text) in pairs {
            let Some(parameter) = described.iter().find(|parameter| parameter.name == name) else {
                return Err(Rejection::parameter(&name, format!("there is no parameter {name}")));
            };
            given.entry(parameter.name).or_default().push(text);
        }
        for parameter in described {
            let texts = given.get(parameter.name).map(Vec::as_slice);
            check(parameter, texts)
                .map_err(|detail| Rejection::parameter(parameter.name, detail))?;
        }
        let forbidden = operation.listing().map_or(&[][..], |listing| listing.not_with_cursor);
        let forbidden = forbidden.iter().find(|name| given.contains_key(*name));
        match forbidden.filter(|_| given.contains_key(CURSOR)) {
            Some(name) => Err(Rejection::parameter(
                name,
                format!("{name} must not be used together with {CURSOR}"),
            )),
            None => Ok(Self(given)),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.0.iter().map(|(name, texts)| (*name, texts.as_slice()))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.first().map(String::as_str)
    }
}

fn check(parameter: &Parameter, texts: Option<&[String]>) -> Result<(), String> {
    let name = parameter.name;
    let Some(texts) = texts else {
        return if parameter.required { Err(format!("`{name}` is missing")) } else { Ok(()) };
    };
    let values: Option<Vec<Value>> = texts.iter().map(|text| value(parameter, text)).collect();
    match values.ok_or_else(|| format!("`{name}` is not {}", parameter.is))? {
        values if parameter.is_array() => parameter.check(&values.into(), Mode::Send),
        values if values.len() > 1 => Err(format!("`{name}` is given more than once")),
        values => values.iter().try_for_each(|value| parameter.check(value, Mode::Send)),
    }
}

/// The JSON value that a text stands for, if it is of the parameter's type.
fn value(parameter: &Parameter, text: &str) -> Option<Value> {
    match parameter.is {
        "a 32-bit integer" => text.parse::<i32>().ok().map(Value::from),
        "a time" => time(text).map(|_| text.into()),
        "a UUID" => uuid(text).map(|_| text.into()),
        _ => Some(text.into()),
    }
}

/// Accepts only RFC 3339: chrono also reads a space in place of the `T`.
pub(super) fn time(text: &str) -> Option<Nanoseconds> {
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| text.contains(['T', 't']))?;
    Some(nanoseconds(time.to_utc()))
}

/// Accepts only the form in the specification's examples: lenient parsing would hide mistakes.
pub(super) fn uuid(text: &str) -> Option<Uuid> {
    text.parse::<Hyphenated>().ok().map(Hyphenated::into_uuid)
}

pub(super) fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

pub(super) fn not_found(what: &str) -> Rejection {
    Rejection::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
}
