//! Serves the pages of listings. Whatever the filters, the pages together contain exactly the
//! matching records, in order.

use std::{collections::BTreeSet, ops::RangeInclusive};

use axum::{http::StatusCode, response::Response};

use super::{
    collection::Slot,
    cursor::{Cursor, fingerprint},
    data::{Call, Compared, Field, Listed, record},
    fault::Fault,
    parameters::{Parameters, time, uuid},
    problem::{Rejection, ok},
    times::Nanoseconds,
};
use crate::{
    Operation,
    operation::{Listing as Described, Order, OrderKey},
};

/// The page size if the request doesn't specify one.
const DEFAULT_PAGE_SIZE: u32 = 100;

/// The maximum page size. This limit is the sandbox's own; it isn't in the OpenAPI description.
const MAX_PER_PAGE: u32 = 10_000;

/// Carries out a request for a page of a listing.
///
/// # Errors
///
/// A rejection that says why the request is invalid.
pub fn list<R: Listed>(call: &Call<'_, R::Data>) -> Result<Response, Rejection> {
    R::check(call.data, &call.parameters)?;
    Listing::<R>::read(call.operation, &call.parameters)?.page(call.data, call.fault)
}

/// A request for one page of a listing.
struct Listing<'a, R: 'static> {
    /// Each filter with its values from the request. A value that is a UUID is included twice: as a
    /// string and as an identifier.
    filters: Vec<(&'static Compared<R>, BTreeSet<Field<'a>>)>,
    created_at: RangeInclusive<Nanoseconds>,
    descending: bool,
    /// The cursor from the request. `None` for the first page.
    asked: Option<&'a str>,
    /// The decoded cursor. The page starts after the cursor's position.
    cursor: Cursor,
}

impl<'a, R: Listed> Listing<'a, R> {
    fn read(operation: Operation, parameters: &'a Parameters) -> Result<Self, Rejection> {
        let described = operation.listing().ok_or_else(|| {
            let detail = format!("{operation} isn't a listing in the OpenAPI description");
            Rejection::new(StatusCode::NOT_IMPLEMENTED, detail)
        })?;
        let mut filters = Vec::new();
        let (mut first, mut last) = (Nanoseconds::MIN, Nanoseconds::MAX);
        for (name, texts) in parameters.iter() {
            if let Some(filter) = R::FILTERS.iter().find(|(known, _)| *known == name) {
                let ids = texts.iter().filter_map(|text| uuid(text)).map(|id| Field::Id(Some(id)));
                let wanted = texts.iter().map(|text| Field::Text(Some(text))).chain(ids).collect();
                filters.push((filter, wanted));
            } else if let Some(span) = texts.first().and_then(|it| span(described, name, time(it)?))
            {
                (first, last) = (first.max(*span.start()), last.min(*span.end()));
            } else if !is_of_paging(described, name) {
                let detail = format!("the sandbox doesn't support the filter {name}");
                return Err(Rejection::new(StatusCode::NOT_IMPLEMENTED, detail));
            }
        }
        let descending = descending(described, parameters)?;
        let wanted: Vec<_> = filters.iter().map(|((name, _), wanted)| (*name, wanted)).collect();
        let fingerprint = fingerprint(&(operation.id(), wanted, first, last, descending));
        let asked = parameters.get(described.cursor);
        let mut cursor = match asked {
            Some(text) => Cursor::decode(described.cursor, text, fingerprint)?,
            None => {
                Cursor { after: None, size: DEFAULT_PAGE_SIZE, total: 0, fingerprint, empty: 0 }
            }
        };
        let size = described.size.as_ref().map(|size| size.parameter);
        let asked_size = size.and_then(|size| Some((size, parameters.get(size)?)));
        cursor.size = match asked_size.map(|(size, asked)| (size, asked.parse::<u32>())) {
            Some((_, Ok(asked @ 1..))) => asked.min(MAX_PER_PAGE),
            Some((size, _)) => {
                return Err(Rejection::parameter(size, format!("{size} must be at least 1")));
            }
            None => cursor.size.clamp(1, MAX_PER_PAGE),
        };
        Ok(Self { filters, created_at: first..=last, descending, asked, cursor })
    }

