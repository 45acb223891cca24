//! Every record of a listing, as a stream: one request after the other, or many at once.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::OnceLock,
    task::{Context, Poll, ready},
};

use chrono::{DateTime, Utc};
use futures_util::Stream;

use super::{
    CURSOR, Checkpoint, Id, Listing, Page, Record, Timed,
    checkpoint::Position,
    filter_chunks,
    merge::Merge,
    pager::{Batch, Fetch, Pager, fetch_batch},
    prefetch::Prefetch,
    resume::{Resume, Step},
    source::Source,
    windows::Windows,
};
use crate::{
    Error, ErrorKind,
    call::{Call, Start},
};

/// Every record of a listing, from `items()` of a builder.
///
/// - It goes from page to page as [`Pages`](crate::Pages) does. While the records of one page are
///   handed out the next is already being fetched, from the second record on, by the stream
///   itself: no task is spawned, and dropping the stream stops all.
/// - A filter array with more entries than one request may carry is split over several requests,
///   without duplicates, and so that no URL is longer than 7,000 bytes, 500 of them for cursor
///   and times, unless a single entry is; their records, those that match any of the entries, are
///   merged in the asked-for order. To merge, a page of each is held. What would need more than 10,000 is an `InvalidRequest` at the
///   first poll; several long filters together need the product of what each needs.
/// - While nobody polls it nothing of it goes on: a page under way when its consumer pauses for
///   longer than `call_timeout` may come back as a `Timeout`, and is asked for again at the next
///   poll.
/// - After an error it can be polled again, and goes on where it was; after `RepeatedCursor`, and
///   after an `InvalidRequest`, it has ended.
/// - [`checkpoint`](Self::checkpoint) says where it stands, for another process to
///   [`resume`](Self::resume).
#[must_use = "streams do nothing unless polled"]
pub struct Items<T> {
    plan: Result<Plan<T>, Refused>,
    source: Option<Box<dyn Source<T>>>,
    ended: bool,
    resume: Option<Resume>,
    /// The last record that was handed out.
    last: Option<Last>,
}

struct Plan<T> {
    listing: &'static Listing,
    start: Start,
    fetch: Fetch<Batch<T>>,
    concurrency: usize,
    /// Made when it is asked for: a long filter takes its time.
    beginning: OnceLock<Checkpoint>,
    resumed: Option<Position>,
}

/// What can't begin, and hands back the checkpoint that it was to go on from.
struct Refused {
    error: Option<Error>,
    checkpoint: Checkpoint,
}

struct Last {
    created_at: Option<DateTime<Utc>>,
    id: Option<Id>,
}

/// Each is a connection, and some systems grant a process no more open files.
const MOST_AT_ONCE: usize = 256;

impl<T: Record> Items<T> {
    pub(crate) fn new<P: Page<Item = T>>(
        listing: &'static Listing,
        start: Result<Start, Error>,
    ) -> Self {
        let plan = start
            .map(|start| Plan {
                listing,
                start,
                fetch: fetch_batch::<P>,
                concurrency: 1,
                beginning: OnceLock::new(),
                resumed: None,
            })
            .map_err(|error| Refused { error: Some(error), checkpoint: Checkpoint::nowhere() });
        Self { plan, source: None, ended: false, resume: None, last: None }
    }

    /// Goes on behind the last record that was handed out before the checkpoint was made. To be
    /// called before the first poll.
    ///
    /// One that was made with other filters, or of another operation, is an `InvalidRequest` at
    /// the first poll, before any request. So is one whose record isn't listed any more, and can't
    /// be told from what followed it; that is known only when the records of its time have come.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        match &mut self.plan {
            Ok(plan) => {
                let position = match (&self.source, self.ended) {
                    (None, false) => checkpoint.position_in(plan.beginning()),
                    _ => Err(Error::invalid("a stream that has begun can't be resumed")),
                };
                match position.map_err(|error| error.of(plan.start.call.operation)) {
                    Ok(position) => plan.resumed = position,
                    Err(error) => self.plan = Err(Refused { error: Some(error), checkpoint }),
                }
            }
            Err(refused) => refused.checkpoint = checkpoint,
        }
        self
    }

    /// Where the listing stands: behind the last record that was handed out.
    ///
    /// To be kept together with what was done with that record, or after it. Of a stream that was
    /// refused to [`resume`](Self::resume) it is the checkpoint that it was given.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        match &self.plan {
            Ok(plan) => plan.beginning().at(self.position(plan)),
            Err(refused) => refused.checkpoint.clone(),
        }
    }

    fn position(&self, plan: &Plan<T>) -> Option<Position> {
        let Some(Last { created_at, id }) = &self.last else { return plan.resumed.clone() };
        let place = self.source.as_ref().map(|source| source.place()).unwrap_or_default();
        Some(Position {
            cursor: place.cursor.map(str::to_owned),
            taken: place.taken,
            created_at: *created_at,
            ids: match place.handed {
                // With those of the checkpoint before that haven't come again yet.
                Some(handed) => {
                    let unseen = self.resume.iter().flat_map(Resume::unseen);
                    handed.iter().chain(unseen).cloned().collect()
                }
                None => id.iter().map(Id::to_string).collect(),
            },
            merged: place.handed.is_some(),
        })
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// Those of the calls that ask for pages, and `RepeatedCursor`, with which it ends.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| self.poll_item(cx)).await
    }

    fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        let plan = match &mut self.plan {
            Ok(plan) => plan,
            Err(refused) => return Poll::Ready(refused.error.take().map(Err)),
        };
        if self.ended {
            return Poll::Ready(None);
        }
        let operation = plan.start.call.operation;
        let source = if let Some(source) = &mut self.source {
            source
        } else {
            self.resume = plan.resume();
            match plan.source(self.resume.as_ref()) {
                Ok(Some(source)) => self.source.insert(source),
                Ok(None) => {
                    self.end();
                    return Poll::Ready(None);
                }
                Err(error) => {
                    self.end();
                    return Poll::Ready(Some(Err(error.of(operation))));
                }
            }
        };
        loop {
            let record = match ready!(source.poll_record(cx, true)) {
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    if matches!(error.kind(), ErrorKind::RepeatedCursor | ErrorKind::InvalidRequest)
                    {
                        self.end();
                    }
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    let lost = self.resume.take().is_some_and(|resume| !resume.is_done());
                    return Poll::Ready(lost.then(|| Err(Resume::lost().of(operation))));
                }
            };
            match self.resume.as_mut().map(|resume| resume.look(&record)) {
                Some(Ok(Step::Skip)) => continue,
                Some(Ok(Step::Finished)) => self.resume = None,
                Some(Ok(Step::HandOut)) | None => {}
                Some(Err(error)) => {
                    self.end();
                    return Poll::Ready(Some(Err(error.of(operation))));
                }
            }
            self.last = Some(Last { created_at: record.created_at(), id: record.id() });
            return Poll::Ready(Some(Ok(record)));
        }
    }

    /// Hands out nothing more, and keeps where it stands.
    fn end(&mut self) {
        let position = self.plan.as_ref().ok().and_then(|plan| self.position(plan));
        if let Ok(plan) = &mut self.plan {
            plan.resumed = position;
        }
        (self.source, self.resume, self.last, self.ended) = (None, None, None, true);
    }
}

