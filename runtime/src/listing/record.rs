//! What a page of a listing is, what a record is, and what a record is known by.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

/// A page of a listing: one of the generated `…Page` types.
///
/// Programs name it as a bound, for code that works with the pages of any listing; it is implemented
/// by the description's types alone.
pub trait Page: sealed::Page + DeserializeOwned + Send + Sync + Unpin + 'static {
    /// The records that it lists.
    type Item: Record;

    /// The cursor of the next page.
    fn next_cursor(&self) -> Option<&str>;

    /// Whether it says that another page follows, but has no cursor for it.
    #[doc(hidden)]
    fn lacks_cursor(&self) -> bool {
        false
    }

    /// The records, and the cursor of the next page.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

/// A record of a listing: what [`Items`](crate::Items) hands out.
///
/// Programs name it as a bound, for code that works with the records of any listing; it is
/// implemented by the description's types alone.
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
    /// When it was created, if every record of its kind says so.
    fn created_at(&self) -> Option<DateTime<Utc>>;

    /// Its identifier, if it has one.
    fn id(&self) -> Option<Id>;

    /// Whether it is in a state that it will leave, by the description's `x-open-values`.
    fn is_open(&self) -> bool {
        false
    }
}

/// A record whose listing is filtered and ordered by time, so that it can be read by many
/// requests at once and followed.
#[diagnostic::on_unimplemented(
    message = "the listing of `{Self}` can't be filtered by time",
    label = "this listing has no windows of time",
    note = "`concurrency` and `follow` are there for listings with bounds of time; read this one with `items()` or `pages()`"
)]
pub trait Timed: Record + Serialize {}

/// The identifier of a record, of whatever kind: a UUID, or a text; a number is its digits. A text
/// that is a UUID is the same identifier.
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

/// What is implemented by the description's types alone: nobody else can name it.
#[allow(unnameable_types, reason = "only generated code names them")]
pub mod sealed {
    /// What only a page of the description implements.
    pub trait Page {}
    /// What only a record of the description implements.
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
