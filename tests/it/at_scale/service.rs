//! A service of deposit addresses that differs from the sandbox where the specification allows it.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, SecondsFormat, SubsecRound, Utc};
use digital_assets::{Client, Retry, types::Order};
use uuid::Uuid;

use crate::{
    server::{Answer, Received, Server, json},
    specification::{DEPOSIT_ADDRESS, items, with},
};

pub(super) const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

/// Deposit addresses: when each was created, the oldest first. Its number is its id.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a way of a service by itself")]
pub(super) struct Service {
    pub(super) times: Vec<DateTime<Utc>>,
    /// The fractional digits that records print, and those that bounds are read with.
    pub(super) told: u16,
    pub(super) read: u16,
    /// Whether bounds are rounded to these digits instead of truncated.
    pub(super) nearest: bool,
    /// Whether records are compared with only the digits of the bounds, too.
    pub(super) coarse: bool,
    /// Whether printed times are rounded instead of truncated.
    pub(super) rounded: bool,
    /// Whether the listing was still empty when the client asked for the last record.
    pub(super) empty_at_first: bool,
    /// Whether the request for the last record fails.
    pub(super) refuses_last: bool,
    /// Added to a cursor.
    pub(super) ballast: String,
}

impl Service {
    pub(super) fn new(times: impl IntoIterator<Item = i64>) -> Self {
        let times: Vec<_> = times.into_iter().map(DateTime::from_timestamp_nanos).collect();
        let ballast = String::new();
        Self {
            told: 9,
            read: 9,
            nearest: false,
            coarse: false,
            rounded: false,
            empty_at_first: false,
            refuses_last: false,
            times,
            ballast,
        }
    }

    pub(super) fn serve(self) -> (Server, Client) {
        let server = Server::answering(move |request| self.answer(request));
        let client = Client::builder(server.url()).bearer_token("token").retry(Retry::none());
        (server, client.build().unwrap())
    }

    fn answer(&self, request: &Received) -> Answer {
        let all = request.parameters();
        let parameters: HashMap<_, _> = all.iter().map(|(n, v)| (&n[..], &v[..])).collect();
        let bound = |name| {
            let time = parameters.get(name)?.parse::<DateTime<Utc>>().unwrap();
            let read = if self.nearest {
                time.round_subsecs(self.read)
            } else {
                time.trunc_subsecs(self.read)
            };
            Some(read)
        };
        let (from, until) = (bound("created_at.gte"), bound("created_at.lte"));
        let limit = parameters.get("limit").map_or(100, |limit| limit.parse().unwrap());
        if self.refuses_last && limit == 1 {
            return json(422, "{}".to_owned());
        }
        let wanted = all.iter().filter(|(name, _)| name == "ids");
        let wanted: HashSet<_> = wanted.map(|(_, id)| id.parse::<Uuid>().unwrap()).collect();
        let digits = if self.coarse { self.read } else { 9 };
        let compared = |n: &usize| self.times[*n].trunc_subsecs(digits);
        let mut listed: Vec<usize> = (0..self.times.len())
            .filter(|n| from.is_none_or(|from| from <= compared(n)))
            .filter(|n| until.is_none_or(|until| compared(n) <= until))
            .filter(|n| wanted.is_empty() || wanted.contains(&Uuid::from_u128(*n as u128)))
            .filter(|_| !self.empty_at_first || limit > 1)
            .collect();
        if parameters.get("order") != Some(&"ASC") {
            listed.reverse();
        }
        let cursor = parameters.get("page_cursor");
        let begin: usize =
            cursor.map_or(0, |cursor| cursor.split('.').next().unwrap().parse().unwrap());
        let page = listed.iter().skip(begin).take(limit).map(|n| self.address(*n));
        let page: Vec<String> = page.collect();
        let page: Vec<&str> = page.iter().map(String::as_str).collect();
        let more = begin + limit < listed.len();
        let next = if more { format!("{}.{}", begin + limit, self.ballast) } else { String::new() };
        json(200, items(&page, &next))
    }

    fn address(&self, number: usize) -> String {
        let form = match self.told {
            0 => SecondsFormat::Secs,
            3 => SecondsFormat::Millis,
            6 => SecondsFormat::Micros,
            _ => SecondsFormat::Nanos,
        };
        let time = self.times[number];
        let time = if self.rounded { time.round_subsecs(self.told) } else { time };
        // Truncates the time, as services do.
        let time = time.to_rfc3339_opts(form, true);
        let address = with(DEPOSIT_ADDRESS, "id", &format!("{:?}", id_of(number)));
        with(&address, "created_at", &format!("{time:?}"))
    }

    pub(super) fn expected(&self, order: &Order) -> Vec<String> {
        let numbers = (0..self.times.len()).map(id_of);
        if *order == Order::Asc { numbers.collect() } else { numbers.rev().collect() }
    }
}

pub(super) fn id_of(number: usize) -> String {
    Uuid::from_u128(number as u128).to_string()
}

/// This many times, with this mean distance in nanoseconds.
pub(super) fn spread(count: i64, apart: i64) -> impl Iterator<Item = i64> {
    let mut random = fastrand::Rng::with_seed(3);
    (0..count).map(move |n| 1_735_689_600_123_456_789 + n * apart + random.i64(0..apart))
}
