//! Tests with services that differ from the sandbox where the specification leaves a choice.

use chrono::{DateTime, Utc};
use virtual_service::{
    Asked, BEGIN, Bounds, DAY, Endpoint, Fault, HOUR, MILLISECOND, MINUTE, Record, Rounding,
    SECOND, SHAPES, Service, Ties, URL, id, nanos,
};

use super::{
    shaped,
    walk::{Walk, asking, in_turn, numbers},
};
use crate::{log, prelude::*};

/// Returns a service with `count` records that are `apart` nanoseconds apart on average.
pub(super) fn spread(count: i128, apart: i128) -> Service {
    let mut random = fastrand::Rng::with_seed(3);
    Service::of((0..count).map(|n| BEGIN + 123_456_789 + n * apart + random.i128(0..apart)))
}

#[tokio::test(start_paused = true)]
async fn coarse_times_and_small_pages_cost_few_requests_and_no_record() {
    let compared = |told, unit, apart| {
        let bounds = Bounds::Compared(unit);
        Service { told, bounds, ..spread(6_000, apart) }
    };
    // A window can't start within a second that the listing has already reached, because the window
    // would contain the same records again.
    let (bounds, told) = (Bounds::Read(Rounding::Down(SECOND)), Rounding::Down(SECOND));
    let in_seconds = Service { bounds, told, ..spread(2_000, SECOND / 100) };
    for (service, page, most) in [
        (compared(Rounding::Down(MILLISECOND), SECOND, 166_666), 100, 60 * 5),
        (compared(Rounding::Exact, MILLISECOND, 166_666), 100, 60 * 2),
        (compared(Rounding::Exact, DAY, 60 * SECOND), 100, 60 * 5),
        (in_seconds, 20, 150),
        (spread(300, HOUR), 1, 1_000),
        (spread(300, HOUR), 2, 600),
        (spread(300, HOUR), 3, 500),
        (spread(0, HOUR), 100, 2),
        (spread(1, HOUR), 100, 2),
        (spread(2, HOUR), 100, 2),
    ] {
        for walk in Walk::both(8, page) {
            let asked = walk.whole(service.clone()).await.endpoint.count();

            assert!(asked <= most, "{asked}, {service:?} {walk:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_are_ordered_in_a_coarser_unit_than_they_are_told_are_all_listed() {
    for ordered in [MILLISECOND, SECOND] {
        for bounds in [
            Bounds::Read(Rounding::Exact),
            Bounds::Read(Rounding::Down(ordered)),
            Bounds::Compared(ordered),
        ] {
            for ties in [Ties::Turn, Ties::Stay] {
                for walk in Walk::both(8, 100) {
                    // There are five records per unit.
                    walk.whole(Service { ordered, bounds, ties, ..spread(2_000, ordered / 5) })
                        .await;
                }
            }
        }
    }
}

// A time bound within a second would leave out some of that second's records.
#[tokio::test(start_paused = true)]
async fn records_that_are_ordered_and_told_in_seconds_are_all_listed() {
    for told in [Rounding::Down(SECOND), Rounding::Up(SECOND)] {
        for bounds in [Rounding::Exact, Rounding::Up(SECOND), Rounding::Down(MINUTE)] {
            let bounds = Bounds::Read(bounds);
            for (apart, page) in [(SECOND * 2 / 5, 1), (SECOND * 2 / 5, 2), (SECOND * 3, 2)] {
                for walk in Walk::both(8, page) {
                    walk.whole(Service { ordered: SECOND, told, bounds, ..spread(400, apart) })
                        .await;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_has_an_order_of_its_own_is_listed_in_that() {
    for always_ascending in [Some(true), Some(false)] {
        for walk in Walk::both(8, 100) {
            walk.whole(Service { always_ascending, ..spread(2_000, SECOND) }).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn records_at_the_edges_of_time_are_listed_or_an_error() {
    let year_10_000 = 253_402_300_800 * SECOND;
    for edge in [nanos(DateTime::<Utc>::MIN_UTC), nanos(DateTime::<Utc>::MAX_UTC), year_10_000] {
        for walk in Walk::both(4, 20) {
            let mut service = spread(150, DAY);
            service.records.push(Record::at(edge));

            let endpoint = service.serve();
            match numbers(&mut walk.items(&asking(&endpoint)), usize::MAX).await {
                Ok(walked) => assert_eq!(walked, walk.expected(&endpoint), "{edge}, {walk:?}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Decode, "{edge}, {walk:?}"),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_whose_last_record_was_not_there_yet_is_walked() {
    for walk in Walk::both(4, 20) {
        let mut service = spread(300, SECOND);
        for record in &mut service.records {
            record.visible = Duration::from_millis(5);
        }
        // The first request fails. The records are visible by the time of the next request.
        let endpoint = service.serve();
        endpoint.fault(Fault::Reset);
        let mut items = walk.items(&asking(&endpoint));
        assert!(items.next().await.unwrap().is_err());
        advance(Duration::from_millis(10)).await;

        let walked = numbers(&mut items, usize::MAX).await.unwrap();

        assert_eq!(walked, walk.expected(&endpoint), "{walk:?}");
    }
}

// Section 8 of the specification: an array has at most 100 entries. The client itself limits URLs
// to 7,000 bytes.
#[tokio::test(start_paused = true)]
async fn later_pages_and_windows_have_urls_as_short_as_the_first() {
    for length in 50..64 {
        let endpoint =
            Service { ballast: "x".repeat(200), ref_ids: Some(length), ..spread(300, 1_000) }
                .serve();
        let filter: Vec<_> = (0..300).step_by(3).map(|n| format!("{n:0length$}")).collect();
        let list = asking(&endpoint).list_deposit_addresses().ref_ids(filter).limit(20);

        for concurrency in [1, 5] {
            let mut items = list.clone().items().concurrency(concurrency);
            assert_eq!(numbers(&mut items, usize::MAX).await.unwrap().len(), 100);
        }

        let longest = endpoint.asked().iter().map(|asked| asked.length).max().unwrap();
        assert!(longest <= 7_000, "{length} characters each: {longest} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_last_record_one_page_is_asked_for_at_a_time_and_an_event_says_so() {
    let rejects = |asked: &Asked| (asked.get("limit") == Some("1")).then_some(422);
    let fails = |asked: &Asked| (asked.get("limit") == Some("1")).then_some(503);
    let each: [fn(&Asked) -> Option<u16>; 2] = [rejects, fails];
    for (refuses, walk) in each.into_iter().flat_map(|it| Walk::both(4, 20).map(|walk| (it, walk)))
    {
        let service = Service { refuses, ..spread(300, SECOND) };
        let (recorded, walked) = log::of(walk.whole(service)).await;

        assert_eq!(walked.endpoint.count(), 300 / 20 + 1, "{walk:?}");
        let messages = recorded.messages();
        let said = messages.iter().filter(|message| message.starts_with("failed to list")).count();
        assert_eq!(said, 1, "{walk:?}: {messages:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_there_comes_even_behind_a_record_that_arrives_at_the_end() {
    // With coarser reported times, the last record has the same time as records before it.
    for (seed, unit) in (0..100).flat_map(|seed| [(seed, 1), (seed, SECOND / 4)]) {
        let mut random = fastrand::Rng::with_seed(seed);
        let times = (0..20).map(|n| BEGIN + 10 * n.min(17) * SECOND + random.i128(0..SECOND));
        let told = Rounding::Down(unit);
        let service = Service { ordered: SECOND, ties: Ties::OfFilter, told, ..Service::of(times) };
        let endpoint = service.serve();
        let mut items = Walk::both(2, random.i32(3..7))[0].items(&asking(&endpoint));
        let mut walked = numbers(&mut items, 1).await.unwrap();
        let arrived = Record::at(BEGIN + 171 * SECOND - 1);
        endpoint.change(|service| service.records.extend([arrived.clone(), arrived]));

        if let Ok(rest) = numbers(&mut items, usize::MAX).await {
            walked.extend(rest);
            let is_whole = (0..20).all(|number| walked.contains(&number));
            assert!(is_whole || !shows_disorder(&endpoint), "{seed}: {walked:?}");
        }
    }
}

// The client requests the last record of the listing first. Some records before the last one have
// later times.
#[tokio::test(start_paused = true)]
async fn a_record_that_stands_at_the_end_is_not_lost_to_who_resumes_behind_its_time() {
    // The number of the last record, which is the only one that is listed out of order.
    const LAST: usize = 52;
    let told = [Rounding::Exact, Rounding::Down(MILLISECOND)];
    for (place, told) in (1..LAST - 10).flat_map(|place| told.map(|told| (place, told))) {
        let mut times: Vec<i128> = (0..LAST as i128).map(|n| BEGIN + n * SECOND).collect();
        times.push(times[place] + 1);
        let service = Service { astray: 100, nearly: DAY, told, ..Service::of(times) };
        let (endpoint, walk) = (service.serve(), Walk::both(3, 7)[0]);
        let listed = walk.expected(&endpoint);
        assert!(listed.iter().copied().eq(0..=LAST), "{listed:?}");
        let client = asking(&endpoint);

        let programs = [place + 8, usize::MAX].map(|most| (walk.items(&client), most));
        let Ok(walked) = in_turn(programs).await else { continue };
        assert_eq!(walked, listed, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn windows_lose_and_double_nothing_in_silence_where_the_order_is_nearly_that_of_the_times() {
    let ties = |each: i128| Service {
        ties: Ties::OfFilter,
        ..Service::of((0..2_000).map(|n| BEGIN + n / each * SECOND))
    };
    let nearly = |nearly, apart| Service { nearly, ..spread(2_000, apart) };
    let (mut wholes, mut errors) = (0, 0);
    for service in [
        ties(3),
        ties(30),
        ties(250),
        nearly(MILLISECOND, MILLISECOND),
        nearly(SECOND / 2, SECOND),
        nearly(SECOND / 20, SECOND),
        nearly(2 * SECOND, SECOND),
        nearly(MINUTE, 20 * SECOND),
    ] {
        for walk in Walk::both(8, 40) {
            let walked = walk.through(service.clone()).await;

            if walked.errors.is_empty() {
                let (mut numbers, mut expected) = (walked.numbers, walk.expected(&walked.endpoint));
                if service.ties == Ties::OfFilter {
                    numbers.sort_unstable();
                    expected.sort_unstable();
                }
                assert!(numbers == expected, "{service:?} {walk:?}");
                wholes += 1;
            } else {
                assert_eq!(walked.errors, [ErrorKind::Decode], "{service:?} {walk:?}");
                errors += 1;
            }
        }
    }
    assert!(errors <= 4, "{wholes} complete, {errors} errors");
}

// Two windows may be joined although a record between them is in neither window.
#[tokio::test(start_paused = true)]
async fn windows_that_were_joined_before_a_page_shows_disorder_are_whole_or_an_error() {
    let (mut wholes, mut errors) = (0, 0);
    for (astray, page) in [20, 60].into_iter().flat_map(|n| (2..8).map(move |page| (n, page))) {
        let walk = Walk { concurrency: 8, page, ..Walk::ALONE };
        let service = Service { astray, nearly: 10 * SECOND, ..spread(500, SECOND) };
        let walked = walk.through(service).await;

        if !shows_disorder(&walked.endpoint) || walked.errors == [ErrorKind::Decode] {
            errors += 1;
            continue;
        }
        assert_eq!(walked.errors, [], "{astray} {walk:?}");
        assert!(walked.numbers == walk.expected(&walked.endpoint), "{astray} {walk:?}");
        wholes += 1;
    }
    assert!(wholes > 0 && errors > 0, "{wholes} complete, {errors} errors");
}

// A record that arrives makes one window end after the start of the next window. The next window
// contains other records, but not the new one.
#[tokio::test(start_paused = true)]
async fn what_a_window_lists_is_not_lost_to_one_that_arrives_before_it_in_the_same_second() {
    for number in [14, 20, 23, 26] {
        let times = [300, 10_340, 20_600, 30_050, 40_160, 40_560, 40_340, 40_600, 40_640, 99_000];
        let took = Duration::from_millis(2);
        let service = Service::of(times.map(|time| BEGIN + time * MILLISECOND));
        let endpoint = Service { ordered: SECOND, takes: took..=took, ..service }.serve();
        let mut items = Walk { concurrency: 6, page: 1, ..Walk::ALONE }.items(&asking(&endpoint));
        let walked = numbers(&mut items, 3).await.unwrap();
        endpoint.change(|service| {
            service.records.resize(number, Record::at(BEGIN + DAY));
            service.records.push(Record::at(BEGIN + 40_941 * MILLISECOND));
        });

        let walked = match numbers(&mut items, usize::MAX).await {
            Ok(rest) => [walked, rest].concat(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Decode);
                continue;
            }
        };

        let listed = endpoint.asked().into_iter().flat_map(|asked| asked.records);
        let lost = listed.filter(|number| *number < times.len() && !walked.contains(number));
        assert_eq!(lost.collect::<Vec<_>>(), [0; 0], "{number}: {walked:?}");
    }
}

/// Returns whether reported times are out of order within a page of an ascending listing, or
/// between such a page and the record before it.
fn shows_disorder(endpoint: &Endpoint) -> bool {
    let told =
        |number: usize| endpoint.change(|service| service.told.of(service.records[number].created));
    endpoint.asked().iter().filter(|asked| asked.get("order") == Some("ASC")).any(|asked| {
        let cursor = asked.get("page_cursor").and_then(|cursor| cursor.split('.').next());
        let before = cursor.and_then(|number| number.parse().ok());
        !before.into_iter().chain(asked.records.iter().copied()).map(told).is_sorted()
    })
}

#[tokio::test(start_paused = true)]
async fn a_merge_of_listings_out_of_order_is_an_error() {
    let times = (0..400).map(|n| BEGIN + n * SECOND / 20);
    let endpoint = Service { ordered: SECOND, ..Service::of(times) }.serve();
    let mut items = asking(&endpoint).list_deposit_addresses().ids((0..400).map(id)).items();

    let error = numbers(&mut items, 400).await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(items.next().await.is_none());
}

/// The response time for a page.
const TAKES: Duration = Duration::from_millis(100);

/// For each shape: the least speed-up with 8 concurrent requests, as a share of 8, and the largest
/// number of requests per page.
const SPEED: [(f64, f64); SHAPES.len()] = [
    (0.75, 1.2),
    (0.65, 1.2),
    (0.60, 1.35),
    (0.60, 1.4),
    (0.38, 1.55),
    (0.36, 1.45),
    (0.39, 1.55),
    (0.12, 1.05),
];

#[tokio::test(start_paused = true)]
async fn no_shape_of_a_listing_leaves_many_requests_waiting_or_asks_for_much_twice() {
    let mut slow = Vec::new();
    for (shape, (share, requests)) in std::iter::zip(SHAPES, SPEED) {
        for ascending in [true, false] {
            let of_8 = speed_up(shape, ascending, 8).await;
            let of_64 = speed_up(shape, ascending, 64).await;

            let is_fast = of_8.0 >= share * 8.0 && of_8.1 <= requests;
            // With 64 concurrent requests, each additional one may cost an extra page.
            if !is_fast || of_64.0 < of_8.0 * 0.9 || of_64.1 > 2.1 {
                slow.push((shape, ascending, of_8, of_64));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:.2?}");
}

/// Returns the speed-up over requesting one page after another, and the number of requests per
/// page.
#[allow(clippy::cast_precision_loss)]
async fn speed_up(shape: &str, ascending: bool, concurrency: usize) -> (f64, f64) {
    const RECORDS: usize = 12_000;
    const PAGES: f64 = RECORDS as f64 / 100.0;
    let service = Service { takes: TAKES..=TAKES, ..shaped(shape, RECORDS) };

    let walked = Walk { ascending, concurrency, ..Walk::ALONE }.whole(service).await;

    (PAGES / 10.0 / walked.time.as_secs_f64(), walked.endpoint.count() as f64 / PAGES)
}

#[tokio::test(start_paused = true)]
async fn a_last_record_that_comes_with_a_retry_leaves_as_many_requests_at_once() {
    // Every third request fails. One of the first requests is the one for the last record.
    let service = Service { takes: TAKES..=TAKES, failing: 3, ..spread(2_000, SECOND) };
    let (endpoint, walk) = (service.serve(), Walk { concurrency: 8, ..Walk::ALONE });
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    let client = client.retry(Retry::default().max_attempts(9)).build().unwrap();

    let walked = numbers(&mut walk.items(&client), usize::MAX).await.unwrap();

    assert_eq!(walked, walk.expected(&endpoint));
    assert!(endpoint.most_under_way() > 4, "{}", endpoint.most_under_way());
}

// A record leaves a listing if, for example, the listing is filtered by status and the record's
// status changes.
#[tokio::test(start_paused = true)]
async fn a_last_record_that_leaves_its_listing_costs_no_other_record() {
    for (concurrency, page, arrivals) in
        [(2, 10, 5), (4, 10, 5), (4, 10, 25), (8, 7, 5), (8, 30, 5)]
    {
        for leaves in [6, 25, 40, 60] {
            let mut service = Service { takes: millis(8)..=millis(12), ..spread(300, SECOND) };
            service.records[299].removed = Some(millis(leaves));
            // These records arrive after the last one while the listing is read.
            service.records.extend(
                (0..arrivals).map(|n| Record {
                    visible: millis(10),
                    ..Record::at(BEGIN + (301 + n) * SECOND)
                }),
            );
            let walk = Walk { concurrency, page, ..Walk::ALONE };
            let (recorded, walked) = log::of(walk.through(service)).await;

            let way = format!("{leaves} {walk:?}");
            assert_eq!(walked.errors, [], "{way}");
            let listed: Vec<usize> = walked.numbers.iter().copied().filter(|n| *n < 299).collect();
            assert!(listed.into_iter().eq(0..299), "{way}: {:?}", walked.numbers);
            assert!(walked.numbers.is_sorted(), "{way}");
            let has_end = walked.numbers.contains(&299);
            let messages = recorded.messages();
            let said = messages.iter().filter(|message| message.contains("wasn't listed")).count();
            assert_eq!(said, usize::from(!has_end), "{way}");
            if !has_end {
                let all = 299 + usize::try_from(arrivals).unwrap();
                assert_eq!(walked.numbers.len(), all, "{way}: the listing's actual end");
            }
        }
    }
}

// Each case would take six seconds if one request followed another.
#[tokio::test(start_paused = true)]
async fn small_pages_and_times_read_in_hours_are_asked_for_by_as_many_requests_at_once() {
    let bounds = Bounds::Read(Rounding::Down(HOUR));
    for (service, page, most) in [
        (spread(180, MINUTE), 3, 1_700),
        (Service { bounds, ..spread(6_000, MINUTE / 2) }, 100, 1_500),
    ] {
        for walk in Walk::both(8, page) {
            let service = Service { takes: TAKES..=TAKES, ..service.clone() };

            let walked = walk.whole(service).await;

            assert!(walked.time <= Duration::from_millis(most), "{walk:?}: {:?}", walked.time);
        }
    }
}
