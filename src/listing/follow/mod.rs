//! A listing that doesn't end: what is there, then what arrives and what changes.

mod seen;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use chrono::{DateTime, Utc};
use futures_util::Stream;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, Sleep};

use self::seen::{Mark, Seen};
use super::{CURSOR, Items, ORDER, Timed, checkpoint, plan::Plan};
use crate::{Error, call::after};

/// How a listing is followed: how often it is asked for, and how far back.
///
/// ```
/// use std::time::Duration;
///
/// use digital_assets::Follow;
///
/// let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3600));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Follow {
    every: Duration,
    overlap: Duration,
}

impl Follow {
    /// Asks once per interval, counted from the beginning of a round; a round that takes longer is
    /// followed by the next one at once, and rounds that were missed aren't made up for. The overlap
    /// is five minutes unless [`overlap`](Self::overlap) says otherwise.
    pub fn every(interval: Duration) -> Self {
        Self { every: interval, overlap: Duration::from_secs(300) }
    }

    /// How long before the newest record each round begins: as late as a record may become visible
    /// after its `created_at`, and as long as a change to it is still of interest.
    ///
    /// Each round lists the records of that time again: at 1,000 records a page and 20,000 records an
    /// hour, an hour of overlap costs 20 requests per round. An identifier and a hash of each are
    /// kept, in memory and in the [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }
}

/// What has happened to a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<T> {
    /// It has become visible.
    New(T),
    /// It was handed out before, and its content is another now.
    Changed(T),
}

impl<T> Change<T> {
    /// The record, whatever has happened to it.
    pub fn into_inner(self) -> T {
        match self {
            Self::New(record) | Self::Changed(record) => record,
        }
    }
}

/// A listing that is followed, from [`Items::follow`].
///
/// - It hands out what is there, then what arrives, oldest first. A round begins at once, also after
///   [`resume`](Self::resume), and then once per interval.
/// - Each round asks again from the [`overlap`](Follow::overlap) before the newest record so far.
///   Every record that becomes visible within the overlap of its `created_at` is handed out once as
///   [`New`](Change::New), and once as [`Changed`](Change::Changed) for each round that finds other
///   content in it. What becomes visible later than that may be missed; a record that is removed is
///   not reported. The content is what was decoded: a field that this version doesn't know changes
///   nothing.
/// - An error comes out, and the next poll goes on. After an `InvalidRequest` it has ended.
/// - [`checkpoint`](Self::checkpoint) says where it stands, for another process to resume: the same
///   promise holds across restarts, as of the last checkpoint that was kept.
/// - Between rounds it sleeps by tokio's clock; no task is spawned. Dropping the future of
///   [`next`](Self::next) loses nothing.
///
/// A table of deposit addresses that is kept up to date:
///
/// ```no_run
/// use std::{collections::HashMap, time::Duration};
///
/// use digital_assets::{Change, Client, Follow, FollowCheckpoint};
///
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3600));
/// let mut changes = client.list_deposit_addresses().items().follow(follow);
/// if let Ok(kept) = std::fs::read("addresses.checkpoint") {
///     changes = changes.resume(serde_json::from_slice(&kept)?);
/// }
/// let mut table = HashMap::new();
/// while let Some(change) = changes.next().await {
///     match change {
///         Ok(Change::New(address) | Change::Changed(address)) => {
///             table.insert(address.id, address);
///             std::fs::write("addresses.checkpoint", serde_json::to_vec(&changes.checkpoint())?)?;
///         }
///         Err(error) if error.is_retryable() => eprintln!("{error}"),
///         Err(error) => return Err(error.into()),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct Following<T> {
    plan: Result<Plan<T>, Option<Error>>,
    follow: Follow,
    identity: Identity,
    seen: Seen,
    /// The round under way.
    round: Option<Round<T>>,
    /// Until the next one.
    pause: Option<Pin<Box<Sleep>>>,
}

struct Round<T> {
    items: Items<T>,
    began: Instant,
    /// Its first time; none for all there is.
    from: Option<DateTime<Utc>>,
    /// The time that it has come to.
    at: Option<DateTime<Utc>>,
}

/// Where a followed listing stands: of which operation with which filters, and what was handed out
/// within the overlap.
///
/// A serde value of at most 200 bytes for each of those records, as JSON. Made by
/// [`Following::checkpoint`], for [`Following::resume`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowCheckpoint {
    #[serde(flatten)]
    identity: Identity,
    from: Option<DateTime<Utc>>,
    newest: Option<DateTime<Utc>>,
    seen: Vec<Mark>,
}

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    operation: String,
    filters: String,
}

impl<T: Timed> Following<T> {
    pub(super) fn new(plan: Result<Plan<T>, Error>, follow: Follow) -> Self {
        let plan = plan.and_then(oldest_first);
        let identity = plan.as_ref().map(Identity::of).unwrap_or_default();
        Self {
            plan: plan.map_err(Some),
            follow,
            identity,
            seen: Seen::default(),
            round: None,
            pause: None,
        }
    }

