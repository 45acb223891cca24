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
    /// The parameters that are omitted from requests with a cursor.
    pub not_with_cursor: Vec<String>,
    /// The filters that may be split over several requests, each with the maximum number of entries
    /// in a request.
    pub filters: Vec<(String, usize)>,
    pub size: Option<PageSize>,
    /// The property with the time when a record was created, by its name on the wire.
    pub created_at: Option<String>,
    /// The parameters that order the records by time.
    pub order: Option<Order>,
    /// The parameters that filter the records by time. `None` if the listing can't be split into
    /// time windows.
    pub time_range: Option<TimeRange>,
}

/// The parameter for the page size.
pub(crate) struct PageSize {
    pub parameter: String,
    /// The smallest page size that the service accepts.
    pub smallest: Option<String>,
}

/// The parameters that order records by time.
pub(crate) struct Order {
    pub parameter: String,
    pub ascending: String,
    pub descending: String,
    pub ascending_by_default: Option<bool>,
    pub key: Option<OrderKey>,
}

/// A parameter that selects the property by which the records are ordered.
pub(crate) struct OrderKey {
    pub parameter: String,
    /// The value for an order by time.
    pub by_time: String,
    /// Whether an order by time is the default.
    pub is_default: bool,
}

/// The two parameters that bound the time of a record.
pub(crate) struct TimeRange {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

impl Listing {
    /// Whether the listing can be split into time windows.
    pub(crate) fn has_windows(&self) -> bool {
        self.time_range.is_some()
    }

    /// Whether a filter can be split over several requests.
    pub(crate) fn is_split(&self) -> bool {
        !self.filters.is_empty()
    }
}
