//! A listing that doesn't end: the existing records, then new and changed ones.

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

/// The settings of a followed listing: how often the listing is requested, and how far back each
/// round reaches.
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
    /// The interval between the starts of two rounds. `None` means a single round.
    every: Option<Duration>,
    overlap: Duration,
    recheck: Option<Duration>,
}

impl Follow {
    /// Settings for one round per `interval`, measured from the start of one round to the start of
    /// the next. If a round takes longer, the next one starts at once, and the rounds in between
    /// are skipped. `Duration::ZERO` means no pause between rounds. The overlap is five minutes
    /// unless [`overlap`](Self::overlap) sets another one.
    pub fn every(interval: Duration) -> Self {
        Self { every: Some(interval), ..Self::once() }
    }

    /// Settings for a single round, for programs that run once a day, for example. After that
    /// round, [`Following::next`] returns `None`. The overlap is five minutes unless
    /// [`overlap`](Self::overlap) sets another one.
    ///
    /// Without a checkpoint, the round returns all existing records. If the listing was
    /// [resumed](Following::resume), the round returns the records that have arrived since the
    /// checkpoint, and the records that have changed. Among records older than the overlap, only
    /// open ones are checked for changes. After an error, the next poll continues the round.
    ///
    /// Take a [`checkpoint`](Following::checkpoint) after the round. The next single round, or a
    /// listing that is followed at an [interval](Self::every), can resume from that checkpoint.
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

    /// Sets how far back from the newest record each round reaches. Choose the longer of these two
    /// times: how long a record may take to become visible after its `created_at`, and how long
    /// changes to a record matter. Add the unit to which the service rounds the times in its
    /// responses.
    ///
    /// - If the newest record is later than the service's current time according to its `Date`
    ///   headers, the overlap is counted back from the current time.
    /// - If the service's nodes disagree about the time, the slowest clock seen in the last ten
    ///   minutes is used. Until a slower node responds, the effective overlap is shorter by the
    ///   difference.
    /// - If a record is listed out of order by more than the overlap, it is still returned, but
    ///   maybe more than once as `New`. If the record is open, a [recheck](Self::recheck) may
    ///   mistake it for removed. The record may be missed if the round ends early, because a cursor
    ///   was repeated or rejected, or because the program resumed from a checkpoint taken during
    ///   the round.
    ///
    /// Each round starts at the time of a known record. If the response contains neither that
    /// record nor an older one, the client assumes that the service rounds the bounds of
    /// `created_at`. The round is then repeated from up to a day earlier, and later rounds start
    /// equally early. If the record has left the listing, rounds start a day earlier until there is
    /// another record to start at.
    ///
    /// Each round lists the records within the overlap again: at 1,000 records per page and 20,000
    /// records per hour, an hour of overlap costs 20 requests per round. If a round has several
    /// pages, the next round starts earlier by the duration of that round. For each record within
    /// the overlap, the identifier and a hash are kept: 200 to 300 bytes in memory, and about 100
    /// bytes in the [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets how often open records that are older than the overlap are requested again. A record is
    /// open if the OpenAPI description marks its state as temporary: a parcel in transit, for
    /// example. The default is once a minute or once per interval, whichever is longer.
    /// `Duration::MAX` means never. Rechecks happen between rounds, so they are never more frequent
    /// than rounds. While a recheck reads pages to find an open record, the next round waits.
    ///
    /// A recheck sends one request for each page of the listing that contains open records. For
    /// example, 1,000 consecutive open records need one request, and each isolated open record
    /// needs one. If an open record is no longer listed, the recheck requests the records from a
    /// second, then a minute, an hour and finally a day before it, until the response contains an
    /// older record.
    ///
    /// If two consecutive rechecks don't find a record, even in different processes, the record is
    /// forgotten. A `tracing` event of level `WARN` reports the number of such records. An open
    /// record takes as much space in memory and in the checkpoint as a record within the overlap.
    pub fn recheck(self, interval: Duration) -> Self {
        Self { recheck: Some(interval), ..self }
    }

    fn recheck_interval(&self) -> Option<Duration> {
        let recheck = self.recheck.unwrap_or_else(|| self.interval().max(MIN_RECHECK));
        (recheck < Duration::MAX).then_some(recheck)
    }

    /// The time between the starts of two rounds. For a single round, the longest pause after an
    /// error.
    fn interval(&self) -> Duration {
        self.every.unwrap_or(MAX_PAUSE)
    }

    fn is_once(&self) -> bool {
        self.every.is_none()
    }
}

/// The shortest default interval between two rechecks.
const MIN_RECHECK: Duration = Duration::from_secs(60);
/// The longest pause after an error in a single round.
const MAX_PAUSE: Duration = Duration::from_secs(60);
