//! Services that leave open what the specification does, and differ from the sandbox in it.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, SecondsFormat, SubsecRound, Utc};
use digital_assets::{Client, ErrorKind, Retry, types::Order};
use uuid::Uuid;

use super::ids;
use crate::{
    Environment,
    server::{Answer, Received, Server, json},
    specification::{DEPOSIT_ADDRESS, items, with},
    within_bounds,
};

const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

/// Deposit addresses: when each was created, the oldest first. Its number is its id.
#[derive(Clone)]
struct Service {
    times: Vec<DateTime<Utc>>,
    /// Digits of a second that records tell, and that bounds are read with.
    told: u16,
    read: u16,
    /// Whether the records' times, too, are compared with no more digits than bounds are read with.
    coarse: bool,
    /// Whether times are told as the nearest that has so many digits, and not cut short.
    rounded: bool,
    /// Whether nothing was there yet when the last record was asked for.
    empty_at_first: bool,
    /// Added to a cursor.
    ballast: String,
}

impl Service {
    fn new(times: impl IntoIterator<Item = i64>) -> Self {
        let times: Vec<_> = times.into_iter().map(DateTime::from_timestamp_nanos).collect();
        let ballast = String::new();
        Self {
            told: 9,
            read: 9,
            coarse: false,
            rounded: false,
            empty_at_first: false,
            times,
            ballast,
        }
    }

    fn serve(self) -> (Server, Client) {
        let server = Server::answering(move |request| self.answer(request));
        let client = Client::builder(server.url()).bearer_token("token").retry(Retry::none());
        (server, client.build().unwrap())
    }

    fn answer(&self, request: &Received) -> Answer {
        let all = request.parameters();
        let parameters: HashMap<_, _> = all.iter().map(|(n, v)| (&n[..], &v[..])).collect();
        let bound = |name| {
            let time = parameters.get(name)?.parse::<DateTime<Utc>>().unwrap();
            Some(time.trunc_subsecs(self.read))
        };
        let (from, until) = (bound("created_at.gte"), bound("created_at.lte"));
        let limit = parameters.get("limit").map_or(100, |limit| limit.parse().unwrap());
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
        // Which cuts a time short, as services do.
        let time = time.to_rfc3339_opts(form, true);
        let address = with(DEPOSIT_ADDRESS, "id", &format!("{:?}", id_of(number)));
        with(&address, "created_at", &format!("{time:?}"))
    }

    fn expected(&self, order: &Order) -> Vec<String> {
        let numbers = (0..self.times.len()).map(id_of);
        if *order == Order::Asc { numbers.collect() } else { numbers.rev().collect() }
    }
}

fn id_of(number: usize) -> String {
    Uuid::from_u128(number as u128).to_string()
}

/// So many times, so many nanoseconds apart at the mean.
fn spread(count: i64, apart: i64) -> impl Iterator<Item = i64> {
    let mut random = fastrand::Rng::with_seed(3);
    (0..count).map(move |n| 1_735_689_600_123_456_789 + n * apart + random.i64(0..apart))
}

// Section 2 shows timestamps in RFC 3339 and says nothing of their precision.
#[tokio::test]
async fn times_may_be_kept_told_and_read_in_different_units() {
    let cut_short = [(9, 9), (9, 3), (9, 0), (3, 9), (3, 3), (3, 0), (0, 9), (0, 0)];
    let rounded = [(6, 9), (3, 9), (0, 9), (0, 3)];
    let cases = cut_short.map(|(told, read)| (told, read, false)).into_iter();
    for (told, read, rounded) in cases.chain(rounded.map(|(told, read)| (told, read, true))) {
        // Bounds that are read as less than the records tell can't cut what is dense.
        let dense = if read < told { 20_000_000_000 } else { 2_500_000 };
        for apart in [20_000_000_000, dense, if told == 6 { 2_500 } else { dense / 10 }] {
            let service = Service { told, read, rounded, ..Service::new(spread(1_500, apart)) };
            for order in BOTH {
                let (_server, client) = service.clone().serve();
                let list = || client.list_deposit_addresses().order(order.clone()).limit(40);

                let walked = ids(list().items().concurrency(6)).await;

                let expected = service.expected(&order);
                let case = format!("{told} digits told, {read} read, {apart} ns apart, {order}");
                assert!(walked == expected, "{case}, rounded: {rounded}: {}", walked.len());
            }
        }
    }
}

#[tokio::test]
async fn a_stop_among_records_that_tell_one_time_loses_none_of_them() {
    for (told, read, rounded) in [
        (3, 9, false),
        (3, 3, false),
        (0, 9, false),
        (9, 3, false),
        (9, 0, false),
        (3, 0, false),
        (0, 0, false),
        (6, 9, true),
        (3, 9, true),
        (0, 9, true),
    ] {
        let service = Service { told, read, rounded, ..Service::new(spread(300, 50_000)) };
        for order in BOTH {
            let (_server, client) = service.clone().serve();
            let list = || client.list_deposit_addresses().order(order.clone()).limit(40);
            let mut items = list().items();
            let mut walked = super::take(&mut items, 130).await.unwrap();

            walked.extend(ids(list().items().resume(items.checkpoint())).await);

            let expected = service.expected(&order);
            assert!(walked == expected, "{told} told, {read} read, {order}: {}", walked.len());
        }
    }
}

