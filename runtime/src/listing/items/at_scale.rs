//! The methods of a listing whose records are filtered and ordered by time.

use super::{Items, Kept, REFUSED, State};
use crate::{
    Error,
    listing::{Follow, Following, Record, Timed, plan::Plan},
};

/// The maximum number of concurrent requests. Each request may need its own connection, and some
/// systems allow a process only a few more open files.
const MOST_AT_ONCE: usize = 256;

impl<T: Record> Items<T> {
    /// Reads windows of time, with up to `requests` concurrent requests, at most 256. With 0 or 1,
    /// requests are sequential. Call this before the first poll.
    ///
    /// The stream returns the same records as sequential requests, in the same order, each once,
    /// however the records cluster in time. The stream's end is fixed when the stream starts, at
    /// the newest record. If a record arrives in a part of the listing that has been read, it isn't
    /// returned.
    ///
    /// Concurrency costs:
    ///
    /// - at most four pages in memory per concurrent request
    /// - about 10 % more requests than sequential ones
    /// - up to 50 % more requests, plus one page per concurrent request, if the records are in
    ///   bursts, or if the service compares times in a coarser unit than it reports them in
    /// - up to twice as many requests, plus one page per concurrent request, if the records are in
    ///   batches with the same time
    ///
    /// `rate_limit` applies to all requests of the stream. In these cases, the stream continues
    /// with sequential requests:
    ///
    /// - If the service rejects the request in the opposite order, which lists the last record
    ///   first. A `tracing` event reports this.
    /// - If a page isn't sorted by time, or if a window lists a record that the previous window
    ///   should have listed. If records may already have been missed by then, the stream ends with
    ///   a `Decode` error.
    ///
    /// If the service sorts by another time than the OpenAPI description states, and no page shows
    /// this, the client can't detect it. Read such a service sequentially. If the record at the
    /// fixed end isn't returned, because it has left the listing or a response was outdated, a
    /// `tracing` event reports it.
    ///
    /// If several requests fail at once, the stream returns a single error, after the last of these
    /// requests has finished. The next poll sends the failed requests again.
    ///
    /// A listing that starts at a cursor that you set, or that isn't ordered by time, is read
    /// sequentially. So is a listing without a time filter, if another listing of the same records
    /// has one. On any other listing without a time filter, `concurrency` doesn't compile:
    ///
    /// ```compile_fail,E0277
    /// # fn example(client: second::Client) {
    /// let depots = client.list_depots().items().concurrency(4);
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the next poll, if the stream has started.
    pub fn concurrency(mut self, requests: usize) -> Self
    where
        T: Timed,
    {
        match (&self.state, &mut self.plan) {
            (State::NotBegun(_), Some(plan)) => {
                plan.concurrency = requests.clamp(1, MOST_AT_ONCE);
            }
            (State::NotBegun(_) | State::Refused(_), _) => {}
            _ => self.refuse(Error::invalid("`concurrency` must be set before the first poll")),
        }
        self
    }

    /// Lists the existing records, oldest first, then new and changed ones indefinitely.
    ///
    /// See [`Following`] for the details and an example.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll if the stream has started or was resumed, if the listing
    /// isn't in ascending order of time, or if it can't be filtered by time.
    pub fn follow(self, follow: Follow) -> Following<T>
    where
        T: Timed,
    {
        let is_new = matches!(self.state, State::NotBegun(None));
        let plan = match (self.kept, self.plan) {
            (Some(Kept::Error(error)), _) => Err(error),
            (_, Some(plan)) => oldest_first(plan, is_new),
            (_, None) => Err(Error::invalid(REFUSED)),
        };
        Following::new(plan, follow)
    }
}

/// The listing in ascending order of time, or an error if it can't be followed.
fn oldest_first<T: Timed>(mut plan: Plan<T>, is_new: bool) -> Result<Plan<T>, Error> {
    let (listing, query) = (plan.listing, &mut plan.start.call.query);
    let begins_at_cursor;
    let refusal = match (&listing.order, listing.is_ascending(query)) {
        _ if !is_new => "a stream that has started or was resumed can't be followed",
        // Each round would request all records again.
        _ if listing.time_range.is_none() => {
            "a listing that can't be filtered by time can't be followed"
        }
        _ if listing.cursor_of(query).is_some() => {
            begins_at_cursor = format!("a followed listing can't start at a {}", listing.cursor);
            &begins_at_cursor
        }
        (Some(order), Some(ascending)) if ascending || query.get(order.parameter).is_none() => {
            query.set(order.parameter, order.word(true));
            return Ok(plan);
        }
        _ => "only a listing in ascending order of time can be followed",
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
        fixture::{BY_PAGE, Item, ItemPage},
        listing::tests::start,
    };

    // Another listing of the same records may have a time filter.
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
