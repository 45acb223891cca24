//! Several records at once, for those who insert in bulk.

use std::task::{Context, Poll, ready};

use crate::Error;

/// The records that a batch reserves memory for at first, however many it may hold.
const FIRST_CAPACITY: usize = 1_024;

/// Records, and the error that came instead of another one.
pub(super) type Batch<R> = (Vec<R>, Option<Error>);

/// Waits for one record, then adds all that are ready, up to `max`.
pub(super) fn poll_batch<R>(
    cx: &mut Context<'_>,
    max: usize,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<Option<Result<R, Error>>>,
) -> Poll<Option<Result<Batch<R>, Error>>> {
    let Some(first) = ready!(poll(cx)).transpose()? else { return Poll::Ready(None) };
    let mut batch = Vec::with_capacity(max.clamp(1, FIRST_CAPACITY));
    batch.push(first);
    while batch.len() < max
        && let Poll::Ready(next) = poll(cx)
    {
        match next {
            Some(Ok(record)) => batch.push(record),
            Some(Err(error)) => return Poll::Ready(Some(Ok((batch, Some(error))))),
            None => break,
        }
    }
    Poll::Ready(Some(Ok((batch, None))))
}
