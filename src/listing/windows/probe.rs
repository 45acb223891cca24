//! Starts a windowed listing: its first page, and the last record from the other end.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use futures_util::future::{Either, select};

use super::{time_key::key_of, window::Mark, window_set::WindowSet};
use crate::{
    Error, Operation, Record,
    listing::pager::{PageRecords, Pager},
};

/// A probe after one try.
pub(super) type Probed<T> = (Probe<T>, Result<(), Error>);

pub(super) struct Probe<T> {
    ascending: bool,
    first: Pager<PageRecords<T>>,
    records: Option<Vec<T>>,
    /// Whether the first page has arrived and isn't in the order of its times.
    is_out_of_order: Arc<AtomicBool>,
    /// The listing in the opposite order.
    reverse: Pager<PageRecords<T>>,
    /// The last record. `None` if there is none.
    end: Poll<Option<Mark>>,
}

impl<T: Record> Probe<T> {
    pub(super) fn new(
        first: Pager<PageRecords<T>>,
        reverse: Pager<PageRecords<T>>,
        ascending: bool,
    ) -> Self {
        Self {
            ascending,
            first,
            records: None,
            is_out_of_order: Arc::default(),
            reverse,
            end: Poll::Pending,
        }
    }

    /// Tells whoever waits for the last record what the first page has shown.
    pub(super) fn is_out_of_order(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_out_of_order)
    }

    /// Sends the requests that haven't been answered yet, both at once.
    pub(super) async fn ask(mut self) -> Probed<T> {
        let Self { ascending, first, records, is_out_of_order, reverse, end } = &mut self;
        let first = async {
            if records.is_none() {
                let page = first.page().await.transpose()?;
                let page = page.map_or_else(Vec::new, |page| page.records);
                let keys = page.iter().filter_map(|record| key_of(record, *ascending));
                is_out_of_order.store(!keys.is_sorted(), Ordering::Relaxed);
                *records = Some(page);
            }
            Ok(first.has_more())
        };
        let last = async {
            if end.is_pending() {
                *end = Poll::Ready(last_mark(reverse, *ascending).await?);
            }
            Ok(())
        };
        let result = match select(pin!(first), pin!(last)).await {
            Either::Left((Ok(true), last)) => last.await,
            Either::Left((Ok(false), _)) => Ok(()),
            Either::Left((Err(error), last)) => {
                // What is still in flight ends with it: an outage is one error.
                drop(last.await);
                Err(error)
            }
            Either::Right((last, first)) => match first.await {
                Ok(true) => last,
                first => first.map(drop),
            },
        };
        (self, result)
    }

    pub(super) fn into_window_set(self, most: usize) -> WindowSet<T> {
        let records = self.records.unwrap_or_default();
        let end = match self.end {
            Poll::Ready(end) => end,
            // The first page is the whole listing.
            Poll::Pending => None,
        };
        // If the first page goes on behind it, the service doesn't list in the order asked for.
        let last = records.last().and_then(|last| key_of(last, self.ascending));
        let goes_on = |end: &Mark| {
            last > Some(end.key) && records.iter().any(|record| end.is(record, self.ascending))
        };
        let end = end.filter(|end| !goes_on(end));
        WindowSet::new(self.first, records, end, self.ascending, most)
    }
}

/// `None` if the listing is empty or the record has no time or no identifier.
async fn last_mark<T: Record>(
    reverse: &mut Pager<PageRecords<T>>,
    ascending: bool,
) -> Result<Option<Mark>, Error> {
    while let Some(page) = reverse.page().await {
        match page {
            Ok(page) if page.records.is_empty() => {}
            Ok(page) => return Ok(page.records.first().and_then(|last| Mark::of(last, ascending))),
            Err(error) if error.is_retryable() => return Err(error),
            Err(error) => {
                let operation = error.operation().map(Operation::id);
                tracing::warn!(operation, %error, "no last record: asking one page at a time");
                return Ok(None);
            }
        }
    }
    Ok(None)
}
