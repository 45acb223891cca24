//! Resolves the parameters that `x-pagination` names.

use super::pagination::{NextName, OrderNames, Pagination, RangeNames};
use crate::{
    document::Format,
    model::{
        Body, Description, Kind, Order, OrderKey, PageSize, Parameter, ParameterIn, Responses,
        TimeRange,
    },
};

/// The parts of an operation that `x-pagination` may name.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub parameters: &'a [Parameter],
    pub body: Option<&'a Body>,
    pub responses: &'a Responses,
}

/// A problem with a name in `x-pagination`: the steps to the keyword that states the name, and a
/// message.
pub(super) struct Problem(pub &'static [&'static str], pub String);

impl Description {
    /// Returns the parameter for the cursor.
    pub(super) fn cursor<'a>(
        &self,
        names: &Pagination,
        parts: Parts<'a>,
    ) -> Result<&'a Parameter, Problem> {
        let name = &names.cursor;
        let elsewhere = || {
            let body = parts.body.and_then(|body| self.record(&body.schema));
            let is_header = |p: &Parameter| p.location == ParameterIn::Header && p.name == *name;
            let place = match () {
                () if body.is_some_and(|body| body.property(name).is_some()) => "the request body",
                () if parts.parameters.iter().any(is_header) => "a header",
                () => return format!("there is no query parameter `{name}`"),
            };
            format!("`{name}` is in {place}: a cursor that isn't in the query isn't supported")
        };
        let cursor = in_query(parts.parameters, name);
        let cursor = cursor.ok_or_else(|| Problem(&["cursor"], elsewhere()))?;
        let may_be_uuid = matches!(names.next, NextName::OfLastRecord(_));
        let problem = match &cursor.schema.kind {
            Kind::Text(text) if text.is_url => "is a URL, which isn't supported as a cursor",
            kind if !is_cursor(kind, may_be_uuid) => {
                "must be a string without a `format`, or an integer"
            }
            _ if cursor.required => "is required, but the first request has no cursor",
            _ => return Ok(cursor),
        };
        Err(Problem(&["cursor"], format!("the query parameter `{name}` {problem}")))
    }

    /// Returns the parameters that sort the records by creation time.
    pub(super) fn order(
        &self,
        names: &OrderNames,
        parameters: &[Parameter],
    ) -> Result<Order, Problem> {
        let OrderNames { parameter, ascending, descending, by } = names;
        let order = stated(parameters, parameter, &["order", "parameter"])?;
        self.takes(order, ascending, &["order", "ascending"])?;
        self.takes(order, descending, &["order", "descending"])?;
        if ascending == descending {
            return Err(Problem(&["order", "descending"], "is the same as `ascending`".into()));
        }
        let key = by.as_ref().map(|(parameter, by_time)| {
            let by = stated(parameters, parameter, &["order", "by", "parameter"])?;
            self.takes(by, by_time, &["order", "by", "time"])?;
            let known = self.enumeration(&by.schema);
            let is_only = known.is_some_and(|known| known.values.len() == 1);
            let is_default = default(by).map_or(is_only, |default| default == *by_time);
            let (parameter, by_time) = (parameter.clone(), by_time.clone());
            Ok(OrderKey { parameter, by_time, is_default })
        });
        let ascending_by_default = default(order).and_then(|word| {
            let is_descending = || (word == *descending).then_some(false);
            (word == *ascending).then_some(true).or_else(is_descending)
        });
        Ok(Order {
            parameter: parameter.clone(),
            ascending: ascending.clone(),
            descending: descending.clone(),
            ascending_by_default,
            key: key.transpose()?,
        })
    }

    /// Checks that `word` is a valid value for a parameter.
    fn takes(
        &self,
        of: &Parameter,
        word: &str,
        at: &'static [&'static str],
    ) -> Result<(), Problem> {
        let is_taken = match &of.schema.kind {
            Kind::Boolean => matches!(word, "true" | "false"),
            Kind::Integer(integer) => word
                .parse()
                .is_ok_and(|number| integer.known.is_empty() || integer.known.contains(&number)),
            kind if is_any_text(kind) => true,
            _ => match self.enumeration(&of.schema) {
                Some(known) => known.values.iter().any(|(_, known)| known == word),
                None => false,
            },
        };
        if is_taken {
            return Ok(());
        }
        Err(Problem(at, format!("`{word}` is not a value of the query parameter `{}`", of.name)))
    }
}

