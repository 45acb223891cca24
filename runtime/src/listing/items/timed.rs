//! Methods for listings that can be filtered and sorted by time.

use super::{Items, Kept, REFUSED, StreamState};
use crate::{
    Error,
    listing::{Follow, Following, Record, Timed, plan::Plan},
};

/// The maximum number of concurrent requests. Each request may need its own connection, and some
/// systems limit a process to a few hundred open files and sockets.
const MOST_AT_ONCE: usize = 256;

impl<T: Record> Items<T> {
    /// Reads the listing with up to `requests` concurrent requests, each for a different time
    /// window. The maximum is 256. With 0 or 1, requests are sequential. Call this method before
    /// the first poll.
    ///
    /// The stream returns the same records as sequential requests would, in the same order and
    /// without duplicates, no matter how unevenly the records are distributed over time. The stream
    /// ends at the record that was the listing's last one when the stream started. If a record
    /// arrives in a part of the listing that has already been read, that record isn't returned.
    ///
    /// Concurrency has these costs:
    ///
    /// - up to four pages in memory per concurrent request
    /// - about 10 % more requests than a sequential listing
    /// - up to 50 % more requests, plus one for each concurrent request, if the records come in
    ///   bursts, or if the service filters by time less precisely than it reports times
    /// - up to twice as many requests, plus one for each concurrent request, if batches of records
    ///   have the same time
    ///
    /// `rate_limit` applies to all requests of the stream. If several requests fail at the same
    /// time, the stream returns a single error, after the last of these requests has finished. The
    /// next poll sends the failed requests again.
    ///
    /// - To find the last record, the stream sends one request in the opposite order. If that request
    ///   fails, after its retries, the stream continues with sequential requests, and a `tracing`
    ///   event reports this.
    /// - If a service rejects a cursor, the stream lists again from just before the last record, as
    ///   without concurrency. It still ends at the record that was the last one at the start.
    /// - If a record has no time, if a page isn't sorted by time, or if a window contains a record
    ///   that the previous window should have contained, the stream continues with sequential
    ///   requests. If records may already have been missed by then, the stream ends with a `Decode`
    ///   error instead.
    /// - If the record at which the stream should end is never listed, because it has left the
    ///   listing or a response was outdated, the stream continues to the listing's actual end, and a
    ///   `tracing` event reports this. When a page passes that record's time without the record, one
    ///   more request in the opposite order asks whether the record is still there.
    /// - If the service sorts by a different time than the OpenAPI description states, the client
    ///   can't always detect this. Read such a service sequentially.
    ///
    /// The listing is always read sequentially in these cases:
    ///
    /// - if it starts at a cursor that you set
    /// - if it isn't sorted by time
    /// - if it has no time filter
    ///
    /// If no listing of the same record type has a time filter, a call of `concurrency` doesn't
    /// compile.
    /// The service in this example delivers parcels:
    ///
    /// ```compile_fail,E0277
    /// # fn example(client: second::Client) {
    /// let depots = client.list_depots().items().concurrency(4);
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the stream has already started, the next poll returns `InvalidRequest`.
    pub fn concurrency(mut self, requests: usize) -> Self
    where
        T: Timed,
    {
        match (&self.state, &mut self.plan) {
            (StreamState::NotBegun(_), Some(plan)) => {
                plan.concurrency = requests.clamp(1, MOST_AT_ONCE);
            }
            (StreamState::NotBegun(_) | StreamState::Refused(_), _) => {}
            _ => self.refuse(Error::invalid("`concurrency` must be set before the first poll")),
        }
        self
    }

    /// Lists the existing records, oldest first, and then keeps polling for new and changed
    /// records.
    ///
    /// See [`Following`] for the details and an example.
    ///
    /// # Errors
    ///
    /// The first poll of the returned stream fails with `InvalidRequest` in these cases:
    ///
    /// - if this stream has been polled before, or was resumed
    /// - if the listing starts at a cursor
    /// - if an order other than ascending by time was set. If no order was set, the stream sets it
    ///   itself.
    /// - if the listing can't be filtered by time
    pub fn follow(self, follow: Follow) -> Following<T>
    where
        T: Timed,
    {
        let is_new = matches!(self.state, StreamState::NotBegun(None));
        let plan = match (self.kept, self.plan) {
            (Some(Kept::Error(error)), _) => Err(error),
            (_, Some(plan)) => oldest_first(plan, is_new),
            (_, None) => Err(Error::invalid(REFUSED)),
        };
        Following::new(plan, follow)
    }
}

