//! An operation as a value: all that the description says of it and the client needs to know.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use reqwest::Method;

/// An operation of the service.
///
/// The constants are named as the builders are, and can be matched in a pattern:
///
/// ```
/// use digital_assets::Operation;
///
/// let operation = Operation::ListDepositAddresses;
/// assert_eq!(operation.id(), "listDepositAddresses");
/// assert!(matches!(operation, Operation::ListDepositAddresses));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub(crate) details: &'static Details,
}

/// What the description says of an operation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Details {
    /// Its place in the description. No other operation has it.
    pub index: usize,
    pub id: &'static str,
    pub method: Method,
    pub path: &'static str,
    pub scopes: &'static [&'static str],
    pub token: Token,
    /// The media type of the request's body.
    pub content_type: &'static str,
    /// The media type of its answer, or several.
    pub accept: &'static str,
    /// The first and the last status of each range that is a success.
    pub successes: &'static [(u16, u16)],
    pub body: BodyKind,
    pub listing: Option<&'static Listing>,
    /// The names of all fields in the description.
    pub fields: &'static [&'static str],
}

/// Whether an operation is sent with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the description decides which of them there are")]
pub(crate) enum Token {
    Never,
    /// If the client has credentials.
    IfAny,
    Always,
}

/// What the body of a successful answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the description decides which of them there are")]
pub(crate) enum BodyKind {
    /// With the properties that an object may have, if they are described.
    Json(&'static [&'static str]),
    /// Any JSON, or no body.
    JsonOrNothing,
    /// No body. Any that is sent is ignored.
    Nothing,
}

impl Operation {
    /// The description's `operationId`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.details.id
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(self) -> Method {
        self.details.method.clone()
    }

    /// The path below the base URL, with its parameters in braces.
    #[must_use]
    pub const fn path(self) -> &'static str {
        self.details.path
    }

    /// The OAuth scopes that a token needs for it.
    #[must_use]
    pub const fn scopes(self) -> &'static [&'static str] {
        self.details.scopes
    }

    /// Whether a status is that of a success.
    pub(crate) fn is_success(self, status: u16) -> bool {
        self.details.successes.iter().any(|(first, last)| (*first..=*last).contains(&status))
    }

    pub(crate) const fn listing(self) -> Option<&'static Listing> {
        self.details.listing
    }

    /// Whether the description names a field so. Such names are safe to print; other keys are data.
    pub(crate) fn names_field(self, key: &str) -> bool {
        self.details.fields.contains(&key)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Hash for Operation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.details.index.hash(state);
    }
}

impl Ord for Operation {
    fn cmp(&self, other: &Self) -> Ordering {
        self.details.index.cmp(&other.details.index)
    }
}

impl PartialOrd for Operation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

// The names of parameters that mean the same in every listing.
pub(crate) const CURSOR: &str = "page_cursor";
pub(crate) const LIMIT: &str = "limit";
pub(crate) const ORDER: &str = "order";
pub(crate) const ORDER_BY: &str = "order_by";

/// What the description says of an operation that lists.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Parameters that the service forbids beside a cursor.
    pub not_with_cursor: &'static [&'static str],
    /// Array filters, and how many entries one request may carry of each.
    pub filters: &'static [(&'static str, usize)],
    /// The smallest page that can be asked for, if its size can be.
    pub smallest_page: Option<&'static str>,
    pub order: Option<Order>,
    /// The range of `created_at` that it can be filtered by.
    pub time_range: Option<TimeRange>,
}

/// The order of the records.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub ascending: &'static str,
    pub descending: &'static str,
    /// `None` if the description doesn't say.
    pub ascending_by_default: Option<bool>,
    pub key: Option<OrderKey>,
}

/// What the records are ordered by, if that can be chosen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OrderKey {
    pub by_time: &'static str,
    pub is_default: bool,
}

/// The range of `created_at` that a listing can be filtered by.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeRange {
    pub from: &'static str,
    pub until: &'static str,
    pub until_inclusive: bool,
}
