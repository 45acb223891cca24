//! Followed listings: the existing records, followed by new and changed records.

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

/// The settings of a followed listing: how often the listing is requested, how far back each round
/// of requests reaches, and how often open records are requested again.
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
    /// The interval between the starts of consecutive rounds. `None` means a single round.
    every: Option<Duration>,
    overlap: Duration,
    recheck: Option<Duration>,
}

impl Follow {
    /// Creates settings for one round of requests per `interval`, measured between the starts of
    /// consecutive rounds.
    ///
    /// If a round takes longer than the interval, the next round starts immediately, and any missed
    /// rounds are skipped. `Duration::ZERO` means no pause between rounds. The overlap is five
    /// minutes unless you change it with [`overlap`](Self::overlap).
    pub fn every(interval: Duration) -> Self {
        Self { every: Some(interval), ..Self::once() }
    }

    /// Creates settings for a single round of requests, for example in a program that runs once a
    /// day.
    ///
    /// After that round, [`Following::next`] returns `None`. The overlap is five minutes unless you
    /// change it with [`overlap`](Self::overlap).
    ///
    /// Without a checkpoint, the round returns all existing records. If the listing was
    /// [resumed](Following::resume), the round returns the records that have arrived since the
    /// checkpoint, and the records that have changed. Among records older than the overlap, only
    /// open ones are checked for changes. After an error, the next poll continues the round.
    ///
    /// Take a [`checkpoint`](Following::checkpoint) after the round. The next single round, or a
    /// listing that is followed at an [interval](Self::every), can resume from that checkpoint.
    ///
    /// The service in this example delivers parcels:
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

    /// Sets how far back from the newest record each round reaches.
    ///
    /// Choose the longer of two durations: the longest time that a record may take to become
    /// visible after its `created_at`, and the time for which you need to see changes to a record.
    /// If the service rounds the times in its responses, add the rounding unit, such as one second.
    ///
    /// - If the newest record's `created_at` is later than the service's current time according to
    ///   its `Date` headers, the overlap is counted back from the current time.
    /// - If the clocks of the service's nodes differ, the client uses the slowest clock seen in the
    ///   last ten minutes. Until the node with the slowest clock responds, the effective overlap is
    ///   shorter by the difference between the clocks.
    /// - If a record is listed out of order by more than the overlap, the record is still returned,
    ///   but possibly more than once as `New`. If the record is open, a [recheck](Self::recheck)
    ///   may wrongly treat it as removed. The record may be missed if the round doesn't finish:
    ///   either because a cursor was repeated or rejected, or because the program resumed from a
    ///   checkpoint taken during the round.
    ///
    /// Each round requests records from the time of a known record on. If the response contains
    /// neither that record nor an older record, the client assumes that the service rounds the
    /// bounds of `created_at`. The client then repeats the round, starting up to a day earlier, and
    /// later rounds start earlier by the same margin. If the known record has left the listing,
    /// rounds start a day earlier until the time of another known record can be used.
    ///
    /// Each round lists the records within the overlap again. For example, at 1,000 records per
    /// page and 20,000 new records per hour, an overlap of one hour costs 20 requests per round. If
    /// a round has several pages, the next round reaches back further by the duration of that
    /// round. For each record within the overlap, the client keeps the identifier and a hash, which
    /// take up to 300 bytes in memory, and about 100 bytes in the [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets how often open records that are older than the overlap are requested again. A record is
    /// open if the OpenAPI description marks its state as temporary: a parcel in transit, for
    /// example. The default is once a minute or once per interval, whichever is less frequent.
    /// `Duration::MAX` means never. Rechecks happen between rounds, so they are never more frequent
    /// than rounds. While a recheck reads pages to find an open record, the next round waits.
    ///
    /// A recheck sends one request for each page of the listing that contains open records. For
    /// example, at 1,000 records per page, 1,000 consecutive open records need one request, and an
    /// isolated open record also needs one. To find an open record, the recheck requests the
    /// listing from one second before that record. If neither the open record nor an older record
    /// is listed, the recheck tries again from a minute, then an hour and finally a day before the
    /// open record.
    ///
    /// If two consecutive rechecks don't find a record, the record is forgotten. The two rechecks
    /// may run in different processes. A `tracing` event of level `WARN` reports the number of
    /// forgotten records. An open record takes as much space in memory and in the checkpoint as a
    /// record within the overlap.
    pub fn recheck(self, interval: Duration) -> Self {
        Self { recheck: Some(interval), ..self }
    }

    fn recheck_interval(&self) -> Option<Duration> {
        let recheck = self.recheck.unwrap_or_else(|| self.interval().max(MIN_RECHECK));
        (recheck < Duration::MAX).then_some(recheck)
    }

    /// The time between the starts of two consecutive rounds. If there is only a single round, the
    /// longest pause after an error.
    fn interval(&self) -> Duration {
        self.every.unwrap_or(MAX_PAUSE)
    }

    fn is_once(&self) -> bool {
        self.every.is_none()
    }
}

/// The shortest default interval between two rechecks.
const MIN_RECHECK: Duration = Duration::from_secs(60);
/// The longest pause after an error if there is only a single round.
const MAX_PAUSE: Duration = Duration::from_secs(60);