impl<T: Timed> Items<T> {
    /// Walks windows of time, up to so many requests at once, 256 at most. 0 and 1 are one after
    /// the other. To be called before the first poll.
    ///
    /// It hands out what the walk of one request after the other would: the same records in the
    /// same order, none twice and none missed, however they cluster. Its end is pinned when it
    /// begins, at the last record there is. Memory is bounded by four pages for each request at
    /// once, and `rate_limit` holds for all of them. It takes some more requests than the walk of
    /// one after the other: a few times as many where records come in bursts, or where the service
    /// compares times in a coarser unit than it tells. A service that cuts a bound short, but not the
    /// times that it compares with it, leaves out what is between the two, from windows as from any
    /// filter.
    ///
    /// A listing that begins at a `page_cursor` set by hand has no time to cut at, nor has one that
    /// isn't ordered by `created_at`: they are walked one request after the other. What can't be
    /// filtered by time has no windows at all:
    ///
    /// ```compile_fail,E0599
    /// # fn example(client: digital_assets::Client) {
    /// let addresses = client.list_monitoring_addresses().items().concurrency(4);
    /// # }
    /// ```
    pub fn concurrency(mut self, requests: usize) -> Self {
        if let Ok(plan) = &mut self.plan {
            plan.concurrency = requests.clamp(1, MOST_AT_ONCE);
        }
        self
    }
}

impl<T: Record> Plan<T> {
    fn beginning(&self) -> &Checkpoint {
        self.beginning.get_or_init(|| Checkpoint::new(self.listing, &self.start.call))
    }

    fn is_ascending(&self) -> Option<bool> {
        self.listing.is_ascending(&self.start.call.query)
    }

    fn resume(&self) -> Option<Resume> {
        let position = self.resumed.clone()?;
        Some(Resume::new(position, self.is_ascending()))
    }

    /// Where the records come from; none where there are none.
    fn source(&self, resume: Option<&Resume>) -> Result<Option<Box<dyn Source<T>>>, Error> {
        let (listing, Start { call, is_empty, .. }) = (self.listing, &self.start);
        if *is_empty {
            return Ok(None);
        }
        let by_hand = call.query.get(CURSOR).is_some();
        let mut parts = filter_chunks::parts(listing, call)?;
        if by_hand && parts.len() > 1 {
            return Err(Error::invalid("page_cursor can't go with a filter that has to be split"));
        }
        let ascending = self.is_ascending();
        if ascending.is_none() && listing.order.is_some() && parts.len() > 1 {
            let refusal = "a filter that has to be split goes with the order of created_at alone";
            return Err(Error::invalid(refusal));
        }
        if let Some(resume) = resume {
            for part in &mut parts {
                resume.begin(&mut part.query, listing);
            }
        }

        let one_by_one = by_hand || ascending.is_none();
        let share = if one_by_one { 1 } else { self.concurrency / parts.len().max(1) };
        let mut sources: Vec<_> = parts.into_iter().map(|part| self.part(part, share)).collect();
        Ok(match sources.len() {
            0 | 1 => sources.pop(),
            _ => Some(Box::new(Merge::new(sources, ascending, self.concurrency))),
        })
    }

    fn part(&self, call: Call, concurrency: usize) -> Box<dyn Source<T>> {
        let start = Start { call, ..self.start.clone() };
        match (&self.listing.order, &self.listing.time_range) {
            (Some(order), Some(range)) if concurrency > 1 => {
                Box::new(Windows::new(start, self.fetch, self.listing, order, range, concurrency))
            }
            _ => Box::new(Prefetch::new(Pager::new(start, self.fetch))),
        }
    }
}

impl<T: Record> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_item(cx)
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
