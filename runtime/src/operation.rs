//! An operation as a value: all that the description says of it and the client needs to know.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use reqwest::Method;

/// What a generated client says of its service.
#[derive(Debug)]
pub struct Service {
    /// The name and the version of the generated client, as its `User-Agent` says them.
    pub user_agent: &'static str,
    /// Every operation of the description.
    pub operations: &'static [Operation],
}

/// An operation of the service.
///
/// The constants are named as the builders are, and can be matched in a pattern:
///
/// ```
/// # use second::operation;
/// let operation = operation::LIST_PARCELS;
/// assert_eq!(operation.id(), "listParcels");
/// assert!(matches!(operation, operation::LIST_PARCELS));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub(crate) details: &'static Details,
}

/// What the description says of an operation.
#[derive(Debug, PartialEq, Eq)]
pub struct Details {
    /// Its place in the description. No other operation has it.
    pub index: usize,
    /// Its `operationId`.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// The path below the base URL, with its parameters in braces.
    pub path: &'static str,
    /// The OAuth scopes that a token needs for it.
    pub scopes: &'static [&'static str],
    /// Whether it is sent with a token.
    pub token: Token,
    /// Whether a repeated request has no further effect.
    pub idempotent: bool,
    /// The media type of the request's body.
    pub content_type: &'static str,
    /// The media type of its answer, or several.
    pub accept: &'static str,
    /// The first and the last status of each range that is a success.
    pub successes: &'static [(u16, u16)],
    /// What the body of a successful answer is.
    pub body: BodyKind,
    /// How its pages are requested, if it is a listing.
    pub listing: Option<&'static Listing>,
    /// The names of all fields in the description.
    pub fields: &'static [&'static str],
}

/// Whether an operation is sent with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Without one.
    Never,
    /// If the client has credentials.
    IfAny,
    /// With one.
    Always,
}

/// What the body of a successful answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// With the properties that an object may have, if they are described.
    Json(&'static [&'static str]),
    /// Any JSON, or no body.
    JsonOrNothing,
    /// No body. Any that is sent is ignored.
    Nothing,
}

/// The operation with these details.
#[must_use]
pub const fn operation(details: &'static Details) -> Operation {
    Operation { details }
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

/// What the description says of an operation that lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Listing {
    /// The parameter for the cursor of a page.
    pub cursor: &'static str,
    /// The parameters that the service forbids together with a cursor.
    pub not_with_cursor: &'static [&'static str],
    /// Array filters, and how many entries one request may carry of each.
    pub filters: &'static [(&'static str, usize)],
    /// How large a page is, if a request can state it.
    pub size: Option<PageSize>,
    /// The property that states when a record was created.
    pub time: Option<&'static str>,
    /// How it is ordered, if that can be chosen.
    pub order: Option<Order>,
    /// The range of time that it can be filtered by.
    pub time_range: Option<TimeRange>,
}

/// The parameter for the size of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct PageSize {
    /// Its name.
    pub parameter: &'static str,
    /// The smallest page that a request can ask for.
    pub smallest: Option<&'static str>,
}

/// The order of the records.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    /// The parameter that chooses it.
    pub parameter: &'static str,
    /// The value for the oldest records first.
    pub ascending: &'static str,
    /// The value for the newest records first.
    pub descending: &'static str,
    /// Which of them holds without the parameter. `None` if the description doesn't say.
    pub ascending_by_default: Option<bool>,
    /// What the records are ordered by, if that can be chosen.
    pub key: Option<OrderKey>,
}

/// What the records are ordered by, if that can be chosen.
#[derive(Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The parameter that chooses it.
    pub parameter: &'static str,
    /// The value for the order by time.
    pub by_time: &'static str,
    /// Whether it holds without the parameter.
    pub is_default: bool,
}

/// The range of time that a listing can be filtered by.
#[derive(Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The parameter for its beginning.
    pub from: &'static str,
    /// The parameter for its end.
    pub until: &'static str,
    /// Whether records of the end itself are listed.
    pub until_inclusive: bool,
}