/// Returns the plan with its order set to ascending by time, or an error if the listing can't be
/// followed.
fn oldest_first<T: Timed>(mut plan: Plan<T>, is_new: bool) -> Result<Plan<T>, Error> {
    let has_cursor = plan.start.call.cursor().is_some();
    let (listing, query) = (plan.listing, &mut plan.start.call.query);
    let begins_at_cursor;
    let refusal = if !is_new {
        "a stream that has started or was resumed can't be followed"
    } else if listing.time_range.is_none() {
        // Without a time filter, each round would request all records again.
        "a listing that can't be filtered by time can't be followed"
    } else if has_cursor {
        begins_at_cursor =
            format!("a followed listing can't start at a cursor (`{}`)", listing.cursor);
        &begins_at_cursor
    } else {
        listing.sort_oldest_first(query);
        if listing.is_ascending(query) == Some(true) {
            return Ok(plan);
        }
        "only a listing in ascending order of time can be followed"
    };
    Err(Error::invalid(refusal).with_operation(plan.start.call.operation))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use virtual_service::{BEGIN, Service};

    use super::*;
    use crate::{
        ErrorKind,
        call::PreparedCall,
        fixture::{BY_PAGE, BY_TIME, Item, ItemPage},
        listing::tests::start,
        operation::{Listing, Order, OrderKey, TimeRange},
    };

    // The OpenAPI description has no defaults for the parameters that set the order.
    #[tokio::test]
    async fn a_listing_without_a_default_order_is_followed_oldest_first() {
        let endpoint = Service::of([BEGIN]).serve();
        let mut start = start(endpoint.clone(), BY_TIME, 3);
        start.call.query.remove("order");
        let key = OrderKey { parameter: "order_by", by_time: "CREATED_AT", is_default: false };
        let order = Order {
            parameter: "order",
            ascending: "ASC",
            descending: "DESC",
            ascending_by_default: None,
            key: Some(key),
        };
        let (from, until) = ("created_at.gte", "created_at.lte");
        let listing: &'static Listing = Box::leak(Box::new(Listing {
            cursor: "page_cursor",
            not_with_cursor: &[],
            filters: &[],
            size: None,
            time: Some("created_at"),
            order: Some(order),
            time_range: Some(TimeRange { from, until, until_inclusive: true }),
        }));
        let items =
            |start: &PreparedCall| Items::<Item>::new::<ItemPage>(listing, Ok(start.clone()));

        let mut following = items(&start).follow(Follow::once());
        assert!(following.next().await.unwrap().is_ok());

        let asked = &endpoint.asked()[0];
        assert_eq!(asked.get("order"), Some("ASC"));
        assert_eq!(asked.get("order_by"), Some("CREATED_AT"));

        start.call.query.set("order", "DESC");
        let error = items(&start).follow(Follow::once()).next().await.unwrap().unwrap_err();
        assert!(error.to_string().contains("ascending order"), "{error}");
    }

    // `follow` compiles for this listing, because another listing of the same records has a time
    // filter.
    #[tokio::test]
    async fn a_listing_without_bounds_of_time_is_not_followed() {
        let endpoint = Service::of([BEGIN]).serve();
        let start = start(endpoint.clone(), BY_PAGE, 3);
        let listing = BY_PAGE.listing().unwrap();
        let items = Items::<Item>::new::<ItemPage>(listing, Ok(start));

        let mut following = items.follow(Follow::every(Duration::from_secs(1)));
        let first = following.next().now_or_never().flatten().unwrap();

        assert_eq!(first.unwrap_err().kind(), ErrorKind::InvalidRequest);
        assert_eq!(endpoint.count(), 0);
    }
}
