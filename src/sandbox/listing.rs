//! From filters to pages: for any filters, the pages together are the matching records, in order.

use std::collections::BTreeSet;

use axum::{http::StatusCode, response::Response};
use uuid::Uuid;

use super::{
    collection::{Slice, Slot},
    cursor::{Cursor, fingerprint},
    data::{Data, Listed},
    fault::Fault,
    parameters::{Parameters, time, uuid},
    problem::{Rejection, ok},
    routes::Call,
    span::Span,
};
use crate::{
    Operation,
    operation::{CURSOR, LIMIT, ORDER, ORDER_BY},
};

/// Section 8 of the specification; a choice for quote executions, where it isn't shown.
const DEFAULT_PAGE_SIZE: u32 = 100;

/// A choice, for a listing whose maximum isn't shown.
const MOST_PER_PAGE: u32 = 10_000;

/// Answers a request for a page.
pub(super) fn list<R: Listed>(call: &Call<'_>) -> Result<Response, Rejection> {
    let data = &call.service.data;
    R::check(data, &call.parameters)?;
    let mut page = Listing::<R>::read(call.operation, &call.parameters)?.page(data, call.fault);
    if call.fault == Some(&Fault::UnknownEnumValue) {
        page.records = page.records.into_iter().map(R::with_unknown_value).collect();
    }
    ok(&R::page(page))
}

/// One page's request.
#[derive(Debug)]
struct Listing<'a, R> {
    filters: Vec<Filter<'a, R>>,
    created_at: Span,
    descending: bool,
    size: u32,
    asked: Option<&'a str>,
    cursor: Option<Cursor>,
    fingerprint: u64,
}

#[derive(Debug)]
struct Filter<'a, R> {
    name: &'static str,
    field: fn(&R) -> Field<'_>,
    /// Each text that was sent, and the identifier that it stands for, if it is one.
    wanted: BTreeSet<Field<'a>>,
}

/// A filter's parameter, and what it compares.
pub(super) type Compared<R> = (&'static str, fn(&R) -> Field<'_>);

/// What a filter compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field<'a> {
    Id(Option<Uuid>),
    Text(Option<&'a str>),
}

#[derive(Debug)]
pub(super) struct Page<R> {
    pub(super) records: Vec<R>,
    pub(super) next: Option<String>,
    pub(super) total: u32,
}

impl<R> Filter<'_, R> {
    fn keeps(&self, record: &R) -> bool {
        self.wanted.contains(&(self.field)(record))
    }
}

impl<'a, R: Listed> Listing<'a, R> {
    fn read(operation: Operation, parameters: &'a Parameters) -> Result<Self, Rejection> {
        let (mut filters, mut created_at) = (Vec::new(), Span::ALL);
        for (name, texts) in parameters.iter() {
            if [CURSOR, LIMIT, ORDER, ORDER_BY].contains(&name) {
                continue;
            }
            let compared = R::FILTERS.iter().find(|(known, _)| *known == name);
            if let Some((_, field)) = compared {
                let ids = texts.iter().filter_map(|text| uuid(text)).map(|id| Field::Id(Some(id)));
                let wanted = texts.iter().map(|text| Field::Text(Some(text))).chain(ids).collect();
                filters.push(Filter { name, field: *field, wanted });
                continue;
            }
            let time = texts.first().and_then(|text| time(text));
            if !time.is_some_and(|time| created_at.narrow(name, time)) {
                let detail = format!("the sandbox has no filter {name}");
                return Err(Rejection::new(StatusCode::NOT_IMPLEMENTED, detail));
            }
        }
        let descending = descending(operation, parameters)?;
        let wanted: Vec<_> = filters.iter().map(|filter| (filter.name, &filter.wanted)).collect();
        let fingerprint = fingerprint(&(operation.id(), wanted, created_at, descending));
        let asked = parameters.get(CURSOR);
        let cursor = asked.map(|text| Cursor::decode(text, fingerprint)).transpose()?;
        let size = match parameters.get(LIMIT).map(str::parse::<u32>) {
            Some(Ok(limit @ 1..)) => limit.min(MOST_PER_PAGE),
            Some(_) => return Err(Rejection::parameter(LIMIT, "limit is at least 1")),
            None => cursor.map_or(DEFAULT_PAGE_SIZE, |cursor| cursor.size.clamp(1, MOST_PER_PAGE)),
        };
        Ok(Self { filters, created_at, descending, size, asked, cursor, fingerprint })
    }

    fn page(self, data: &Data, fault: Option<&Fault>) -> Page<R> {
        let after = self.cursor.and_then(|cursor| cursor.after);
        let slots = R::collection(data).slice(self.created_at, after, self.descending);
        let total = match self.cursor {
            Some(cursor) => cursor.total,
            None if R::COUNTED => self.count(data, slots.clone()),
            None => 0,
        };
        let mut cursor =
            Cursor { after, size: self.size, total, fingerprint: self.fingerprint, empty: 0 };
        if fault == Some(&Fault::EmptyPage) {
            cursor.empty = self.cursor.map_or(0, |cursor| cursor.empty).wrapping_add(1);
            return Page { records: Vec::new(), next: Some(cursor.encode()), total };
        }

        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let (slots, has_more) = if self.descending {
            self.first(size, data, slots.rev())
        } else {
            self.first(size, data, slots)
        };
        cursor.after = slots.last().map(|slot| R::collection(data).position_of(slot)).or(after);
        let next = has_more.then(|| cursor.encode());
        let records = slots.iter().map(|slot| data.record(slot)).collect();
        match fault {
            Some(Fault::RepeatedCursor) => {
                Page { records, next: self.asked.map(str::to_owned).or(next), total }
            }
            _ => Page { records, next, total },
        }
    }

    /// The first matches, and whether there are more.
    fn first(
        &self,
        size: usize,
        data: &Data,
        slots: impl Iterator<Item = Slot<R>>,
    ) -> (Vec<Slot<R>>, bool) {
        let mut matching = slots.filter(|slot| self.matches(data, slot));
        let first = matching.by_ref().take(size).collect();
        (first, matching.next().is_some())
    }

    fn count(&self, data: &Data, slots: Slice<R>) -> u32 {
        let matching = slots.filter(|slot| self.matches(data, slot)).count();
        u32::try_from(matching).unwrap_or(u32::MAX)
    }

    fn matches(&self, data: &Data, slot: &Slot<R>) -> bool {
        let keeps = |record: &R| self.filters.iter().all(|filter| filter.keeps(record));
        match slot {
            Slot::Made(index) => {
                keeps(&R::outline(data, R::collection(data).timeline().number(*index)))
            }
            Slot::Inserted(_, record) => keeps(record),
        }
    }
}

/// Whether the newest records come first. There is one sort key, so naming it has no other effect.
fn descending(operation: Operation, parameters: &Parameters) -> Result<bool, Rejection> {
    let Some(order) = operation.listing().and_then(|listing| listing.order.as_ref()) else {
        return Ok(true);
    };
    let key = order.key.as_ref().map(|key| key.by_time);
    if parameters.get(ORDER_BY).is_some_and(|asked| Some(asked) != key) {
        return Err(Rejection::parameter(ORDER_BY, "order_by is not a known sort key"));
    }
    match parameters.get(ORDER) {
        None => Ok(order.ascending_by_default != Some(true)),
        Some(asked) if asked == order.descending => Ok(true),
        Some(asked) if asked == order.ascending => Ok(false),
        Some(_) => Err(Rejection::parameter(ORDER, "order is not a known sort direction")),
    }
}
