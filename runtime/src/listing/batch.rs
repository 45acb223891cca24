//! Collects records into batches, for programs that insert in bulk.

use std::{
    future::poll_fn,
    task::{Context, Poll, ready},
};

use crate::Error;

/// The maximum initial capacity of a batch, in records.
const FIRST_CAPACITY: usize = 1_024;

/// Waits for one record, then adds all records that are ready, up to a total of `max`. If an error
/// follows these records, `keep` stores the error for the next poll. If the stream ends after these
/// records, `keep` is called with `None`.
pub(super) async fn next_batch<S, R>(
    stream: &mut S,
    max: usize,
    poll: impl Fn(&mut S, &mut Context<'_>) -> Poll<Option<Result<R, Error>>>,
    keep: impl Fn(&mut S, Option<Error>),
) -> Option<Result<Vec<R>, Error>> {
    poll_fn(|cx| {
        let Some(first) = ready!(poll(stream, cx)).transpose()? else { return Poll::Ready(None) };
        let mut batch = Vec::with_capacity(max.clamp(1, FIRST_CAPACITY));
        batch.push(first);
        while batch.len() < max
            && let Poll::Ready(next) = poll(stream, cx)
        {
            match next.transpose() {
                Ok(Some(record)) => batch.push(record),
                rest => {
                    keep(stream, rest.err());
                    break;
                }
            }
        }
        Poll::Ready(Some(Ok(batch)))
    })
    .await
}
