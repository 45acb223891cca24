//! The records and the settings of a service.

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

/// The service's base URL. Nobody can register its host name (RFC 2606, section 2).
pub const URL: &str = "https://service.invalid";

/// The records and settings of a service. With the default settings, it follows the specification
/// exactly and responds immediately.
///
/// Durations that name an instant are times since the service started.
#[derive(Clone)]
pub struct Service {
    /// The records, in any order. A record's index is its number.
    pub records: Vec<Record>,
    /// The time on the service's own clock when it starts, in nanoseconds since 1970.
    pub now: i128,
    /// How many nanoseconds each node's clock is ahead of the service's own clock. The nodes
    /// respond in turn, each with its own time in the `Date` header. Without nodes, responses have
    /// no `Date` header.
    pub nodes: Vec<i128>,
    /// The seed for the random response times.
    pub seed: u64,

    /// The unit of the times by which records are sorted. `ties` determines the order within a
    /// unit.
    pub ordered: i128,
    /// One in this many records is sorted at a later time, by up to `nearly`.
    pub astray: usize,
    /// The largest number of nanoseconds by which a record is sorted too late. See `astray`.
    pub nearly: i128,
    /// The order of records that are sorted at the same time.
    pub ties: Ties,
    /// The direction of every listing, regardless of the request; `None` means the requested
    /// direction.
    pub always_ascending: Option<bool>,
    /// How the service applies time bounds.
    pub bounds: Bounds,
    /// How the service rounds a creation time in a response.
    pub told: Rounding,

    /// Whether each second with the number 59 is reported as a leap second, with the number 60.
    pub leap_seconds: bool,

    /// The number of records per page if the request has no limit.
    pub page: usize,
    /// The largest number of records per page. A higher limit in a request is reduced to this
    /// number.
    pub largest_page: usize,
    /// The longest URL in bytes. The response to a longer one is a 414.
    pub longest_url: usize,
    /// Whether a cursor is the number of records before its page, so that records that arrive before
    /// the page push records of the previous page onto it.
    pub offsets: bool,
    /// The number of records at the end of a page that the next page repeats. A page has at least
    /// one record that isn't repeated.
    pub overlap: usize,
    /// A string that is appended to each cursor.
    pub ballast: String,
    /// The expired cursors. The response to a request with one of them is a 410.
    pub expired: Vec<String>,
    /// The cursor in the last page.
    pub end: End,
    /// The number of digits in a `ref_id`, which is the record's number with leading zeros. `None`
    /// means that records have no `ref_id`.
    pub ref_ids: Option<usize>,

    /// The range of response times. The content of a response is fixed after half of its time.
    pub takes: RangeInclusive<Duration>,
    /// The periods in which the service resets every connection.
    pub down: Vec<Range<Duration>>,
    /// For one in this many requests, the connection is reset. 0 means never.
    pub failing: usize,
    /// One in this many pages is empty, and its cursor leads to the requested records. 0 means
    /// never.
    pub empty: usize,
    /// Returns the status of an error response if a request is to fail.
    pub refuses: fn(&Asked) -> Option<u16>,
}

/// The cursor in the last page of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// An empty string.
    Blank,
    /// No cursor field.
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
            leap_seconds: false,
            page: 100,
            largest_page: 1_000,
            longest_url: 8_000,
            offsets: false,
            overlap: 0,
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
    /// Returns a service whose records have these creation times and never change.
    #[must_use]
    pub fn of(times: impl IntoIterator<Item = i128>) -> Self {
        Self { records: times.into_iter().map(Record::at).collect(), ..Self::default() }
    }

    /// Starts the service. Its durations count from now.
    #[must_use]
    pub fn serve(self) -> Endpoint {
        Endpoint::new(self)
    }
}

/// Prints the settings, but only the number of records.
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
            .field("cursors", &(self.offsets, self.overlap))
            .field("takes", &self.takes)
            .field("down", &self.down)
            .field("failing", &self.failing)
            .field("empty", &self.empty)
            .finish_non_exhaustive()
    }
}