    /// Continues where another one stood when its checkpoint was made. Call it before the first
    /// poll. The page size, and the order of a filter's entries, may differ; interval and overlap
    /// may too, a longer overlap being one for later records only.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll, before any request, for a checkpoint of another operation
    /// or other filters, and where this one has begun.
    pub fn resume(mut self, checkpoint: FollowCheckpoint) -> Self {
        let Ok(plan) = &self.plan else { return self };
        let refusal = if self.round.is_some() || self.pause.is_some() {
            "a listing that has begun can't be resumed"
        } else if self.identity != checkpoint.identity {
            "the checkpoint is one of another listing"
        } else {
            let FollowCheckpoint { from, newest, seen, .. } = checkpoint;
            self.seen = Seen::of(from, newest, seen);
            return self;
        };
        self.plan = Err(Some(Error::invalid(refusal).of(plan.start.call.operation)));
        self
    }

    /// Where it stands: after the last change that was handed out. Takes time and memory by the
    /// records within the overlap.
    #[must_use]
    pub fn checkpoint(&self) -> FollowCheckpoint {
        let from = match &self.round {
            Some(round) => round.reached(&self.seen, self.follow.overlap),
            None => self.seen.from(),
        };
        FollowCheckpoint {
            identity: self.identity.clone(),
            from,
            newest: self.seen.newest(),
            seen: self.seen.marks(from),
        }
    }

    /// The next change; it waits for one if need be.
    ///
    /// # Errors
    ///
    /// Those of the calls that ask for pages. `RepeatedCursor` ends the round, not the listing.
    pub async fn next(&mut self) -> Option<Result<Change<T>, Error>> {
        poll_fn(|cx| self.poll_change(cx)).await
    }

    fn poll_change(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Change<T>, Error>>> {
        let plan = match &mut self.plan {
            Ok(plan) => plan,
            Err(error) => return Poll::Ready(error.take().map(Err)),
        };
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            let round = self.round.get_or_insert_with(|| Round::begin(plan, self.seen.from()));
            let record = match ready!(round.items.poll_item(cx)) {
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    if round.items.has_ended() {
                        let reached = round.reached(&self.seen, self.follow.overlap);
                        let due = after_round(round.began, self.follow.every);
                        self.seen.forget_before(reached);
                        self.round = None;
                        self.pause = Some(due);
                    }
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    let from = round.next_from(&self.seen, self.follow.overlap);
                    self.pause = Some(after_round(round.began, self.follow.every));
                    self.seen.forget_before(from);
                    self.round = None;
                    continue;
                }
            };
            round.at = round.at.max(record.created_at());
            let change = self.seen.look(record, round.from);
            self.seen.forget_before(round.surely_passed(&self.seen, self.follow.overlap));
            if let Some(change) = change {
                return Poll::Ready(Some(Ok(change)));
            }
        }
    }
}

impl<T: Timed> Round<T> {
    fn begin(plan: &Plan<T>, from: Option<DateTime<Utc>>) -> Self {
        let items = Items::of(plan.begun(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.set_from(query, from);
            }
        }));
        Self { items, began: Instant::now(), from, at: None }
    }

    /// Where the next round begins when this one is done. A record that has become visible behind
    /// this round's back has done so since it began: what took more than one page reaches back
    /// farther by as long as it took.
    fn next_from(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        let took = if self.items.is_one_page() { Duration::ZERO } else { self.began.elapsed() };
        seen.before_newest(overlap.saturating_add(took))
    }

    /// Where another round would have to begin if this one went no further.
    fn reached(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        self.next_from(seen, overlap).min(self.from.max(self.at)).max(seen.from())
    }

    /// What no later round has to see again, however long this one takes.
    fn surely_passed(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        let bound = seen.before_newest(overlap.saturating_add(self.began.elapsed()));
        bound.min(self.from.max(self.at))
    }
}

impl Identity {
    fn of<T: Timed>(plan: &Plan<T>) -> Self {
        Self {
            operation: plan.start.call.operation.id().to_owned(),
            filters: checkpoint::filters(plan.listing, &plan.start.call),
        }
    }
}

/// The listing in ascending order of time.
///
/// # Errors
///
/// `InvalidRequest` where another order or a cursor was asked for.
fn oldest_first<T: Timed>(mut plan: Plan<T>) -> Result<Plan<T>, Error> {
    let (listing, query) = (plan.listing, &mut plan.start.call.query);
    let order = listing.order.as_ref();
    let refusal = match (order, listing.is_ascending(query)) {
        _ if query.get(CURSOR).is_some() => "a listing that is followed can't begin at page_cursor",
        (Some(order), Some(ascending)) if ascending || query.get(ORDER).is_none() => {
            query.set(ORDER, order.word(true));
            return Ok(plan);
        }
        _ => "a listing is followed in ascending order of created_at alone",
    };
    Err(Error::invalid(refusal).of(plan.start.call.operation))
}

fn after_round(began: Instant, every: Duration) -> Pin<Box<Sleep>> {
    let due = began.checked_add(every).unwrap_or_else(|| after(every));
    Box::pin(tokio::time::sleep_until(due))
}

impl<T: Timed> Stream for Following<T> {
    type Item = Result<Change<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_change(cx)
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("follow", &self.follow).finish_non_exhaustive()
    }
}

/// Without what was handed out: identifiers.
impl fmt::Debug for FollowCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowCheckpoint")
            .field("operation", &self.identity.operation)
            .field("filters", &self.identity.filters)
            .field("records", &self.seen.len())
            .finish_non_exhaustive()
    }
}
