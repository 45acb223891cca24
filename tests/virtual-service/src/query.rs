//! What a request asks for.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, Utc};
use reqwest::{StatusCode, Url};

use crate::{
    record::{market, number, side},
    service::Service,
    time::{Bounds, nanos},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Section 4.1.
    QuoteExecutions,
    /// Section 4.2.
    MonitoringAddresses,
    /// Section 4.3.
    DepositAddresses,
    /// A listing of no description: with bounds of time.
    ByTime,
    /// A listing of no description: without.
    ByPage,
}

impl Listing {
    pub(crate) fn of(path: &str) -> Option<Self> {
        Some(match path.rsplit('/').next()? {
            "quote-executions" => Self::QuoteExecutions,
            "address" => Self::MonitoringAddresses,
            "deposit-addresses" => Self::DepositAddresses,
            "by-time" => Self::ByTime,
            "by-page" => Self::ByPage,
            _ => return None,
        })
    }

    /// The name of a page's array.
    pub(crate) fn array(self) -> &'static str {
        if self == Self::MonitoringAddresses { "addresses" } else { "items" }
    }

    fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::QuoteExecutions => {
                &["side", "market", "status", "created_at.begin", "created_at.end", "order_by"]
            }
            Self::MonitoringAddresses | Self::ByPage => &[],
            Self::DepositAddresses | Self::ByTime => &[
                "ids",
                "ref_ids",
                "created_at.lt",
                "created_at.lte",
                "created_at.gte",
                "created_at.gt",
                "order_by",
            ],
        }
    }
}

/// Names and values as the service reads them, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(pub(crate) Vec<(String, String)>);

impl Query {
    pub(crate) fn of(url: &Url) -> Self {
        Self(
            url.query_pairs()
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn is_ascending(&self) -> bool {
        self.get("order") == Some("ASC")
    }

    /// What is asked for beside page and page size.
    pub(crate) fn filter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter().filter(|(name, _)| name != "page_cursor" && name != "limit")
    }

    /// The status of a refusal, if the specification forbids the query.
    pub(crate) fn refusal(&self, listing: Listing) -> Option<StatusCode> {
        const ALL: [&str; 3] = ["limit", "order", "page_cursor"];
        // Section 4.3.
        const MOST_ENTRIES: usize = 100;
        let has = |name| self.get(name).is_some();
        let is_known = |name: &str| ALL.contains(&name) || listing.parameters().contains(&name);
        let entries = ["ids", "ref_ids"].map(|name| self.all(name).count());
        let is_wrong = self.0.iter().any(|(name, _)| !is_known(name))
            || entries.into_iter().any(|count| count > MOST_ENTRIES)
            || (listing == Listing::QuoteExecutions && has("page_cursor") && has("limit"));
        is_wrong.then_some(StatusCode::BAD_REQUEST)
    }

    /// The times, both inclusive, that the bounds include as the service reads them.
    pub(crate) fn range(&self, service: &Service) -> (i128, i128) {
        let bound = |name| {
            let time: DateTime<Utc> = self.get(name)?.parse().ok()?;
            Some(service.bounds.read(nanos(time)))
        };
        let (mut from, mut until) = (i128::MIN / 4, i128::MAX / 4);
        if service.bounds != Bounds::Ignored {
            for (name, beyond) in
                [("created_at.begin", 0), ("created_at.gte", 0), ("created_at.gt", 1)]
            {
                from = from.max(bound(name).map_or(from, |bound| bound + beyond));
            }
            for (name, beyond) in
                [("created_at.end", 0), ("created_at.lte", 0), ("created_at.lt", 1)]
            {
                until = until.min(bound(name).map_or(until, |bound| bound - beyond));
            }
        }
        (from, until)
    }

    /// The filters that aren't bounds of time.
    pub(crate) fn filters(&self) -> Filters<'_> {
        let set = |name| Some(self.all(name).collect::<HashSet<_>>()).filter(|set| !set.is_empty());
        let ids = set("ids")
            .map(|ids| ids.iter().filter_map(|id| Some(number(id.parse().ok()?))).collect());
        Filters { query: self, ids, ref_ids: set("ref_ids") }
    }
}

pub(crate) struct Filters<'a> {
    query: &'a Query,
    ids: Option<HashSet<usize>>,
    ref_ids: Option<HashSet<&'a str>>,
}

impl Filters<'_> {
    pub(crate) fn pass(&self, service: &Service, number: usize, now: Duration) -> bool {
        let is = |name, value: &str| self.query.get(name).is_none_or(|asked| asked == value);
        service.records[number].is_visible(now)
            && is("status", service.records[number].status(now))
            && is("market", market(number))
            && is("side", side(number))
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&number))
            && self
                .ref_ids
                .as_ref()
                .is_none_or(|ids| service.ref_id(number).is_some_and(|id| ids.contains(&*id)))
    }
}
