//! What a service holds, and its ways.

use std::{
    fmt,
    ops::{Range, RangeInclusive},
    time::Duration,
};

use crate::{
    endpoint::{Asked, Endpoint},
    order::Ties,
    record::Record,
    time::{BEGIN, Bounds, Rounding},
};

/// Where it can be asked: a name that nobody can register (RFC 2606, section 2).
pub const URL: &str = "https://service.invalid";

/// Without other settings it does what the specification says, at once and exactly.
///
/// Times of the clock are counted from when it began to serve.
#[derive(Clone)]
pub struct Service {
    /// In any order. Their indexes are their numbers.
    pub records: Vec<Record>,
    /// Its own clock when it begins.
    pub now: i128,
    /// How far the clocks of its nodes are ahead of that one. One node after the other answers, and
    /// tells its own time as `Date`. Without a node there is no such header.
    pub nodes: Vec<i128>,
    /// Of what is drawn at random: how long answers take.
    pub seed: u64,

    /// The unit that it orders by. Within one, records have an order of their own.
    pub ordered: i128,
    /// One in so many records stands up to `nearly` later than its time.
    pub astray: usize,
    /// See `astray`.
    pub nearly: i128,
    /// The order within one place of time.
    pub ties: Ties,
    /// The direction in which it lists, whatever is asked for.
    pub always_ascending: Option<bool>,
    /// What it makes of bounds of time.
    pub bounds: Bounds,
    /// How the times that it tells are made of those that it keeps.
    pub told: Rounding,

    /// Records in a page, if no limit is given.
    pub page: usize,
    /// A higher limit gives pages of this size.
    pub largest_page: usize,
    /// Bytes of a URL: a longer one is answered with 414.
    pub longest_url: usize,
    /// What is added to a cursor.
    pub ballast: String,
    /// Cursors that are answered with 410.
    pub expired: Vec<String>,
    /// How the last page says that it is the last.
    pub end: End,
    /// How wide the `ref_id` of a record is: its number, filled up with zeros.
    pub ref_ids: Option<usize>,

    /// How long an answer takes. It is made after half of that.
    pub takes: RangeInclusive<Duration>,
    /// Nothing is answered in these times: the connection is reset.
    pub down: Vec<Range<Duration>>,
    /// One in so many requests is reset; one in so many pages is empty and leads to the next.
    pub failing: usize,
    /// See `failing`.
    pub empty: usize,
    /// The status of a refusal, for what is refused.
    pub refuses: fn(&Asked) -> Option<u16>,
}

/// The cursor of a page that none follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// An empty text.
    Blank,
    /// There is none.
    Absent,
    /// `null`.
    Null,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            now: BEGIN,
            nodes: vec![0],
            seed: 1,
            ordered: 1,
            astray: 1,
            nearly: 0,
            ties: Ties::Turn,
            always_ascending: None,
            bounds: Bounds::Read(Rounding::Exact),
            told: Rounding::Exact,
            page: 100,
            largest_page: 1_000,
            longest_url: 8_000,
            ballast: String::new(),
            expired: Vec::new(),
            end: End::Blank,
            ref_ids: None,
            takes: Duration::ZERO..=Duration::ZERO,
            down: Vec::new(),
            failing: 0,
            empty: 0,
            refuses: |_| None,
        }
    }
}

impl Service {
    /// With records that were created at these times and never change.
    #[must_use]
    pub fn of(times: impl IntoIterator<Item = i128>) -> Self {
        Self { records: times.into_iter().map(Record::at).collect(), ..Self::default() }
    }

    /// Begins to serve: from now on time counts.
    #[must_use]
    pub fn serve(self) -> Endpoint {
        Endpoint::new(self)
    }
}

/// Without the records.
impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("records", &self.records.len())
            .field("nodes", &self.nodes)
            .field("seed", &self.seed)
            .field("order", &(self.ordered, self.nearly, self.ties, self.always_ascending))
            .field("bounds", &self.bounds)
            .field("told", &self.told)
            .field("page", &self.page)
            .field("takes", &self.takes)
            .field("down", &self.down)
            .field("failing", &self.failing)
            .field("empty", &self.empty)
            .finish_non_exhaustive()
    }
}
