//! A listing that doesn't end: what is there, then what arrives and what changes.

mod change;
pub use change::Change;
mod checkpoint;
pub use checkpoint::FollowCheckpoint;
mod following;
pub use following::Following;
mod polling;
mod recheck;
mod round;
mod seen;

use std::time::Duration;

/// How a listing is followed: how often it is requested, and how far back.
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::Follow;
/// let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3600));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Follow {
    /// `None` is one round.
    every: Option<Duration>,
    overlap: Duration,
    recheck: Option<Duration>,
}

impl Follow {
    /// Asks once per interval, counted from the beginning of a round; a round that takes longer is
    /// followed by the next one at once, so that `Duration::ZERO` asks without a pause, and rounds that were
    /// missed aren't made up for. The overlap
    /// is five minutes unless [`overlap`](Self::overlap) says otherwise.
    pub fn every(interval: Duration) -> Self {
        Self { every: Some(interval), ..Self::once() }
    }

    /// Makes one round, and then ends: [`Following::next`] returns `None`. This is for programs that run
    /// once a day. The overlap is five minutes unless [`overlap`](Self::overlap) says otherwise.
    ///
    /// The round returns all existing records. If the listing was [resumed](Following::resume), it returns
    /// the records that are new, late or changed since the checkpoint, and the open ones that have
    /// changed. After an error, the next poll goes on with the round. The
    /// [`checkpoint`](Following::checkpoint) after the round can be resumed by the next one, and by a listing
    /// that is followed.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # use oas_client::{Error, Follow, FollowCheckpoint};
    /// # use second::Client;
    /// # async fn daily(client: Client, kept: Option<FollowCheckpoint>) -> Result<FollowCheckpoint, Error> {
    /// let round = Follow::once().overlap(Duration::from_secs(24 * 3600));
    /// let mut changes = client.list_parcels().items().follow(round);
    /// if let Some(kept) = kept {
    ///     changes = changes.resume(kept);
    /// }
    /// while let Some(change) = changes.next().await {
    ///     println!("{:?}", change?);
    /// }
    /// Ok(changes.checkpoint())
    /// # }
    /// ```
    pub fn once() -> Self {
        Self { every: None, overlap: Duration::from_secs(300), recheck: None }
    }

    /// How long before the newest record each round begins: at least as long as a record may take to
    /// become visible after its `created_at`, and as long as a change to it is still of interest. If
    /// the newest record is dated ahead of the service's `Date` headers, rounds count from those instead.
    /// If the clocks of a service's nodes differ, the slowest one that answered within the last ten minutes
    /// counts. Until a slower one answers, the overlap is shorter by the difference.
    ///
    /// A record that a round lists comes, however far it stands behind its time. One that stands farther
    /// behind than the overlap may come as `New` more than once. It may be missed where a round ends
    /// early: after a cursor that is repeated or refused, and in a program that resumes in the midst of one.
    /// If it is open, a [recheck](Self::recheck) may take it for gone.
    ///
    /// Add the unit to which the service rounds the times in its answers. Each round begins at a known
    /// record: one that lists neither it nor an older one is made again, up to a day farther back, and so are
    /// those that follow, since such a service rounds the bounds of `created_at`. If the record has left the
    /// listing, rounds ask a day farther back until there is another one to begin at.
    ///
    /// Each round lists the records of that time again: at 1,000 records a page and 20,000 records an
    /// hour, an hour of overlap costs 20 requests per round. A round of several pages makes the next
    /// begin earlier by as long as it took. An identifier and a hash of each record are kept, in
    /// memory and in the [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// How often the open records that are older than the overlap are asked for again, however old
    /// they are: those whose state the description marks as one that they leave, such as a parcel in
    /// transit. Once a minute or once per interval, whichever is longer, unless this says
    /// otherwise, but no more often than there are rounds; never for `Duration::MAX`. It is done between rounds:
    /// the next one waits for the pages that a recheck reads up to an open record.
    ///
    /// A recheck takes a request for each page of the listing that holds open records: one for 1,000
    /// that stand together, and one for each that stands alone. For one that isn't listed any more, it lists
    /// from a second, a minute, an hour and at last a day before it, until it shows that it began early
    /// enough. A record that two rechecks in a row don't list is forgotten, in whatever process; a `tracing`
    /// event of level `WARN` says how many. Of each, some 100 bytes are kept, in memory and in the
    /// [`FollowCheckpoint`].
    pub fn recheck(self, interval: Duration) -> Self {
        Self { recheck: Some(interval), ..self }
    }

    fn recheck_interval(&self) -> Option<Duration> {
        let recheck = self.recheck.unwrap_or_else(|| self.interval().max(MIN_RECHECK));
        (recheck < Duration::MAX).then_some(recheck)
    }

    /// The time between two rounds, or the longest pause of a single one.
    fn interval(&self) -> Duration {
        self.every.unwrap_or(MAX_PAUSE)
    }

    fn is_once(&self) -> bool {
        self.every.is_none()
    }
}

/// How often open records are asked for again at most, unless the user says otherwise.
const MIN_RECHECK: Duration = Duration::from_secs(60);
/// The longest pause after an error of a single round.
const MAX_PAUSE: Duration = Duration::from_secs(60);
