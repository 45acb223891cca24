//! A listing: an operation whose response is a page of records.

use super::{Kind, Schema};

pub(crate) struct Listing {
    /// The name of the Rust type of a page.
    pub page: String,
    /// The field path from a page to its records.
    pub records: Vec<String>,
    pub item: Schema,
    /// The JSON name of the property that identifies a record.
    pub id: Option<String>,
    /// The name of the query parameter for a page's cursor.
    pub cursor: String,
    pub next: Next,
    pub more: Option<More>,
    /// The parameters that are omitted from requests with a cursor.
    pub not_with_cursor: Vec<String>,
    /// The filters that may be split across several requests, each with the maximum number of
    /// entries per request.
    pub filters: Vec<(String, usize)>,
    pub size: Option<PageSize>,
    /// The JSON name of the property with a record's creation time.
    pub created_at: Option<String>,
    /// The parameters that sort the records by creation time.
    pub order: Option<Order>,
    /// The parameters that filter the records by creation time, or `None` if the listing can't be
    /// split into time windows.
    pub time_range: Option<TimeRange>,
}

/// The place of the next page's cursor.
pub(crate) enum Next {
    /// The field path from a page to the cursor.
    OfPage(Vec<String>),
    /// The field path from a record to its identifier. The identifier of a page's last record is
    /// the cursor.
    OfLastRecord(Vec<String>),
}

/// The boolean that says whether another page follows.
pub(crate) struct More {
    /// The field path from a page to the boolean.
    pub field: Vec<String>,
    /// Whether the boolean is true on the last page, and not on all other pages.
    pub is_end: bool,
}

/// The parameter for the page size.
pub(crate) struct PageSize {
    pub parameter: String,
    /// The smallest page size that the service accepts.
    pub smallest: Option<String>,
}

/// The parameters that sort the records by creation time.
pub(crate) struct Order {
    pub parameter: String,
    pub ascending: String,
    pub descending: String,
    pub ascending_by_default: Option<bool>,
    pub key: Option<OrderKey>,
}

/// The parameter that selects the property to sort by.
pub(crate) struct OrderKey {
    pub parameter: String,
    /// The parameter's value for sorting by creation time.
    pub by_time: String,
    /// Whether the service sorts by creation time if the parameter is absent.
    pub is_default: bool,
}

/// The parameters for the lower and the upper bound on a record's creation time.
pub(crate) struct TimeRange {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

impl Listing {
    /// Returns whether the listing can be split into time windows.
    pub(crate) fn has_windows(&self) -> bool {
        self.time_range.is_some()
    }

    /// Returns whether the records of the listing have the named schema `item`.
    pub(crate) fn is_of(&self, item: &Schema) -> bool {
        matches!((&self.item.kind, &item.kind), (Kind::Named(own), Kind::Named(other)) if own == other)
    }

    /// Returns whether the listing has a filter that can be split across several requests.
    pub(crate) fn is_split(&self) -> bool {
        !self.filters.is_empty()
    }
}
