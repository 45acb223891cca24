//! From filters to pages: whatever is asked, the pages together are the matching records in order.

use std::{hash::Hash, ops::Range};

use axum::{body::Body, http::StatusCode, response::Response};
use serde::Serialize;

use super::{
    cursor::{Cursor, fingerprint},
    data::Data,
    fault::Fault,
    parameters::Parameters,
    problem::{Refusal, answer},
};
use crate::{Operation, types::Order};

/// Section 8 of the specification; a choice for quote executions, where it isn't shown.
const DEFAULT_PAGE_SIZE: u32 = 100;

/// Which records are asked for.
pub(super) trait Filter: Hash {
    type Record;

    const OPERATION: Operation;

    /// How many records a page may have, and what becomes of a larger `limit`.
    const MOST: Most;

    /// Whether the first page counts all records that match.
    const COUNTED: bool = false;

    /// Whether `limit` may be repeated beside a cursor.
    const LIMIT_BESIDE_CURSOR: bool = true;

    /// The records that the span of time leaves, all others being out of question.
    fn indices(&self, data: &Data) -> Range<u64>;

    fn matches(&self, data: &Data, index: u64) -> bool;

    fn record(data: &Data, index: u64) -> Self::Record;
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Most {
    /// A larger limit is refused.
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
    /// Reads what all listings have in common, and refuses what none of them knows.
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
        let range = self.filter.indices(data);
        let total = self.cursor.map_or_else(|| self.count(data, &range), |cursor| cursor.total);
        let first = if self.descending { range.end.saturating_sub(1) } else { range.start };
        let start = self.cursor.map_or(first, |cursor| cursor.next);

        let (records, next) = match fault {
            Some(Fault::EmptyPage) => (Vec::new(), Some(start)),
            _ if self.descending => {
                let end = range.end.min(start.saturating_add(1));
                self.records(data, (range.start..end).rev())
            }
            _ => self.records(data, range.start.max(start)..range.end),
        };
        let (size, fingerprint) = (self.size, self.fingerprint);
        let empty = match fault {
            Some(Fault::EmptyPage) => self.cursor.map_or(0, |cursor| cursor.empty) + 1,
            _ => 0,
        };
        let next = next.map(|next| Cursor { next, size, total, fingerprint, empty }.encode());
        match fault {
            Some(Fault::RepeatedCursor) => Page { records, next: self.asked.or(next), total },
            _ => Page { records, next, total },
        }
    }

    /// One page of records, and the index of the record behind it.
    fn records(
        &self,
        data: &Data,
        indices: impl Iterator<Item = u64>,
    ) -> (Vec<F::Record>, Option<u64>) {
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let mut matching = indices.filter(|&index| self.filter.matches(data, index));
        let mut records = Vec::new();
        records.extend(matching.by_ref().take(size).map(|index| F::record(data, index)));
        (records, matching.next())
    }

    fn count(&self, data: &Data, range: &Range<u64>) -> u32 {
        if !F::COUNTED {
            return 0;
        }
        let matching = range.clone().filter(|&index| self.filter.matches(data, index)).count();
        u32::try_from(matching).unwrap_or(u32::MAX)
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