#[tokio::test]
async fn a_merged_walk_that_stops_before_it_is_where_it_was_doubles_nothing() {
    let at = 1_735_689_600_000_000_000;
    let service = Service::new([at; 200]);
    // The first isn't there yet when the walk begins.
    let mut early = service.clone();
    early.times[0] = DateTime::UNIX_EPOCH;
    let ((_early, before), (_server, client)) = (early.serve(), service.serve());
    let list = |client: &Client| {
        let all = (0..200).map(Uuid::from_u128);
        let list = client.list_deposit_addresses().order(Order::Asc).ids(all);
        list.created_at_gte(DateTime::from_timestamp_nanos(at)).limit(40).items()
    };
    let mut items = list(&before);
    let mut walked = super::take(&mut items, 120).await.unwrap();
    let mut items = list(&client).resume(items.checkpoint());
    walked.extend(super::take(&mut items, 1).await.unwrap());

    walked.extend(ids(list(&client).resume(items.checkpoint())).await);

    assert_eq!(walked.len(), 200);
    assert_eq!(walked.iter().collect::<HashSet<_>>().len(), 200);
}

#[tokio::test]
async fn a_checkpoint_whose_record_is_gone_is_an_error_of_its_operation() {
    let page = |numbers: [usize; 2]| {
        let address = |number| with(DEPOSIT_ADDRESS, "id", &format!("{:?}", id_of(number)));
        json(200, items(&numbers.map(address).each_ref().map(String::as_str), ""))
    };
    let env = Environment::playing([page([1, 2]), page([2, 3])]);
    let mut begun = env.client.list_deposit_addresses().items();
    begun.next().await.unwrap().unwrap();

    let mut resumed = env.client.list_deposit_addresses().items().resume(begun.checkpoint());

    let error = resumed.next().await.unwrap().unwrap_err();
    let message = "listDepositAddresses: the checkpoint's record isn't listed any more; \
                     begin anew from its created_at";
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::StaleCheckpoint, message));
    assert!(resumed.next().await.is_none());
}

#[tokio::test]
async fn a_listing_whose_last_record_was_not_there_yet_is_walked() {
    for order in BOTH {
        let service = Service::new(spread(300, 1_000_000_000));
        let service = Service { empty_at_first: true, ..service };
        let (_server, client) = service.clone().serve();
        let list = client.list_deposit_addresses().order(order.clone()).limit(20);

        let walked = within_bounds(ids(list.items().concurrency(4))).await;

        assert_eq!(walked, service.expected(&order), "{order}");
    }
}

// Section 8: at most 100 entries each; design: and no URL longer than 7,000 bytes.
#[tokio::test]
async fn later_pages_and_windows_have_urls_as_short_as_the_first() {
    for length in 50..64 {
        let service = Service { ballast: "x".repeat(200), ..Service::new(spread(300, 1_000)) };
        let (server, client) = service.serve();
        let filter = |count: usize| (0..count).map(|n| format!("{n:0length$}")).collect::<Vec<_>>();
        let list = client.list_deposit_addresses().ref_ids(filter(100)).limit(60);

        for concurrency in [1, 5] {
            ids(list.clone().items().concurrency(concurrency)).await;
        }

        let longest = server.lines().iter().map(String::len).max().unwrap();
        assert!(longest <= 7_000 - 25, "{length} characters each: {longest} bytes");
    }
}

#[tokio::test]
async fn pages_of_few_records_are_no_cause_for_many_requests() {
    for (limit, most) in [(1, 1_000), (2, 600), (3, 500)] {
        let (server, client) = Service::new(spread(300, 3_600_000_000_000)).serve();

        let walked = ids(client.list_deposit_addresses().limit(limit).items().concurrency(8)).await;

        assert_eq!(walked.len(), 300);
        assert!(server.count() <= most, "limit {limit}: {} requests", server.count());
    }
}

#[tokio::test]
async fn times_that_are_compared_in_a_coarser_unit_cost_requests_but_no_record() {
    for (told, read, apart, most) in [(3, 0, 166_666, 60 * 5), (9, 3, 166_666, 60 * 2)] {
        for order in BOTH {
            let times = spread(6_000, apart);
            let service = Service { told, read, coarse: true, ..Service::new(times) };
            let (server, client) = service.clone().serve();
            let list = client.list_deposit_addresses().order(order.clone()).limit(100);

            let walked = ids(list.items().concurrency(8)).await;

            assert!(walked == service.expected(&order), "{told} told, {read} read, {order}");
            let count = server.count();
            assert!(count <= most, "{told} told, {read} read, {order}: {count} requests");
        }
    }
}

#[tokio::test]
async fn bursts_cost_few_more_requests_than_one_after_the_other() {
    let day = 24 * 3_600 * 1_000_000_000;
    let times = (0..60).flat_map(|n| (0..50).map(move |m| 1 + n * day + m * 1_000_000_000));
    for order in BOTH {
        let service = Service::new(times.clone());
        let (server, client) = service.clone().serve();
        let list = client.list_deposit_addresses().order(order.clone()).limit(50);

        let walked = ids(list.items().concurrency(8)).await;

        assert_eq!(walked, service.expected(&order), "{order}");
        assert!(server.count() <= 3 * 60, "{order}: {} requests", server.count());
    }
}
