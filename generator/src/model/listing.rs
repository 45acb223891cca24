//! A listing: an operation whose response is a page of records.

use super::Schema;

pub(crate) struct Listing {
    /// The type of a page.
    pub page: String,
    /// The fields that lead from a page to its records.
    pub records: Vec<String>,
    pub item: Schema,
    /// The property that identifies a record, by its name on the wire.
    pub id: Option<String>,
    /// The query parameter for the cursor of a page.
    pub cursor: String,
    /// The fields that lead from a page to the cursor of the next page.
    pub next: Vec<String>,
    /// The fields that lead to the boolean that is true if another page follows.
    pub more: Option<Vec<String>>,
    /// The parameters that are left out if a cursor is sent.
    pub not_with_cursor: Vec<String>,
    /// The filters that may be split over several requests, with the most entries of one request.
    pub filters: Vec<(String, usize)>,
    pub size: Option<PageSize>,
    /// The property that states when a record was created, by its name on the wire.
    pub created_at: Option<String>,
    /// How the records are ordered by time.
    pub order: Option<Order>,
    /// How the listing is filtered by time, if it can be cut into windows.
    pub time_range: Option<TimeRange>,
}

/// The parameter for the size of a page.
pub(crate) struct PageSize {
    pub parameter: String,
    /// The smallest page that a request can ask for.
    pub smallest: Option<String>,
}

/// An order by time.
pub(crate) struct Order {
    pub parameter: String,
    pub ascending: String,
    pub descending: String,
    pub ascending_by_default: Option<bool>,
    pub key: Option<OrderKey>,
}

/// What the records are ordered by, if a parameter chooses it.
pub(crate) struct OrderKey {
    pub parameter: String,
    /// The value for an order by time.
    pub by_time: String,
    pub is_default: bool,
}

/// The two parameters that bound the time of a record.
pub(crate) struct TimeRange {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

impl Listing {
    /// Whether it can be cut into windows of time.
    pub(crate) fn has_windows(&self) -> bool {
        self.time_range.is_some()
    }

    /// Whether a filter can have too many entries for one request.
    pub(crate) fn is_split(&self) -> bool {
        !self.filters.is_empty()
    }
}
