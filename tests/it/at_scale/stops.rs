//! Tests that stop and resume the listings of services that differ from the sandbox.

use digital_assets::types::Order;
use virtual_service::{BEGIN, Endpoint, MILLISECOND, Rounding, SECOND, Service, Ties};

use super::{
    services::spread,
    walk::{Walk, asking, checkpoint_after, in_turn, numbers},
};
use crate::prelude::*;

#[tokio::test(start_paused = true)]
async fn a_stop_anywhere_loses_and_doubles_nothing_whatever_the_order_of_ties() {
    let ties = Service::of((0..199).map(|n| BEGIN + n / 40 * SECOND));
    for service in [
        Service { ties: Ties::OfFilter, ..ties },
        Service { nearly: SECOND / 2, ..spread(199, SECOND / 10) },
    ] {
        for walk in Walk::both(1, 40) {
            let endpoint = service.clone().serve();
            let expected = walk.expected(&endpoint);
            for stop in (1..199).step_by(9) {
                let rest = Walk { page: 7 + walk.page, ..walk };
                let programs = [(walk, stop), (rest, usize::MAX)]
                    .map(|(walk, most)| (walk.items(&asking(&endpoint)), most));

                let mut walked = in_turn(programs).await.unwrap();

                if service.ties == Ties::OfFilter {
                    walked.sort_unstable();
                    assert!(walked.into_iter().eq(0..199), "{service:?} {walk:?} {stop}");
                } else {
                    assert!(walked == expected, "{service:?} {walk:?} {stop}: {walked:?}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_comes_once_though_the_service_orders_in_seconds_and_tells_milliseconds() {
    let told = Rounding::Down(MILLISECOND);
    let endpoint = Service { ordered: SECOND, told, ..spread(20, SECOND / 4) }.serve();
    let walk = Walk { page: 3, ..Walk::ALONE };
    // With fewer than four records per run, the client can't notice that the records aren't sorted
    // by time.
    for stop in 4..=20 {
        let walked = stopped(&walk, &endpoint, stop).await.unwrap();

        assert_eq!(walked, walk.expected(&endpoint), "{stop} at a time");
    }
}

// Each request returns the records of a second in a different order, and at least one page shows
// this.
#[tokio::test(start_paused = true)]
async fn a_stop_where_times_dont_tell_the_order_loses_and_doubles_nothing_in_silence() {
    let told = [ErrorKind::StaleCheckpoint, ErrorKind::Decode];
    for (each, seed) in [(2, 1), (3, 2), (10, 3), (40, 4)] {
        let times = virtual_service::times("heavy tails", 199, seed).into_iter();
        let times =
            times.enumerate().map(|(n, time)| BEGIN + time + n as i128 % each * SECOND / 41);
        let ordered = Service { ordered: SECOND, ties: Ties::OfFilter, ..Service::of(times) };
        for walk in Walk::both(1, 40).into_iter().chain(Walk::both(8, 7)) {
            let endpoint = ordered.clone().serve();
            for stop in [1, 2, 3, 5, 8, 13, 21, 34] {
                match stopped(&walk, &endpoint, stop).await {
                    Ok(mut walked) => {
                        walked.sort_unstable();
                        assert!(walked.into_iter().eq(0..199), "{each} {walk:?} {stop}");
                    }
                    Err(error) => assert!(told.contains(&error.kind()), "{error}"),
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_resumes_asks_for_one_page_at_a_time_only_where_times_dont_tell_the_order() {
    let takes = Duration::from_millis(15);
    let service = Service { takes: takes..=takes, ..spread(1_500, SECOND / 20) };
    for (ordered, at_once) in [(1, 8), (SECOND, 1)] {
        let endpoint = Service { ordered, ..service.clone() }.serve();
        let walk = Walk { page: 25, ..Walk::ALONE };
        let checkpoint = checkpoint_after(walk.items(&asking(&endpoint)), 50).await;

        let walk = Walk { concurrency: 8, ..walk };
        let mut resumed = walk.items(&asking(&endpoint)).resume(checkpoint);

        let walked = numbers(&mut resumed, usize::MAX).await.unwrap();
        assert_eq!(walked, walk.expected(&endpoint)[50..], "{ordered}");
        assert_eq!(endpoint.most_under_way(), at_once, "{ordered}");
    }
}

/// Returns the record numbers from a walk that stops after every `stop` records and then resumes.
async fn stopped(walk: &Walk, endpoint: &Endpoint, stop: usize) -> Result<Vec<usize>, Error> {
    let programs = std::iter::repeat_with(|| (walk.items(&asking(endpoint)), stop));
    // A faulty walk could repeat records forever, so the number of runs is limited.
    in_turn(programs.take(1 + 1_000 / stop)).await
}

// The client limits URLs to 7,000 bytes. The second listing has longer URLs, because it also sends
// a `limit`.
#[tokio::test(start_paused = true)]
async fn a_split_filter_resumes_with_any_page_size() {
    for length in 50..64 {
        let endpoint = Service { ref_ids: Some(length), ..Service::of([BEGIN; 100]) }.serve();
        let list = || {
            let list = asking(&endpoint).list_deposit_addresses().order(Order::Asc);
            list.ref_ids((0..100).map(|number| format!("{number:0length$}")))
        };

        let programs = [(list().items(), 45), (list().limit(1_000).items(), usize::MAX)];
        let mut walked = in_turn(programs).await.unwrap();

        walked.sort_unstable();
        assert!(walked.into_iter().eq(0..100), "{length}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_whose_record_is_gone_is_an_error_of_its_operation() {
    // All records are from the same second, which the service doesn't sort by time. So only the
    // checkpoint's record shows which records came before it.
    let times = (0..20).map(|n| BEGIN + n * SECOND / 20);
    let endpoint = Service { ordered: SECOND, ..Service::of(times) }.serve();
    let list = || Walk::ALONE.items(&asking(&endpoint));
    let mut begun = list();
    let tenth = numbers(&mut begun, 10).await.unwrap()[9];
    endpoint.change(|service| service.records[tenth].removed = Some(Duration::ZERO));

    let mut resumed = list().resume(begun.checkpoint());

    let error = resumed.next().await.unwrap().unwrap_err();
    let message = "listDepositAddresses: the checkpoint's record is no longer listed; \
                   start a new listing at that record's created_at";
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::StaleCheckpoint, message));
    assert!(resumed.next().await.is_none());
}
