//! Listings, which are read page by page or as a stream of records.

mod batch;
mod checkpoint;
pub use checkpoint::Checkpoint;
mod filter_chunks;
mod fingerprint;
mod follow;
pub use follow::{Change, Follow, FollowCheckpoint, Following};
mod items;
pub use items::Items;
mod json_hash;
mod merge;
mod pager;
mod pages;
pub use pages::Pages;
mod paging;
pub use paging::Paging;
mod plain_record;
mod plan;
mod position;
mod prefetch;
mod record;
pub use record::sealed;
pub use record::{Id, Record, Timed};
mod record_pages;
mod record_source;
#[cfg(test)]
mod tests;
mod time_key;
mod time_range;
mod windows;

use crate::{
    call::Query,
    operation::{Listing, Order, TimeRange},
};

impl Listing {
    /// Whether a query parameter affects which records are listed, or in which order. The page size
    /// and the cursor don't, and an order that is explicitly set to its default doesn't either.
    pub(crate) fn is_filter(&self, (name, value): &(&str, &str)) -> bool {
        let is_size = self.size.as_ref().is_some_and(|size| size.parameter == *name);
        if is_size || self.cursor == *name {
            return false;
        }
        let Some(order) = &self.order else { return true };
        if order.parameter == *name {
            return order.ascending_by_default.is_none_or(|up| order.word(up) != *value);
        }
        match &order.key {
            Some(key) if key.parameter == *name => !key.is_default || key.by_time != *value,
            _ => true,
        }
    }

    /// Sets those parameters that sort by time in ascending order, unless the query already has
    /// another value for them or they aren't needed.
    pub(crate) fn sort_oldest_first(&self, query: &mut Query) {
        let Some(order) = &self.order else { return };
        if query.get(order.parameter).is_none() {
            query.set(order.parameter, order.word(true));
        }
        if let Some(key) = &order.key
            && !key.is_default
            && query.get(key.parameter).is_none()
        {
            query.set(key.parameter, key.by_time);
        }
    }

    /// Whether the records are listed in ascending order of time. `None` if this is unknown, or if
    /// the records aren't sorted by time.
    pub(crate) fn is_ascending(&self, query: &Query) -> Option<bool> {
        // Without a time, the property that the order refers to is unknown.
        let order = self.order.as_ref().filter(|_| self.time.is_some())?;
        let by_time = order.key.as_ref().is_none_or(|key| {
            query.get(key.parameter).map_or(key.is_default, |asked| asked == key.by_time)
        });
        let ascending = match query.get(order.parameter) {
            Some(asked) => [true, false].into_iter().find(|up| order.word(*up) == asked),
            None => order.ascending_by_default,
        };
        ascending.filter(|_| by_time)
    }
}

impl Order {
    /// The value of the order parameter for ascending or descending order.
    pub(crate) fn word(&self, ascending: bool) -> &'static str {
        if ascending { self.ascending } else { self.descending }
    }
}
