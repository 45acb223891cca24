//! From filters to pages: for any filters, the pages together are the matching records, in order.

use std::hash::Hash;

use axum::{body::Body, http::StatusCode, response::Response};
use serde::Serialize;

use super::{
    cursor::{Cursor, fingerprint},
    data::{Data, Kind},
    fault::Fault,
    parameters::Parameters,
    problem::{Refusal, answer},
    shelf::{Slice, Slot},
    span::Span,
};
use crate::{Operation, types::Order};

/// Section 8 of the specification; a choice for quote executions, where it isn't shown.
const DEFAULT_PAGE_SIZE: u32 = 100;

/// The requested records.
pub(super) trait Filter: Hash {
    type Record: Kind;

    const OPERATION: Operation;

    /// How many records a page may have, and what a larger `limit` does.
    const MOST: Most;

    /// Whether the first page counts all records that match.
    const COUNTED: bool = false;

    /// Whether `limit` may be sent with a cursor.
    const LIMIT_BESIDE_CURSOR: bool = true;

    /// When the records were created.
    fn span(&self) -> Span {
        Span::ALL
    }

    /// Whether it is the record that is made from this number, whose span of time is right.
    fn matches_made(&self, data: &Data, number: u64) -> bool;

    /// Whether it is this record, whose span of time is right.
    fn matches(&self, record: &Self::Record) -> bool;
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Most {
    /// A larger limit is rejected.
    Shown(u32),
    /// A larger limit gets a page of this size.
    Chosen(u32),
}

/// One page's request.
#[derive(Debug)]
pub(super) struct Listing<F> {
    filter: F,
    descending: bool,
    size: u32,
    asked: Option<String>,
    cursor: Option<Cursor>,
    fingerprint: u64,
}

#[derive(Debug)]
pub(super) struct Page<R> {
    pub(super) records: Vec<R>,
    pub(super) next: Option<String>,
    pub(super) total: u32,
}

impl<F: Filter> Listing<F> {
    /// Reads the parameters that all listings have, and rejects unknown ones.
    pub(super) fn read(filter: F, mut parameters: Parameters) -> Result<Self, Refusal> {
        let order = parameters.one("order")?.map_or(Order::Desc, |text| Order::from(&*text));
        if !order.is_known() {
            return Err(Refusal::parameter("order", "order is not a known sort direction"));
        }
        let limit = parameters.number("limit")?;
        let asked = parameters.one("page_cursor")?;
        parameters.finish()?;

        if limit.is_some() && asked.is_some() && !F::LIMIT_BESIDE_CURSOR {
            let detail = "limit must not be used together with page_cursor";
            return Err(Refusal::parameter("limit", detail));
        }
        let descending = order == Order::Desc;
        let fingerprint = fingerprint(&(F::OPERATION.id(), &filter, descending));
        let cursor = asked.as_deref().map(|text| Cursor::decode(text, fingerprint)).transpose()?;
        let size = match limit {
            Some(limit) => F::MOST.page_size(limit)?,
            None => cursor.map_or(DEFAULT_PAGE_SIZE, |cursor| cursor.size),
        };
        Ok(Self { filter, descending, size, asked, cursor, fingerprint })
    }

    pub(super) fn page(self, data: &Data, fault: Option<&Fault>) -> Page<F::Record> {
        let after = self.cursor.and_then(|cursor| cursor.after);
        let slots = F::Record::shelf(data).slice(self.filter.span(), after, self.descending);
        let total = match self.cursor {
            Some(cursor) => cursor.total,
            None if F::COUNTED => self.count(data, slots.clone()),
            None => 0,
        };
        let mut cursor =
            Cursor { after, size: self.size, total, fingerprint: self.fingerprint, empty: 0 };
        if fault == Some(&Fault::EmptyPage) {
            cursor.empty = self.cursor.map_or(0, |cursor| cursor.empty) + 1;
            return Page { records: Vec::new(), next: Some(cursor.encode()), total };
        }

        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let (slots, has_more) = if self.descending {
            self.first(size, data, slots.rev())
        } else {
            self.first(size, data, slots)
        };
        cursor.after = slots.last().map(|slot| F::Record::shelf(data).place_of(slot)).or(after);
        let next = has_more.then(|| cursor.encode());
        let records = slots.iter().map(|slot| data.record(slot)).collect();
        match fault {
            Some(Fault::RepeatedCursor) => Page { records, next: self.asked.or(next), total },
            _ => Page { records, next, total },
        }
    }

    /// The first matches, and whether there are more.
    fn first(
        &self,
        size: usize,
        data: &Data,
        slots: impl Iterator<Item = Slot<F::Record>>,
    ) -> (Vec<Slot<F::Record>>, bool) {
        let mut matching = slots.filter(|slot| self.matches(data, slot));
        let first = matching.by_ref().take(size).collect();
        (first, matching.next().is_some())
    }

    fn count(&self, data: &Data, slots: Slice<F::Record>) -> u32 {
        let matching = slots.filter(|slot| self.matches(data, slot)).count();
        u32::try_from(matching).unwrap_or(u32::MAX)
    }

    fn matches(&self, data: &Data, slot: &Slot<F::Record>) -> bool {
        match slot {
            Slot::Made(index) => {
                let number = F::Record::shelf(data).timeline().number(*index);
                self.filter.matches_made(data, number)
            }
            Slot::Inserted(_, record) => self.filter.matches(record),
        }
    }
}

impl Most {
    fn page_size(self, limit: i32) -> Result<u32, Refusal> {
        let size = match u32::try_from(limit) {
            Ok(0) | Err(_) => return Err(Refusal::parameter("limit", "limit is at least 1")),
            Ok(size) => size,
        };
        match self {
            Self::Shown(most) if size > most => {
                Err(Refusal::parameter("limit", format!("limit is {limit}, at most {most}")))
            }
            Self::Shown(most) | Self::Chosen(most) => Ok(size.min(most)),
        }
    }
}

/// Section 4 of the specification: 200 with JSON.
pub(super) fn ok(body: &impl Serialize) -> Result<Response, Refusal> {
    let refusal =
        |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer can't be written");
    let body = serde_json::to_vec(body).map_err(refusal)?;
    Ok(answer(StatusCode::OK, "application/json", Body::from(body)))
}
