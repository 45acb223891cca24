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

/// The settings of a followed listing: how often it is requested, and how far back.
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
    /// The interval. `None` means one round.
    every: Option<Duration>,
    overlap: Duration,
    recheck: Option<Duration>,
}

impl Follow {
    /// Makes one round per interval, counted from the start of a round. If a round takes longer,
    /// the next one starts at once, and missed rounds aren't made up for. So `Duration::ZERO` means
    /// without a pause. The overlap is five minutes unless [`overlap`](Self::overlap) sets another
    /// one.
    pub fn every(interval: Duration) -> Self {
        Self { every: Some(interval), ..Self::once() }
    }

    /// Makes one round, and then ends: [`Following::next`] returns `None`. This is for programs
    /// that run once a day. The overlap is five minutes unless [`overlap`](Self::overlap) sets
    /// another one.
    ///
    /// The round returns all existing records. If the listing was [resumed](Following::resume), it
    /// returns the records that are new, late or changed since the checkpoint, and the open ones
    /// that have changed. After an error, the next poll continues the round. The next round, or a
    /// followed listing, can resume from the [`checkpoint`](Following::checkpoint) after the round.
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

    /// Sets how long before the newest record each round starts. Choose at least the time that a
    /// record may take to become visible after its `created_at`, and the time during which changes
    /// to it matter. Add the unit to which the service rounds the times in its responses.
    ///
    /// - If the newest record is later than the service's `Date` headers, rounds count from those
    ///   instead.
    /// - If the service's nodes disagree about the time, the slowest clock seen in the last ten
    ///   minutes is used. Until a slower node responds, the effective overlap is shorter by the
    ///   difference.
    /// - If a record is listed far out of order, it is returned all the same. If it is out of order
    ///   by more than the overlap, it may be returned as `New` more than once, and an open one may
    ///   be mistaken for removed by a [recheck](Self::recheck). If its round ends early, it may be
    ///   missed: after a cursor that is repeated or rejected, or if a program resumes within a
    ///   round.
    ///
    /// Each round starts at a record that is already known. If the response shows neither that
    /// record nor an older one, the service rounds the bounds of `created_at`. The round is then
    /// repeated from up to a day earlier, and later rounds start as early. If the record has left
    /// the listing, rounds start a day earlier until there is another record to start at.
    ///
    /// Each round lists the records of the overlap again: at 1,000 records per page and 20,000
    /// records per hour, an hour of overlap costs 20 requests per round. If a round has several
    /// pages, the next one starts earlier by the duration of the round. The identifier and a hash
    /// of each record are kept: 200 to 300 bytes in memory, and about 100 in the
    /// [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets how often open records that are older than the overlap are requested again. A record is
    /// open if the description marks its state as one that it leaves, such as a parcel in transit.
    /// The default is once a minute or once per interval, whichever is longer. `Duration::MAX`
    /// means never. A recheck happens between rounds, so not more often than rounds. The next round
    /// waits for the pages that a recheck reads up to an open record.
    ///
    /// A recheck sends one request for each page of the listing that contains open records: one for
    /// 1,000 that follow each other, and one for each that is alone. If an open record is no longer
    /// listed, the recheck lists from a second, a minute, an hour and finally a day before it,
    /// until the response shows that it started early enough. If two rechecks in a row don't list a
    /// record, in whatever process, it is forgotten. A `tracing` event of level `WARN` reports the
    /// number of such records. An open record is kept like a record within the overlap.
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

/// The shortest default interval between two rechecks.
const MIN_RECHECK: Duration = Duration::from_secs(60);
/// The longest pause after an error of a single round.
const MAX_PAUSE: Duration = Duration::from_secs(60);
