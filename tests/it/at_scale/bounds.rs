//! Services that print, read and compare times in coarser units, and times beyond all bounds.

use chrono::{DateTime, Utc};
use digital_assets::ErrorKind;

use super::{
    ids,
    service::{BOTH, Service, spread},
    take,
};
use crate::within_bounds;

// Section 2 shows timestamps in RFC 3339 and says nothing of their precision.
#[tokio::test]
async fn times_may_be_kept_told_and_read_in_different_units() {
    let cut_short = [(9, 9), (9, 3), (9, 0), (3, 9), (3, 3), (3, 0), (0, 9), (0, 0)];
    let rounded = [(6, 9), (3, 9), (0, 9), (0, 3)];
    let cases = cut_short.map(|(told, read)| (told, read, false)).into_iter();
    for (told, read, rounded) in cases.chain(rounded.map(|(told, read)| (told, read, true))) {
        for apart in [20_000_000_000, 2_500_000, if told == 6 { 2_500 } else { 250_000 }] {
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
async fn bounds_may_be_read_as_the_nearest_second_or_millisecond() {
    for read in [0, 3] {
        for order in BOTH {
            let service = Service { read, nearest: true, ..Service::new(spread(3_000, 300_000)) };
            let (_server, client) = service.clone().serve();
            let list = client.list_deposit_addresses().order(order.clone()).limit(100);

            let walked = ids(list.items().concurrency(8)).await;

            assert!(walked == service.expected(&order), "{read}, {order}: {}", walked.len());
        }
    }
}

#[tokio::test]
async fn records_at_the_edges_of_time_are_listed_or_an_error() {
    let [earliest, latest] = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
    let year_10_000 = DateTime::from_timestamp(253_402_300_800, 0).unwrap();
    for edge in [earliest, latest, year_10_000] {
        for order in BOTH {
            let mut service = Service::new(spread(150, 86_400_000_000_000));
            service.times.push(edge);
            service.times.sort_unstable();
            let (_server, client) = service.clone().serve();
            let list = client.list_deposit_addresses().order(order.clone()).limit(20);

            let mut items = list.items().concurrency(4);
            match within_bounds(take(&mut items, usize::MAX)).await {
                Ok(walked) => assert_eq!(walked, service.expected(&order), "{edge}, {order}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Decode, "{edge}, {order}"),
            }
        }
    }
}
