//! What a listing can do whose records are filtered and ordered by their time.

use super::{Items, Kept, REFUSED, State};
use crate::{
    Error,
    listing::{Follow, Following, Record, Timed, plan::Plan},
};

/// Each is a connection, and some systems allow a process few more open files.
const MOST_AT_ONCE: usize = 256;

impl<T: Record> Items<T> {
    /// Reads windows of time, with up to `requests` requests at once: at most 256, and one after the
    /// other for 0 and 1. Call it before the first poll.
    ///
    /// The stream hands out what one request after the other would: the same records in the same
    /// order, none twice and none missed, however they cluster. Its end is pinned when it begins, at
    /// the newest record that there is. It holds at most four pages per request in memory, and
    /// `rate_limit` applies to all of its requests. It needs about 10 % more requests than one after
    /// the other, and up to 50 % plus a page per request where records come in bursts, in batches of
    /// one time, or where the service compares times in a coarser unit than those in its answers.
    /// If the service refuses to list the last record first, the listing is read one request after
    /// the other, and a `tracing` event says so. The same happens, without an event, as soon as a page
    /// isn't in the order of its times, or a window lists a record that the one before it should have
    /// listed. If a page's order shows that records may have been missed by then, that is a `Decode`
    /// error, and the stream ends. Disorder that no page shows can't be noticed: where the
    /// service sorts by another time than the description states, read one request after the other. A record that
    /// arrives where the listing has been read ahead isn't listed. If the record at which the end was
    /// pinned doesn't come, because it has left the listing or an answer is older than the one that
    /// showed it, a `tracing` event says so.
    ///
    /// An outage is one error, whatever the number of requests that it hits: it comes when none of
    /// them is in flight any more, and the next poll sends them again.
    ///
    /// A listing that begins at a cursor of yours, or that isn't ordered by time, is
    /// read one request after the other. So is a listing without a time filter whose records also
    /// appear in one that has it. On any other listing, `concurrency` doesn't compile:
    ///
    /// ```compile_fail,E0277
    /// # fn example(client: second::Client) {
    /// let depots = client.list_depots().items().concurrency(4);
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the next poll, if the stream has begun.
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

    /// Lists what is there, and then what arrives and what changes, oldest first, without an end.
    ///
    /// [`Following`] says what it promises, with an example.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll, for a stream that has begun or is resumed, and for a
    /// listing in another order than ascending by time, or one that can't be filtered by it
    /// while another listing of the same records can.
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

/// The listing in ascending order of time, unless it can't be followed.
fn oldest_first<T: Timed>(mut plan: Plan<T>, is_new: bool) -> Result<Plan<T>, Error> {
    let (listing, query) = (plan.listing, &mut plan.start.call.query);
    let begins_at_cursor;
    let refusal = match (&listing.order, listing.is_ascending(query)) {
        _ if !is_new => "a stream that has begun or is resumed can't be followed",
        // Each round would ask for all records again.
        _ if listing.time_range.is_none() => {
            "a listing that can't be filtered by time can't be followed"
        }
        _ if listing.cursor_of(query).is_some() => {
            begins_at_cursor =
                format!("a listing that is followed can't begin at {}", listing.cursor);
            &begins_at_cursor
        }
        (Some(order), Some(ascending)) if ascending || query.get(order.parameter).is_none() => {
            query.set(order.parameter, order.word(true));
            return Ok(plan);
        }
        _ => "a listing is followed in ascending order of time alone",
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

    // Another listing of the same records may have bounds of time.
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
