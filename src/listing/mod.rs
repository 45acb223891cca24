//! What the description says of an operation that lists, and the query that a walk of it edits.

mod checkpoint;
pub use checkpoint::Checkpoint;
mod filter_chunks;
mod items;
pub use items::Items;
mod merge;
pub(crate) mod page;
pub use page::{Id, Page, Pages, Record, Timed};
mod pager;
mod prefetch;
mod resume;
mod windows;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reqwest::{Request, Url};

use crate::{Client, Operation};

/// The cursor's parameter, the same for every listing.
pub(crate) const CURSOR: &str = "page_cursor";

#[derive(Debug)]
pub(crate) struct Listing {
    /// Parameters that the service forbids beside a cursor.
    pub not_with_cursor: &'static [&'static str],
    /// Array filters, and how many entries one request may carry of each.
    pub filters: &'static [(&'static str, usize)],
    pub order: Option<Order>,
    /// The parameter for the size of a page.
    pub limit: Option<&'static str>,
    /// By which parameters it can be cut into windows of time.
    pub window: Option<Window>,
}

#[derive(Debug)]
pub(crate) struct Order {
    pub parameter: &'static str,
    pub ascending: &'static str,
    pub descending: &'static str,
    /// None where the description doesn't tell.
    pub ascending_by_default: Option<bool>,
    pub key: Option<Key>,
}

/// By what the records are ordered, where that can be chosen.
#[derive(Debug)]
pub(crate) struct Key {
    pub parameter: &'static str,
    pub by_time: &'static str,
    pub is_default: bool,
}

#[derive(Debug)]
pub(crate) struct Window {
    pub from: &'static str,
    pub until: &'static str,
    pub until_inclusive: bool,
}

/// A listing that is about to begin.
#[derive(Debug)]
pub(crate) struct Start {
    pub client: Client,
    pub operation: Operation,
    pub request: Request,
    /// An empty filter array matches nothing: there is nothing to ask for.
    pub nothing: bool,
}

impl Window {
    /// Begins the listing at a time, which belongs to it, whatever its order.
    pub(crate) fn begin_at(&self, url: &mut Url, time: DateTime<Utc>, ascending: bool) {
        if ascending {
            self.set_from(url, begin_of_unit(time));
        } else {
            self.set_until(url, end_of_second(time));
        }
    }

    /// The first time that belongs to the window, unless a later one was asked for.
    pub(crate) fn set_from(&self, url: &mut Url, time: DateTime<Utc>) {
        let time = asked(url, self.from).map_or(time, |asked| asked.max(time));
        set(url, self.from, &rfc3339(time));
    }

    /// The last time that belongs to the window, unless an earlier one was asked for.
    pub(crate) fn set_until(&self, url: &mut Url, time: DateTime<Utc>) {
        // Behind an exclusive bound the next tick is left out again by whoever reads the records.
        let tick =
            if self.until_inclusive { TimeDelta::zero() } else { TimeDelta::milliseconds(1) };
        let time = time.checked_add_signed(tick).unwrap_or(time);
        let time = asked(url, self.until).map_or(time, |asked| asked.min(time));
        set(url, self.until, &rfc3339(time));
    }
}

fn asked(url: &Url, bound: &str) -> Option<DateTime<Utc>> {
    value(url, bound)?.parse().ok()
}

/// The end of the second that a time stands in. A service may tell less of a time than it compares,
/// and compare less of a bound than it is told.
fn end_of_second(time: DateTime<Utc>) -> DateTime<Utc> {
    let rest = TimeDelta::nanoseconds(1_000_000_000 - i64::from(time.timestamp_subsec_nanos()));
    time.checked_add_signed(rest).unwrap_or(time)
}

/// The earliest that is told as this time where times are rounded to the nearest unit.
fn begin_of_unit(time: DateTime<Utc>) -> DateTime<Utc> {
    let half = match time.timestamp_subsec_nanos() {
        0 => 500_000_000,
        nanos if nanos.is_multiple_of(1_000_000) => 500_000,
        nanos if nanos.is_multiple_of(1_000) => 500,
        _ => 0,
    };
    time.checked_sub_signed(TimeDelta::nanoseconds(half)).unwrap_or(time)
}

/// In UTC with a `Z`: a raw `+00:00` in a query reaches some servers as a space. A year has four
/// digits.
fn rfc3339(time: DateTime<Utc>) -> String {
    let last = DateTime::from_timestamp(253_402_300_799, 999_999_999);
    let time = last.map_or(time, |last| time.min(last));
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

impl Start {
    pub(crate) fn again(&self) -> Option<Self> {
        Some(Self {
            client: self.client.clone(),
            request: self.request.try_clone()?,
            operation: self.operation,
            nothing: self.nothing,
        })
    }
}

impl Listing {
    pub(crate) fn leave_out_excluded(&self, url: &mut Url) {
        if !self.not_with_cursor.is_empty() && value(url, CURSOR).is_some() {
            retain(url, |name, _| !self.not_with_cursor.contains(&name));
        }
    }

    /// Whether it is the order that comes without the parameter, too.
    pub(crate) fn is_default(&self, name: &str, value: &str) -> bool {
        self.order.as_ref().is_some_and(|order| {
            let default = |ascending| if ascending { order.ascending } else { order.descending };
            let default = order.ascending_by_default.map(default);
            let key = order.key.as_ref().filter(|key| key.is_default && key.parameter == name);
            (order.parameter == name && default == Some(value))
                || key.is_some_and(|key| key.by_time == value)
        })
    }

    /// Whether the records come oldest first; none where it isn't known that they come in the
    /// order of their times.
    pub(crate) fn is_ascending(&self, url: &Url) -> Option<bool> {
        let order = self.order.as_ref()?;
        let by_time = order.key.as_ref().is_none_or(|key| match value(url, key.parameter) {
            Some(asked) => asked == key.by_time,
            None => key.is_default,
        });
        let ascending = match value(url, order.parameter) {
            Some(asked) if asked == order.ascending => Some(true),
            Some(asked) if asked == order.descending => Some(false),
            Some(_) => None,
            None => order.ascending_by_default,
        };
        ascending.filter(|_| by_time)
    }
}

/// The first value of a parameter.
pub(crate) fn value(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// Gives a parameter this one value.
pub(crate) fn set(url: &mut Url, name: &str, value: &str) {
    retain(url, |known, _| known != name);
    url.query_pairs_mut().append_pair(name, value);
}

pub(crate) fn retain(url: &mut Url, mut keep: impl FnMut(&str, &str) -> bool) {
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, value)| keep(name, value))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if kept.is_empty() {
        url.set_query(None);
    } else {
        url.query_pairs_mut().clear().extend_pairs(kept);
    }
}
