//! Which operations are listings, and how they are paged and cut into windows.

use super::refusals::Refusals;
use crate::{
    document::{CURSOR, Format, NEXT_CURSOR, Unsupported},
    model::{
        Answer, Description, Field, Kind, Listing, Order, OrderKey, Parameter, ParameterIn, Record,
        Schema, Side, TimeRange,
    },
};

const BY_TIME: &str = "created_at";
/// The marks of the two ends of a time range.
const MARKS: (&str, &str) = ("x-created-at-from", "x-created-at-until");

impl Description {
    /// The listing that an operation is. `None` if it has no cursor, or if something is refused.
    pub(super) fn listing(
        &self,
        parameters: &[Parameter],
        answer: &Answer,
        refusals: &mut Refusals,
    ) -> Option<Listing> {
        in_query(parameters, CURSOR)?;
        let page = refusals.keep(self.page(answer));
        let cursor = page.and_then(|page| refusals.keep(cursor(page)));
        let records = page.and_then(|page| refusals.keep(records(page)));
        let created_at = records.and_then(|(_, item)| refusals.keep(self.created_at(item)));
        let order = self.order(parameters);
        let time_range = refusals.keep(time_range(parameters));
        let (created_at, time_range) = (created_at?, time_range?);
        let reason = match (created_at.is_some_and(is_of_every_record), &order) {
            (true, Some(_)) => None,
            (false, _) => Some("no time is one that every record has"),
            (true, None) => Some("the listing can't be ordered by time"),
        };
        let time_range = time_range.filter(|_| reason.is_none());
        let marked = parameters.iter().find(|p| p.created_at_from || p.created_at_until);
        if let (Some(reason), Some(p)) = (reason, marked) {
            let mark = if p.created_at_from { MARKS.0 } else { MARKS.1 };
            refusals.add(format!("query {} → {mark}: {reason}", p.name));
        }
        let (page, cursor, (array, item)) = (page?, cursor?, records?);
        let in_query = parameters.iter().filter(|p| p.place == ParameterIn::Query);
        let filters = in_query.filter_map(|p| {
            let size = p.schema.array()?.size;
            // A split filter may leave a request with one entry.
            let most = size.most.filter(|_| size.least <= 1)?;
            Some((p.name.clone(), most))
        });
        let filters = filters.collect();
        let not_with_cursor = parameters.iter().filter(|p| p.not_with_cursor);
        let not_with_cursor = not_with_cursor.map(|p| p.name.clone()).collect();
        Some(Listing {
            page: page.name.clone(),
            array: array.name.clone(),
            cursor: cursor.name.clone(),
            item: item.clone(),
            created_at: created_at.map(|field| field.wire.clone()),
            not_with_cursor,
            filters,
            smallest_page: smallest_page(parameters),
            order_parameter: self.directions(parameters).map(|(order, _)| order.name.clone()),
            order,
            time_range,
        })
    }

    /// The record of a page: the response of a listing.
    fn page(&self, answer: &Answer) -> Result<&Record, Unsupported> {
        let schema = answer.schema.as_ref();
        if answer.may_be_empty || schema.is_some_and(|schema| schema.nullable) {
            return Err("responses: a listing's answer can't be empty or null".into());
        }
        schema.and_then(|schema| self.record(schema)).ok_or_else(|| {
            format!(
                "responses: it takes `{CURSOR}`, but its answer is not an object with properties"
            )
        })
    }

    /// The property that states when a record was created. It is marked `x-created-at`, or is
    /// called `created_at`.
    fn created_at(&self, item: &Schema) -> Result<Option<&Field>, Unsupported> {
        let Some(record) = self.record(item) else { return Ok(None) };
        let times = || record.fields.iter().filter(|field| field.schema.is_time());
        let mut marked = times().filter(|field| field.created_at);
        let found = marked.next().or_else(|| times().find(|field| field.wire == BY_TIME));
        match marked.next() {
            None => Ok(found),
            Some(_) => Err(format!(
                "responses → {}: `x-created-at: true` marks several of its properties",
                record.name
            )),
        }
    }

    /// The parameter for the order of a listing, with its words for ascending and descending.
    fn directions<'a>(
        &'a self,
        parameters: &'a [Parameter],
    ) -> Option<(&'a Parameter, [&'a str; 2])> {
        let order = in_query(parameters, "order")?;
        Some((order, [self.word(order, "asc")?, self.word(order, "desc")?]))
    }

    /// A word as the enum of a parameter spells it.
    fn word(&self, of: &Parameter, word: &str) -> Option<&str> {
        let mut known = self.enumeration(&of.schema)?.values.iter().map(|(_, known)| &**known);
        known.find(|known| known.to_lowercase() == word)
    }

    /// How the records are ordered by time.
    fn order(&self, parameters: &[Parameter]) -> Option<Order> {
        let (order, [ascending, descending]) = self.directions(parameters)?;
        let by = in_query(parameters, "order_by");
        let key = by.and_then(|key| {
            let by_time = self.word(key, BY_TIME)?;
            let is_only = self.enumeration(&key.schema)?.values.len() == 1;
            let is_default = default(key).map_or(is_only, |default| default == by_time);
            Some(OrderKey { by_time: by_time.to_owned(), is_default })
        });
        if by.is_some() && key.is_none() {
            return None;
        }
        let ascending_by_default = default(order).and_then(|word| {
            (word == ascending).then_some(true).or_else(|| (word == descending).then_some(false))
        });
        Some(Order {
            ascending: ascending.to_owned(),
            descending: descending.to_owned(),
            ascending_by_default,
            key,
        })
    }
}

