//! Listings: what the description says of them, and their records page by page or as one stream.

mod checkpoint;
pub use checkpoint::Checkpoint;
mod filter_chunks;
mod fingerprint;
mod follow;
pub use follow::{Change, Follow, FollowCheckpoint, Following};
mod items;
pub use items::Items;
mod merge;
mod pages;
pub use pages::Pages;
mod pager;
mod plan;
mod position;
mod prefetch;
mod record;
pub(crate) use record::sealed;
pub use record::{Id, Page, Record, Timed};
mod source;
mod time_range;
pub(crate) use time_range::TimeRange;
mod windows;

use crate::call::Query;

// The names of parameters that mean the same in every listing.
pub(crate) const CURSOR: &str = "page_cursor";
pub(crate) const LIMIT: &str = "limit";
pub(crate) const ORDER: &str = "order";
pub(crate) const ORDER_BY: &str = "order_by";

/// What the description says of an operation that lists.
#[derive(Debug)]
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
#[derive(Debug)]
pub(crate) struct Order {
    pub ascending: &'static str,
    pub descending: &'static str,
    /// `None` if the description doesn't say.
    pub ascending_by_default: Option<bool>,
    pub key: Option<Key>,
}

/// What the records are ordered by, if that can be chosen.
#[derive(Debug)]
pub(crate) struct Key {
    pub by_time: &'static str,
    pub is_default: bool,
}

impl Listing {
    /// Whether the parameter says what holds without it.
    pub(crate) fn is_default(&self, name: &str, value: &str) -> bool {
        let Some(order) = &self.order else { return false };
        match name {
            ORDER => order.ascending_by_default.is_some_and(|up| order.word(up) == value),
            ORDER_BY => {
                order.key.as_ref().is_some_and(|key| key.is_default && key.by_time == value)
            }
            _ => false,
        }
    }

    /// Whether the records come oldest first; `None` if they aren't known to come in the order of
    /// their times.
    pub(crate) fn is_ascending(&self, query: &Query) -> Option<bool> {
        let order = self.order.as_ref()?;
        let by_time = order.key.as_ref().is_none_or(|key| match query.get(ORDER_BY) {
            Some(asked) => asked == key.by_time,
            None => key.is_default,
        });
        let ascending = match query.get(ORDER) {
            Some(asked) if asked == order.ascending => Some(true),
            Some(asked) if asked == order.descending => Some(false),
            Some(_) => None,
            None => order.ascending_by_default,
        };
        ascending.filter(|_| by_time)
    }
}

impl Order {
    /// The parameter's value for a direction.
    pub(crate) fn word(&self, ascending: bool) -> &'static str {
        if ascending { self.ascending } else { self.descending }
    }
}