    fn page(self, data: &R::Data, fault: Option<&Fault>) -> Result<Response, Rejection> {
        let mut next = self.cursor;
        if R::COUNTED && self.asked.is_none() {
            next.total = u32::try_from(self.matching(data).count()).unwrap_or(u32::MAX);
        }
        let total = next.total;
        if fault == Some(&Fault::EmptyPage) {
            next.empty = next.empty.wrapping_add(1);
            return ok(&R::page(Vec::new(), Some(next.encode()), total));
        }

        let size = usize::try_from(next.size).unwrap_or(usize::MAX);
        let mut slots: Vec<_> = self.matching(data).take(size + 1).collect();
        let has_more = slots.len() > size;
        slots.truncate(size);
        next.empty = 0;
        next.after = slots.last().map(|it| R::collection(data).position_of(it)).or(next.after);
        let mut records: Vec<_> = slots.iter().map(|slot| record(data, slot)).collect();
        if fault == Some(&Fault::UnknownEnumValue) {
            records = records.into_iter().map(R::with_unknown_value).collect();
        }
        let repeated = self.asked.filter(|_| fault == Some(&Fault::RepeatedCursor));
        let next = repeated.map(str::to_owned).or_else(|| has_more.then(|| next.encode()));
        ok(&R::page(records, next, total))
    }

    /// Returns the records that match the filters and come after the cursor, in the listing's
    /// order.
    fn matching(&self, data: &R::Data) -> impl Iterator<Item = Slot<R>> {
        let records = R::collection(data);
        let slots = records.slice(&self.created_at, self.cursor.after, self.descending);
        let slots: Box<dyn Iterator<Item = _>> =
            if self.descending { Box::new(slots.rev()) } else { Box::new(slots) };
        slots.filter(|slot| match slot {
            Slot::Made(index) => self.keeps(&R::outline(data, records.timeline.number(*index))),
            Slot::Inserted(_, record) => self.keeps(record),
        })
    }

    fn keeps(&self, record: &R) -> bool {
        self.filters.iter().all(|((_, field), wanted)| wanted.contains(&field(record)))
    }
}

/// Returns whether a parameter of a listing controls the pages or the order, and is therefore not a
/// filter.
fn is_of_paging(described: &Described, name: &str) -> bool {
    let size = described.size.as_ref().map(|size| size.parameter);
    let order = described.order.as_ref();
    let key = order.and_then(|order| order.key.as_ref());
    let known = [size, order.map(|order| order.parameter), key.map(|key| key.parameter)];
    described.cursor == name || known.contains(&Some(name))
}

/// Returns the range of times that match a time filter, or `None` if the parameter isn't a time
/// filter. There are two kinds of time filters:
///
/// - The two bounds of the time range that the OpenAPI description declares. They can have any
///   names.
/// - Filters whose name consists of the time property and a comparison, such as `created_at.gte`.
fn span(
    described: &Described,
    filter: &str,
    time: Nanoseconds,
) -> Option<RangeInclusive<Nanoseconds>> {
    let range = described.time_range.as_ref();
    if range.is_some_and(|range| range.from == filter) {
        return Some(time..=Nanoseconds::MAX);
    }
    if let Some(range) = range.filter(|range| range.until == filter) {
        return Some(Nanoseconds::MIN..=time - Nanoseconds::from(!range.until_inclusive));
    }
    match filter.strip_prefix(described.time?)?.trim_start_matches(['.', '_']) {
        "begin" | "gte" => Some(time..=Nanoseconds::MAX),
        "end" | "lte" => Some(Nanoseconds::MIN..=time),
        "gt" => Some(time + 1..=Nanoseconds::MAX),
        "lt" => Some(Nanoseconds::MIN..=time - 1),
        "eq" => Some(time..=time),
        _ => None,
    }
}

/// Returns whether the newest records come first. Rejects every sort key except the creation time.
fn descending(described: &Described, parameters: &Parameters) -> Result<bool, Rejection> {
    let Some(order) = &described.order else { return Ok(true) };
    if let Some(OrderKey { parameter, by_time, .. }) = &order.key
        && parameters.get(parameter).is_some_and(|asked| asked != *by_time)
    {
        let detail = format!("{parameter} does not name a known sort key");
        return Err(Rejection::parameter(parameter, detail));
    }
    let Order { parameter, ascending, descending, .. } = order;
    match parameters.get(parameter) {
        None => Ok(order.ascending_by_default != Some(true)),
        Some(asked) if asked == *descending => Ok(true),
        Some(asked) if asked == *ascending => Ok(false),
        Some(_) => {
            let detail = format!("{parameter} does not name a known sort direction");
            Err(Rejection::parameter(parameter, detail))
        }
    }
}
