//! How the pages of an operation are read.

use serde::de::DeserializeOwned;

use super::Record;
use crate::decode::MayBeRounded;

/// How the pages of an operation are read. The operation's builder implements this trait, and not
/// the type of the page, because another operation may read the same type differently.
pub trait Paging: 'static {
    /// The type of a page.
    type Page: DeserializeOwned + MayBeRounded + Send + 'static;
    /// The type of a record.
    type Item: Record;

    /// The cursor of the next page, if the page contains one.
    fn cursor(page: &Self::Page) -> Option<String>;

    /// Whether another page follows. `None` if the operation states no boolean for this.
    #[must_use]
    fn has_more(page: &Self::Page) -> Option<bool> {
        let _ = page;
        None
    }

    /// Returns the records of the page.
    fn records(page: Self::Page) -> Vec<Self::Item>;
}
