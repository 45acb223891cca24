//! A listing: an operation whose response is a page of records.

use super::Schema;

pub(crate) struct Listing {
    /// The type of a page.
    pub page: String,
    /// The field of a page that contains its records.
    pub array: String,
    /// The field of a page that contains the cursor of the next page.
    pub cursor: String,
    pub item: Schema,
    /// The property that states when a record was created, by its name on the wire.
    pub created_at: Option<String>,
    /// The parameters that are left out beside a cursor.
    pub not_with_cursor: Vec<String>,
    /// The filters that may be split over several requests, with the most entries of one request.
    pub filters: Vec<(String, usize)>,
    /// The smallest size of a page, if a request can state a size.
    pub smallest_page: Option<String>,
    /// The parameter for the order.
    pub order_parameter: Option<String>,
    /// How the records are ordered by time.
    pub order: Option<Order>,
    /// How the listing is filtered by time, if it can be cut into windows.
    pub time_range: Option<TimeRange>,
}

/// An order by time.
pub(crate) struct Order {
    pub ascending: String,
    pub descending: String,
    pub ascending_by_default: Option<bool>,
    pub key: Option<OrderKey>,
}

/// The value of `order_by` for an order by time.
pub(crate) struct OrderKey {
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

    /// Whether a request can state the size of a page.
    pub(crate) fn has_limit(&self) -> bool {
        self.smallest_page.is_some()
    }

    /// Whether a filter can have too many entries for one request.
    pub(crate) fn is_split(&self) -> bool {
        !self.filters.is_empty()
    }
}
