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

/// The settings of a followed listing: how often the listing is requested, and from how far back.
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
    /// Settings for one round per interval. The interval counts from the start of a round. If a
    /// round takes longer, the next one starts at once, and missed rounds aren't made up for. So
    /// `Duration::ZERO` means no pause between rounds. The overlap is five minutes unless
    /// [`overlap`](Self::overlap) sets another one.
    pub fn every(interval: Duration) -> Self {
        Self { every: Some(interval), ..Self::once() }
    }

    /// Settings for a single round. After that round, [`Following::next`] returns `None`. This is
    /// for programs that run once a day. The overlap is five minutes unless
    /// [`overlap`](Self::overlap) sets another one.
    ///
    /// The round returns all existing records. If the listing was [resumed](Following::resume), it
    /// returns the records that arrived since the checkpoint, and those that have changed: of
    /// records older than the overlap, only the open ones. After an error, the next poll continues the round. Take a
    /// [`checkpoint`](Following::checkpoint) after the round. The next single round, or a listing
    /// that is followed at an [interval](Self::every), can resume from that checkpoint.
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
    /// - If the newest record is later than the service's current time according to its `Date`
    ///   headers, the overlap is counted back from the current time.
    /// - If the service's nodes disagree about the time, the slowest clock seen in the last ten
    ///   minutes is used. Until a slower node responds, the effective overlap is shorter by the
    ///   difference.
    /// - If a record is listed far out of order, it is returned all the same. If it is out of order
    ///   by more than the overlap, it may be returned as `New` more than once, and an open one may
    ///   be mistaken for removed by a [recheck](Self::recheck). If its round ends early, the record
    ///   may be missed. A round ends early if a cursor is repeated or rejected, or if a program
    ///   resumes from a checkpoint taken within the round.
    ///
    /// Each round starts at a record that is already known. If the response shows neither that
    /// record nor an older one, the service rounds the bounds of `created_at`. The round is then
    /// repeated from up to a day earlier, and later rounds start equally early. If the record has
    /// left the listing, rounds start a day earlier until there is another record to start at.
    ///
    /// Each round lists the records within the overlap again: at 1,000 records per page and 20,000
    /// records per hour, an hour of overlap costs 20 requests per round. If a round has several
    /// pages, the next one starts earlier by the duration of the round. The identifier and a hash
    /// of each record are kept: 200 to 300 bytes in memory, and about 100 in the
    /// [`FollowCheckpoint`].
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets how often open records that are older than the overlap are requested again. A record is
    /// open if the OpenAPI description marks its state as one that the record will leave, such as a
    /// parcel in transit. The default is once a minute or once per interval, whichever is longer.
    /// `Duration::MAX` means never. Rechecks happen between rounds, so they aren't more frequent
    /// than rounds. While a recheck reads pages to find an open record, the next round waits.
    ///
    /// A recheck sends one request for each page of the listing that contains open records: for
    /// example, one request for 1,000 open records that follow each other, and one request for each
    /// open record that stands alone. If an open record is no longer listed, the recheck lists from
    /// a second, a minute, an hour and finally a day before it, until the response shows that it
    /// started early enough. If two rechecks in a row don't list a record, even in different
    /// processes, the record is forgotten. A `tracing` event of level `WARN` reports the number of
    /// such records. An open record is kept like a record within the overlap.
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
