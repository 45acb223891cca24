//! Operations as values, with the details that the client needs from the OpenAPI description.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use reqwest::Method;

/// The service that a generated client calls.
#[derive(Debug)]
pub struct Service {
    /// The value of the `User-Agent` header: the name and the version of the generated client.
    pub user_agent: &'static str,
    /// Every operation in the OpenAPI description.
    pub operations: &'static [Operation],
}

/// An operation of the service.
///
/// Each operation is a constant in the generated client's module `operation`, and can be used in
/// patterns.
/// The service in this example delivers parcels:
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

/// An operation's details from the OpenAPI description.
#[derive(Debug, PartialEq, Eq)]
pub struct Details {
    /// The operation's index in the OpenAPI description.
    pub index: usize,
    /// The operation's `operationId`.
    pub id: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path below the base URL, with its parameters in braces.
    pub path: &'static str,
    /// The OAuth scopes that a token needs for the operation.
    pub scopes: &'static [&'static str],
    /// Whether the operation's requests contain an access token.
    pub token: Token,
    /// The headers with API keys that the operation's requests contain, in lowercase. The boolean
    /// is true if every request needs the key.
    pub api_keys: &'static [(&'static str, bool)],
    /// Whether the operation is idempotent: repeating a request has no further effect.
    pub idempotent: bool,
    /// The media type of the request's body.
    pub content_type: &'static str,
    /// The value of the `Accept` header: the media types of the response.
    pub accept: &'static str,
    /// The ranges of status codes that mean success, each given by its first and last code.
    pub successes: &'static [(u16, u16)],
    /// The kind of a successful response's body.
    pub body: BodyKind,
    /// The details of the listing, if the operation is a listing.
    pub listing: Option<&'static Listing>,
    /// The names of all fields in the OpenAPI description.
    pub fields: &'static [&'static str],
}

/// Whether an operation's requests contain an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The requests never contain a token.
    Never,
    /// The requests contain a token if the client has credentials.
    IfAny,
    /// The requests always contain a token.
    Always,
}

/// The kind of a successful response's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A JSON body, with the names of the properties that the OpenAPI description defines. The list
    /// is empty if the body isn't an object, or if the object may have additional properties.
    Json(&'static [&'static str]),
    /// A page of a listing. Contains the properties that lead to the array of records, from the
    /// outermost to the array itself. Each comes with the names of all properties that the OpenAPI
    /// description defines for its object. The names are empty if the object may have additional
    /// properties.
    Page(&'static [(&'static str, &'static [&'static str])]),
    /// Any JSON, or an empty body.
    JsonOrNothing,
    /// No body. If the service sends a body, the body is ignored.
    Nothing,
}

/// Creates the operation with these details.
#[must_use]
pub const fn operation(details: &'static Details) -> Operation {
    Operation { details }
}

impl Operation {
    /// The `operationId` in the OpenAPI description.
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

    /// The OAuth scopes that a token needs for the operation.
    #[must_use]
    pub const fn scopes(self) -> &'static [&'static str] {
        self.details.scopes
    }

    /// Whether this status code means success.
    pub(crate) fn is_success(self, status: u16) -> bool {
        self.details.successes.iter().any(|(first, last)| (*first..=*last).contains(&status))
    }

    pub(crate) const fn listing(self) -> Option<&'static Listing> {
        self.details.listing
    }

    /// Whether the OpenAPI description contains a field with this name. If so, the name is safe to
    /// print. Any other key counts as data from the service.
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

/// A listing's details from the OpenAPI description.
#[derive(Debug, PartialEq, Eq)]
pub struct Listing {
    /// The name of the parameter for the cursor.
    pub cursor: &'static str,
    /// The parameters that the service doesn't accept together with a cursor.
    pub not_with_cursor: &'static [&'static str],
    /// The array filters, each with its maximum number of entries per request.
    pub filters: &'static [(&'static str, usize)],
    /// The parameter for the page size, if there is one.
    pub size: Option<PageSize>,
    /// The property that contains a record's creation time, if there is one.
    pub time: Option<&'static str>,
    /// The parameters for the sort order, if the order can be chosen.
    pub order: Option<Order>,
    /// The parameters for a time range, if the listing can be filtered by time.
    pub time_range: Option<TimeRange>,
}

/// The parameter for the page size.
#[derive(Debug, PartialEq, Eq)]
pub struct PageSize {
    /// The parameter's name.
    pub parameter: &'static str,
    /// The smallest page size that the parameter accepts, if there is one.
    pub smallest: Option<&'static str>,
}

/// The parameters for the sort order of the records.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    /// The name of the parameter that selects ascending or descending order.
    pub parameter: &'static str,
    /// The parameter's value for ascending order, with the oldest records first.
    pub ascending: &'static str,
    /// The parameter's value for descending order, with the newest records first.
    pub descending: &'static str,
    /// Whether the order is ascending if the parameter is omitted. `None` if the OpenAPI
    /// description doesn't say.
    pub ascending_by_default: Option<bool>,
    /// The parameter for the sort key, if the key can be chosen.
    pub key: Option<OrderKey>,
}

/// The parameter for the sort key.
#[derive(Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The parameter's name.
    pub parameter: &'static str,
    /// The parameter's value for sorting by creation time.
    pub by_time: &'static str,
    /// Whether records are sorted by creation time if the parameter is omitted.
    pub is_default: bool,
}

/// The parameters for a time range.
#[derive(Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The name of the parameter for the start of the range.
    pub from: &'static str,
    /// The name of the parameter for the end of the range.
    pub until: &'static str,
    /// Whether the range includes records that were created exactly at its end.
    pub until_inclusive: bool,
}