/// Returns the query parameter with this name. If there is no such parameter, returns a problem
/// that refers to the keyword `at`.
fn stated<'a>(
    parameters: &'a [Parameter],
    name: &str,
    at: &'static [&'static str],
) -> Result<&'a Parameter, Problem> {
    let nothing = || Problem(at, format!("there is no query parameter `{name}`"));
    in_query(parameters, name).ok_or_else(nothing)
}

/// Returns whether values of this kind can be cursors: strings without a format, integers and, if
/// `may_be_uuid` is true, UUIDs.
pub(super) fn is_cursor(kind: &Kind, may_be_uuid: bool) -> bool {
    is_any_text(kind) || matches!(kind, Kind::Integer(_)) || (may_be_uuid && is_uuid(kind))
}

pub(super) fn is_uuid(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(text) if text.format == Format::Uuid)
}

/// Returns whether values of this kind are strings without a format.
fn is_any_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(text) if text.format == Format::Text && !text.is_url)
}

pub(super) fn in_query<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|p| p.name == name && p.location == ParameterIn::Query)
}

/// Returns the parameter for the page size, with the smallest size that the parameter allows.
pub(super) fn page_size(
    names: &Pagination,
    parameters: &[Parameter],
) -> Result<Option<PageSize>, Problem> {
    let Some(name) = &names.size else { return Ok(None) };
    let parameter = stated(parameters, name, &["size"])?;
    let Kind::Integer(size) = &parameter.schema.kind else {
        return Err(Problem(&["size"], format!("the query parameter `{name}` is not an integer")));
    };
    let least = size.least.unwrap_or(1).max(1);
    let of = size.multiple_of.unwrap_or(1).max(1);
    let smallest = if size.known.is_empty() {
        Some(least.saturating_add(of - 1) / of * of)
    } else {
        size.known.iter().filter(|size| **size >= least && **size % of == 0).min().copied()
    };
    let smallest = smallest.map(|size| size.to_string());
    Ok(Some(PageSize { parameter: name.clone(), smallest }))
}

/// Returns the parameters for the lower and the upper bound on a record's creation time.
pub(super) fn time_range(
    names: &Pagination,
    parameters: &[Parameter],
) -> Result<Option<TimeRange>, Problem> {
    let range = names.time.as_ref().and_then(|time| time.range.as_ref());
    let Some(RangeNames { from, until, until_inclusive }) = range else { return Ok(None) };
    let bounds: [(_, &[&str]); 2] = [(from, &["time", "from"]), (until, &["time", "until"])];
    for (name, at) in bounds {
        if !stated(parameters, name, at)?.schema.is_time() {
            return Err(Problem(at, format!("the query parameter `{name}` is not a `date-time`")));
        }
    }
    if from == until {
        return Err(Problem(&["time", "until"], "is the same as `from`".into()));
    }
    if names.order.is_none() {
        return Err(Problem(&["time", "from"], "time bounds need an `order`".into()));
    }
    let (from, until) = (from.clone(), until.clone());
    Ok(Some(TimeRange { from, until, until_inclusive: *until_inclusive }))
}

pub(super) fn not_with_cursor(
    names: &Pagination,
    parameters: &[Parameter],
) -> Result<Vec<String>, Problem> {
    const AT: &[&str] = &["not-with-cursor"];
    for name in &names.not_with_cursor {
        let parameter = stated(parameters, name, AT)?;
        if *name == names.cursor {
            return Err(Problem(AT, format!("`{name}` is the cursor itself")));
        }
        if parameter.required {
            let problem = format!("`{name}` is required, so it can't be omitted with a cursor");
            return Err(Problem(AT, problem));
        }
    }
    Ok(names.not_with_cursor.clone())
}

/// Returns the filters that may be split across several requests, each with the maximum number of
/// entries per request.
pub(super) fn filters(parameters: &[Parameter]) -> Vec<(String, usize)> {
    let in_query = parameters.iter().filter(|p| p.location == ParameterIn::Query);
    let filters = in_query.filter_map(|p| {
        let size = p.schema.array()?.size;
        // A split can leave a single entry for a request, so a filter that needs more entries can't
        // be split.
        let most = size.most.filter(|_| size.least <= 1)?;
        Some((p.name.clone(), most))
    });
    filters.collect()
}

fn default(parameter: &Parameter) -> Option<String> {
    let default = parameter.default.as_ref()?;
    Some(default.as_str().map_or_else(|| default.to_string(), str::to_owned))
}
