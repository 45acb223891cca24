//! The query of a request, read parameter by parameter, until only unknown ones are left.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use chrono::DateTime;
use uuid::{Uuid, fmt::Hyphenated};

use super::{
    problem::Refusal,
    times::{Nanoseconds, nanoseconds},
};
use crate::types::OrderBy;

/// Section 8 of the specification: the most entries that an array filter may have.
const MOST_ENTRIES: usize = 100;

#[derive(Debug)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(super) fn parse(query: Option<&str>) -> Self {
        Self(pairs(query))
    }

    pub(super) fn one(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let mut values = self.take(name);
        let value = values.pop();
        if values.is_empty() {
            return Ok(value);
        }
        Err(Refusal::parameter(name, format!("{name} is given more than once")))
    }

    pub(super) fn number(&mut self, name: &str) -> Result<Option<i32>, Refusal> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let refusal = |_| Refusal::parameter(name, format!("{name} is not an int32"));
        text.parse().map(Some).map_err(refusal)
    }

    pub(super) fn time(&mut self, name: &str) -> Result<Option<Nanoseconds>, Refusal> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        match DateTime::parse_from_rfc3339(&text) {
            Ok(time) if text.contains(['T', 't']) => Ok(Some(nanoseconds(time.to_utc()))),
            _ => Err(Refusal::parameter(name, format!("{name} is not an RFC 3339 timestamp"))),
        }
    }

    /// `None` if the filter is absent.
    pub(super) fn array(&mut self, name: &str) -> Result<Option<BTreeSet<String>>, Refusal> {
        let values = self.take(name);
        if values.len() > MOST_ENTRIES {
            let detail = format!("{name} has {} entries, at most {MOST_ENTRIES}", values.len());
            return Err(Refusal::parameter(name, detail));
        }
        Ok((!values.is_empty()).then(|| values.into_iter().collect()))
    }

    pub(super) fn uuids(&mut self, name: &str) -> Result<Option<BTreeSet<Uuid>>, Refusal> {
        let Some(texts) = self.array(name)? else { return Ok(None) };
        let refusal = || Refusal::parameter(name, format!("{name} has an entry that is no UUID"));
        let ids: Option<_> = texts.iter().map(|text| uuid(text)).collect();
        ids.map(Some).ok_or_else(refusal)
    }

    /// Rejects unknown sort keys. There is only one known key, so it has no other effect.
    pub(super) fn order_by(&mut self) -> Result<(), Refusal> {
        match self.one("order_by")? {
            Some(key) if !OrderBy::from(key.as_str()).is_known() => {
                Err(Refusal::parameter("order_by", "order_by is not a known sort key"))
            }
            _ => Ok(()),
        }
    }

    /// Rejects the parameters that are left, which are unknown: a typo would widen a listing.
    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        let Some((name, _)) = self.0.pop() else { return Ok(()) };
        Err(Refusal::parameter(&name, format!("there is no parameter {name}")))
    }

    fn take(&mut self, name: &str) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.0).into_iter().partition(|(n, _)| n == name);
        self.0 = left;
        let taken: Vec<(String, String)> = taken;
        taken.into_iter().map(|(_, value)| value).collect()
    }
}

pub(super) fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

/// Accepts only the form in the specification's examples: lenient parsing would hide mistakes.
pub(super) fn uuid(text: &str) -> Option<Uuid> {
    text.parse::<Hyphenated>().ok().map(Hyphenated::into_uuid)
}

pub(super) fn not_found(what: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
}