/// The steps to a page in a refusal.
fn place(page: &Record) -> String {
    format!("responses → {}", page.name)
}

/// The field of a page that contains the cursor of the next page.
fn cursor(page: &Record) -> Result<&Field, Unsupported> {
    let place = place(page);
    let cursor = page.property(NEXT_CURSOR).ok_or_else(|| {
        format!("{place}: it takes `{CURSOR}`, but its answer has no `{NEXT_CURSOR}`")
    })?;
    let problem = match cursor.schema.format() {
        Some(Format::Text) => return Ok(cursor),
        Some(_) => "has a format, but a cursor is any text",
        None => "is not a string",
    };
    Err(format!("{place} → {NEXT_CURSOR}: {problem}"))
}

/// Whether every record of a listing has this time.
fn is_of_every_record(time: &Field) -> bool {
    time.created_at || time.required || time.required_of == Some(Side::Service)
}

/// The array of a page that contains its records. It is the only array, or it is marked `x-items`,
/// or it is called `items`.
fn records(page: &Record) -> Result<(&Field, &Schema), Unsupported> {
    let place = place(page);
    let arrays = page.fields.iter().filter_map(|field| Some((field, &field.schema.array()?.each)));
    let arrays: Vec<_> = arrays.collect();
    let marked: Vec<_> = arrays.iter().filter(|(field, _)| field.items).collect();
    let found = match (arrays.as_slice(), marked.as_slice()) {
        ([only], _) => Some(only),
        (_, [only]) => Some(*only),
        (several, []) => several.iter().find(|(field, _)| field.wire == "items"),
        _ => None,
    };
    let (field, item) = *found.ok_or_else(|| {
        let (count, marked) = (arrays.len(), if marked.is_empty() { "none" } else { "several" });
        format!("{place}: has {count} arrays, of which `x-items: true` marks {marked}")
    })?;
    if item.nullable {
        return Err(format!("{place} → {}: a listing's records can't be null", field.name));
    }
    Ok((field, item))
}

fn in_query<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|p| p.name == name && p.place == ParameterIn::Query)
}

/// The smallest page that a request can ask for.
fn smallest_page(parameters: &[Parameter]) -> Option<String> {
    let Kind::Integer(limit) = &in_query(parameters, "limit")?.schema.kind else { return None };
    let least = limit.least.unwrap_or(1).max(1);
    let of = limit.multiple_of.unwrap_or(1).max(1);
    let smallest = if limit.known.is_empty() {
        Some(least.saturating_add(of - 1) / of * of)
    } else {
        limit.known.iter().filter(|size| **size >= least && **size % of == 0).min().copied()
    };
    smallest.map(|size| size.to_string())
}

/// The two parameters that filter by `created_at`, by their names or by their marks.
fn time_range(parameters: &[Parameter]) -> Result<Option<TimeRange>, Unsupported> {
    let times =
        || parameters.iter().filter(|p| p.place == ParameterIn::Query && p.schema.is_time());
    let marked = |mark: &str, is: fn(&Parameter) -> bool| {
        let mut marked = times().filter(|p| is(p)).map(|p| &p.name);
        let first = marked.next();
        match marked.next() {
            None => Ok(first),
            Some(other) => Err(format!("query {other} → {mark}: marks another parameter as well")),
        }
    };
    let bound = |suffix: &str| {
        let name = format!("{BY_TIME}.{suffix}");
        times().find(|p| p.name == name).map(|p| &p.name)
    };
    let (begin, end) = MARKS;
    let (begins, ends) =
        (marked(begin, |p| p.created_at_from)?, marked(end, |p| p.created_at_until)?);
    let from = begins.or_else(|| bound("begin")).or_else(|| bound("gte"));
    let inclusive = ends.or_else(|| bound("end")).or_else(|| bound("lte"));
    let (Some(from), Some(until)) = (from, inclusive.or_else(|| bound("lt"))) else {
        let lone = begins.map(|name| (name, begin)).or_else(|| ends.map(|name| (name, end)));
        let lone = lone.map(|(name, mark)| {
            format!("query {name} → {mark}: no parameter is the other end of the time range")
        });
        return lone.map_or(Ok(None), Err);
    };
    Ok(Some(TimeRange {
        from: from.clone(),
        until: until.clone(),
        until_inclusive: inclusive.is_some(),
    }))
}

fn default(parameter: &Parameter) -> Option<&str> {
    parameter.default.as_ref()?.as_str()
}
