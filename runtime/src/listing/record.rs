//! The traits for records, and the type of record identifiers.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

/// A record of a listing, as returned by [`Items`](crate::Items).
///
/// Use this trait as a bound in code that works with the records of any listing. Only types
/// generated from the OpenAPI description implement it.
///
/// ```
/// # use oas_client::{Error, Items, Record};
/// async fn count<T: Record>(mut items: Items<T>) -> Result<usize, Error> {
///     let mut count = 0;
///     while let Some(batch) = items.next_batch(1_000).await {
///         count += batch?.len();
///     }
///     Ok(count)
/// }
/// ```
pub trait Record: sealed::Record + Send + Sync + Unpin + 'static {
    /// The record's creation time. `None` unless every record of this type has a creation time.
    fn created_at(&self) -> Option<DateTime<Utc>>;

    /// The record's identifier, if it has one.
    fn id(&self) -> Option<Id>;

    /// Whether the record is open: in a temporary state, according to `x-open-values` in the
    /// OpenAPI description.
    fn is_open(&self) -> bool {
        false
    }
}

/// A record whose listing can be filtered by time and is sorted by time. Such a listing supports
/// [`concurrency`](crate::Items::concurrency) and [`follow`](crate::Items::follow).
#[diagnostic::on_unimplemented(
    message = "the listing of `{Self}` can't be filtered by time",
    label = "this listing has no time bounds",
    note = "`concurrency` and `follow` need a listing with time bounds; read this one with `items()` or `pages()`"
)]
pub trait Timed: Record + Serialize {}

/// The identifier of a record: a UUID or a string. A numeric identifier becomes a string of digits.
/// A string that contains a UUID in its usual form (lowercase, with hyphens) equals that UUID.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Known);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Known {
    Uuid(Uuid),
    Text(Box<str>),
}

impl From<Uuid> for Id {
    fn from(id: Uuid) -> Self {
        Self(Known::Uuid(id))
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        match id.parse::<Uuid>() {
            Ok(uuid) if uuid.to_string() == id => uuid.into(),
            _ => Self(Known::Text(id.into())),
        }
    }
}

impl From<String> for Id {
    fn from(id: String) -> Self {
        Self::from(id.as_str())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Known::Uuid(id) => id.fmt(f),
            Known::Text(id) => f.pad(id),
        }
    }
}

/// A trait that only generated types implement, because other code can't name it.
#[allow(unnameable_types, reason = "only generated code names them")]
pub mod sealed {
    /// A trait that only generated record types implement.
    pub trait Record {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_a_uuid_if_it_is_written_as_one() {
        let text = "0c1f4a3e-5b6d-4f70-8a91-b2c3d4e5f607";

        assert_eq!(Id::from(text), Id::from(text.parse::<Uuid>().unwrap()));
        for other in [&*text.to_uppercase(), "A-1001"] {
            assert_eq!(Id::from(other).0, Known::Text(other.into()));
        }
    }
}
