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

use crate::{
    Checkpoint, Error, ErrorKind, Page, Record, Timed,
    listing::filter_chunks,
    listing::merge::{Child, Merge},
    listing::page::Id,
    listing::pager::{Ask, Batch, Walk, ask_batch},
    listing::prefetch::Strand,
    listing::windows::Sweep,
    listing::{self, CURSOR, Start},
    listing::{
        checkpoint::Position,
        resume::{Passed, Skip},
    },
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
    run: Option<Run<T>>,
    skip: Option<Skip>,
    /// The last record that was handed out.
    last: Option<Last>,
}

struct Plan<T> {
    start: Start,
    ask: Ask<Batch<T>>,
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

enum Run<T> {
    One(Child<T>),
    Many(Merge<T>),
    Over,
}

/// Each is a connection, and some systems grant a process no more open files.
const MOST_AT_ONCE: usize = 256;

struct Last {
    created_at: Option<DateTime<Utc>>,
    id: Option<Id>,
}

impl<T: Record> Items<T> {
    pub(crate) fn new<P: Page<Item = T>>(start: Result<Start, Error>) -> Self {
        let plan = start
            .map(|start| Plan {
                start,
                ask: ask_batch::<P>,
                concurrency: 1,
                beginning: OnceLock::new(),
                resumed: None,
            })
            .map_err(|error| Refused { error: Some(error), checkpoint: Checkpoint::nowhere() });
        Self { plan, run: None, skip: None, last: None }
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
                let position = match self.run {
                    None => checkpoint.position_in(plan.beginning()),
                    Some(_) => Err(Error::invalid("a stream that has begun can't be resumed")),
                };
                match position.map_err(|error| error.of(plan.start.operation)) {
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
        let ((cursor, taken), merged) = match &self.run {
            Some(Run::One(child)) => (child.place(), None),
            Some(Run::Many(merge)) => ((None, 0), Some(merge.handed())),
            _ => ((None, 0), None),
        };
        Some(Position {
            cursor: cursor.map(str::to_owned),
            taken,
            created_at: *created_at,
            ids: match merged {
                // With those of the checkpoint before that haven't come again yet.
                Some(handed) => {
                    let unseen = self.skip.iter().flat_map(Skip::unseen);
                    handed.iter().chain(unseen).cloned().collect()
                }
                None => id.iter().map(Id::to_string).collect(),
            },
            merged: merged.is_some(),
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
        let run = if let Some(run) = &mut self.run {
            run
        } else {
            self.skip = plan.skip();
            match plan.run(self.skip.as_ref()) {
                Ok(run) => self.run.insert(run),
                Err(refusal) => {
                    self.end();
                    return Poll::Ready(Some(Err(refusal)));
                }
            }
        };
        loop {
            let record = match ready!(run.poll_record(cx)) {
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    if matches!(error.kind(), ErrorKind::RepeatedCursor | ErrorKind::InvalidRequest)
                    {
                        self.end();
                    }
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    let lost = self.skip.take().is_some_and(|skip| !skip.is_done());
                    let operation = plan.start.operation;
                    return Poll::Ready(lost.then(|| Err(Skip::lost().of(operation))));
                }
            };
            if let Some(skip) = &mut self.skip {
                match skip.look(&record) {
                    Ok(Passed::Over) => continue,
                    Ok(Passed::Out) => {}
                    Ok(Passed::Through) => self.skip = None,
                    Err(error) => {
                        let error = error.of(plan.start.operation);
                        self.end();
                        return Poll::Ready(Some(Err(error)));
                    }
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
        (self.run, self.skip, self.last) = (Some(Run::Over), None, None);
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
        let Start { operation, request, .. } = &self.start;
        self.beginning.get_or_init(|| Checkpoint::new(*operation, request.url()))
    }

    fn is_ascending(&self) -> Option<bool> {
        self.start.operation.listing()?.is_ascending(self.start.request.url())
    }

    fn skip(&self) -> Option<Skip> {
        let position = self.resumed.clone()?;
        Some(Skip::new(position, self.is_ascending()))
    }

    fn run(&self, skip: Option<&Skip>) -> Result<Run<T>, Error> {
        let Some(listing) = self.start.operation.listing() else { return Ok(Run::Over) };
        if self.start.nothing {
            return Ok(Run::Over);
        }
        let by_hand = listing::value(self.start.request.url(), CURSOR).is_some();
        let mut parts: Vec<Start> = filter_chunks::parts(listing, &self.start.request)
            .map_err(|error| error.of(self.start.operation))?
            .into_iter()
            .map(|request| Start { request, client: self.start.client.clone(), ..self.start })
            .collect();
        if by_hand && parts.len() > 1 {
            let refusal = "page_cursor can't go with a filter that has to be split";
            return Err(Error::invalid(refusal).of(self.start.operation));
        }
        if let Some(skip) = skip {
            for part in &mut parts {
                skip.begin(part.request.url_mut(), listing);
            }
        }

        let (ascending, concurrency) = (self.is_ascending(), self.concurrency);
        if ascending.is_none() && listing.order.is_some() && parts.len() > 1 {
            let refusal = "a filter that has to be split goes with the order of created_at alone";
            return Err(Error::invalid(refusal).of(self.start.operation));
        }
        let one_by_one = by_hand || ascending.is_none();
        let share = if one_by_one { 1 } else { concurrency / parts.len().max(1) };
        let window = listing.window.as_ref().filter(|_| share > 1);
        let child = |part| match window {
            Some(window) => {
                Child::Sweep(Box::new(Sweep::new(part, self.ask, listing, window, share)))
            }
            None => Child::Strand(Box::new(Strand::new(Walk::new(part, self.ask)))),
        };
        let mut children: Vec<Child<T>> = parts.into_iter().map(child).collect();
        Ok(match children.len() {
            0 | 1 => children.pop().map_or(Run::Over, Run::One),
            _ => Run::Many(Merge::new(children, ascending, concurrency)),
        })
    }
}

impl<T: Record> Run<T> {
    fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        match self {
            Self::One(child) => child.poll_record(cx, true),
            Self::Many(merge) => merge.poll_record(cx),
            Self::Over => Poll::Ready(None),
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
