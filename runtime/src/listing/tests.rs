//! Helpers for testing listings.

use std::future::poll_fn;

use chrono::{DateTime, Utc};
use virtual_service::{Endpoint, URL};

use super::{Id, Record, record_source::RecordSource, sealed};
use crate::{
    Error, Operation, Retry,
    call::{Call, PreparedCall, Query},
    fixture,
};

/// A record with an optional identifier and an optional creation time, in seconds since 1970.
pub(super) struct Entry(pub Option<&'static str>, pub Option<i64>);

impl sealed::Record for Entry {}

impl Record for Entry {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        self.1.and_then(|second| DateTime::from_timestamp(second, 0))
    }

    fn id(&self) -> Option<Id> {
        self.0.map(Id::from)
    }
}

/// Waits for the next record of a source, and takes it.
pub(super) async fn next<T>(source: &mut impl RecordSource<T>) -> Option<Result<T, Error>> {
    let polled = poll_fn(|cx| source.poll_front(cx, true)).await;
    polled.map(|_| source.take_front()).transpose()
}

/// The first call of a listing in ascending order, with `page` records per page.
pub(super) fn start(endpoint: Endpoint, operation: Operation, page: usize) -> PreparedCall {
    let client = fixture::client(URL).bearer_token("word").retry(Retry::none());
    let sender = client.http_service(endpoint).build().unwrap().sender;
    let mut query = Query::default();
    query.set("order", "ASC");
    query.set("limit", page.to_string());
    let (path, headers) = (operation.path().to_owned(), Vec::new());
    let call = Call { operation, path, query, headers, body: None };
    PreparedCall { sender, call, is_empty: false }
}
