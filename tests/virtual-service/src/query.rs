//! The query of a request.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, Utc};
use reqwest::{StatusCode, Url};

use crate::{
    listing::{Listing, Names},
    record::{depot, market, number, side},
    service::Service,
    time::{Bounds, nanos},
};

/// The parameters of a request to a listing, in the order of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) listing: Listing,
    pairs: Vec<(String, String)>,
}

/// Returns the names and values of a URL's query parameters.
pub(crate) fn pairs(url: &Url) -> Vec<(String, String)> {
    let pairs = url.query_pairs();
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

impl Query {
    pub(crate) fn of(listing: Listing, url: &Url) -> Self {
        Self { listing, pairs: pairs(url) }
    }

    pub(crate) fn cursor(&self) -> Option<&str> {
        self.get(self.names().cursor)
    }

    /// Returns the requested number of records per page.
    pub(crate) fn size(&self) -> Option<usize> {
        self.get(self.names().size)?.parse().ok()
    }

    fn names(&self) -> &'static Names {
        self.listing.names()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.pairs.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn is_ascending(&self) -> bool {
        let (order, ascending) = self.names().order;
        self.get(order) == Some(ascending)
    }

    /// Returns all parameters except the cursor and the page size.
    pub(crate) fn filter(&self) -> impl Iterator<Item = &(String, String)> {
        let Names { cursor, size, .. } = self.names();
        self.pairs.iter().filter(move |(name, _)| name != cursor && name != size)
    }

    /// Returns the status of an error response if the specification doesn't allow the query.
    pub(crate) fn refusal(&self) -> Option<StatusCode> {
        let names = self.names();
        let count = |name: &str| self.all(name).count();
        let is_wrong = self.pairs.iter().any(|(name, _)| !names.has(name))
            || names.others.iter().any(|name| count(name) > names.most_entries.max(1))
            || (!names.size_with_cursor && self.cursor().is_some() && count(names.size) > 0);
        is_wrong.then_some(StatusCode::BAD_REQUEST)
    }

    /// Returns the first and the last time within the bounds, after the service has rounded the
    /// bounds.
    pub(crate) fn range(&self, service: &Service) -> (i128, i128) {
        let bound = |name: &str| {
            let time: DateTime<Utc> = self.get(name)?.parse().ok()?;
            Some(service.bounds.read(nanos(time)))
        };
        let (mut from, mut until) = (i128::MIN / 4, i128::MAX / 4);
        if service.bounds != Bounds::Ignored {
            for (name, beyond) in self.names().froms {
                from = from.max(bound(name).map_or(from, |bound| bound + beyond));
            }
            for (name, beyond) in self.names().untils {
                until = until.min(bound(name).map_or(until, |bound| bound + beyond));
            }
        }
        (from, until)
    }

    /// Returns the filters, without the time bounds.
    pub(crate) fn filters(&self) -> Filters<'_> {
        let set = |name| Some(self.all(name).collect::<HashSet<_>>()).filter(|set| !set.is_empty());
        let ids = set("ids")
            .map(|ids| ids.iter().filter_map(|id| Some(number(id.parse().ok()?))).collect());
        Filters { query: self, ids, ref_ids: set("ref_ids"), depots: set("depots") }
    }
}

pub(crate) struct Filters<'a> {
    query: &'a Query,
    ids: Option<HashSet<usize>>,
    ref_ids: Option<HashSet<&'a str>>,
    depots: Option<HashSet<&'a str>>,
}

impl Filters<'_> {
    pub(crate) fn pass(&self, service: &Service, number: usize, now: Duration) -> bool {
        let is = |name, value: &str| self.query.get(name).is_none_or(|asked| asked == value);
        service.records[number].is_visible(now)
            && is("status", service.records[number].status(now))
            && is("state", service.records[number].state(now))
            && is("market", market(number))
            && is("side", side(number))
            && self.depots.as_ref().is_none_or(|depots| depots.contains(&*depot(number)))
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&number))
            && self
                .ref_ids
                .as_ref()
                .is_none_or(|ids| service.ref_id(number).is_some_and(|id| ids.contains(&*id)))
    }
}
