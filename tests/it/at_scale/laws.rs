//! Properties that hold for every listing and every service.

use std::{iter, time::Duration};

use chrono::{DateTime, Utc};
use fastrand::Rng;
use proptest::{collection::vec, prelude::*, sample::select};
use virtual_service::{
    Asked, BEGIN, Bounds, Record, Rounding, SECOND, Service, Ties, UNITS, nanos,
};

use super::walk::{Walk, asking, in_turn};
use crate::{cases, clock::paused};

/// Returns creation times in runs, each with its own pace and a gap before it. They start in 2025,
/// or near the limits of `DateTime<Utc>` or RFC 3339.
fn times() -> impl Strategy<Value = Vec<i128>> {
    let (earliest, latest) = (nanos(DateTime::<Utc>::MIN_UTC), nanos(DateTime::<Utc>::MAX_UTC));
    let year_10_000 = 253_402_300_800 * SECOND;
    let begin = prop_oneof![
        8 => Just(BEGIN),
        1 => Just(earliest),
        1 => Just(year_10_000 - SECOND),
        1 => Just(latest - 1_000 * SECOND),
    ];
    let gap = prop_oneof![Just(0_i128), 1..1_000_i128, 1..1_000_000_000_000_000_i128];
    let pace = prop_oneof![Just(0_i128), Just(1), 1..1_000_000_i128, 1..1_000_000_000_000_i128];
    (begin, vec((gap, pace, 0..200_usize), 0..6)).prop_map(move |(begin, runs)| {
        let (mut times, mut now) = (Vec::new(), begin);
        for (gap, pace, count) in runs {
            now += gap;
            for _ in 0..count {
                times.push(now.min(latest));
                now += pace;
            }
        }
        times
    })
}

fn roundings() -> impl Strategy<Value = Rounding> {
    let unit = || select(UNITS.to_vec());
    prop_oneof![
        3 => Just(Rounding::Exact),
        1 => unit().prop_map(Rounding::Down),
        1 => unit().prop_map(Rounding::Nearest),
        1 => unit().prop_map(Rounding::Up),
    ]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        6 => roundings().prop_map(Bounds::Read),
        1 => select(UNITS.to_vec()).prop_map(Bounds::Compared),
        1 => Just(Bounds::Ignored),
    ]
}

prop_compose! {
    fn services()(
        times in times(),
        (page, concurrency) in (2..60, 2..17_usize),
        (ascending, ties_stay, told_nearest) in any::<(bool, bool, bool)>(),
        (bounds, told) in (bounds(), prop_oneof![Just(1), Just(1_000_000), Just(SECOND)]),
        seed in any::<u64>(),
    ) -> (Service, Walk) {
        let service = Service {
            bounds,
            told: if told_nearest { Rounding::Nearest(told) } else { Rounding::Down(told) },
            ties: if ties_stay { Ties::Stay } else { Ties::Turn },
            takes: Duration::from_millis(1)..=Duration::from_millis(8),
            seed,
            ..Service::of(times)
        };
        (service, Walk { ascending, concurrency, page, pause: Duration::ZERO })
    }
}

prop_compose! {
    fn faults()(
        (service, walk) in services(),
        failing in prop_oneof![Just(0_usize), 2..9_usize],
        empty in prop_oneof![Just(0_usize), 3..9_usize],
        growing in prop_oneof![Just(0_u64), 1..9_u64],
    ) -> (Service, Walk) {
        let mut records = service.records.clone();
        // Records are added only if the service reports them with later times than the existing
        // records.
        if let Some(last) = records.last().map(|last| last.created)
            && growing > 0 && service.told.of(1) == 1 && last < 2 * BEGIN
        {
            records.extend((1..100).zip(1..).map(|(after, n)| Record {
                created: last + after,
                visible: Duration::from_millis(growing * n),
                ..Record::default()
            }));
        }
        (Service { failing, empty, records, ..service }, walk)
    }
}

fn refuses_one(asked: &Asked) -> Option<u16> {
    (asked.get("limit") == Some("1")).then_some(422)
}

fn before(service: &Service, walk: Walk) -> Vec<usize> {
    paused().block_on(async { walk.expected(&service.clone().serve()) })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn windows_hand_out_what_one_request_after_the_other_does((service, walk) in faults()) {
        let before = before(&service, walk);

        let (walked, after) = paused().block_on(async {
            let walked = walk.through(service).await;
            let after = walk.expected(&walked.endpoint);
            (walked, after)
        });

        // Records that are added during the walk are newer. Some of them may be returned if they
        // arrive before the client knows the last record.
        let numbers = &walked.numbers[..];
        if walk.ascending {
            prop_assert_eq!(&numbers[..before.len().min(numbers.len())], &before[..]);
            prop_assert_eq!(numbers, &after[..numbers.len()]);
        } else {
            let newer = numbers.len().saturating_sub(before.len());
            prop_assert_eq!(&numbers[newer..], &before[..]);
            prop_assert_eq!(numbers, &after[after.len() - numbers.len()..]);
        }
        prop_assert!(walked.endpoint.most_under_way() <= walk.concurrency);
    }

    #[test]
    fn programs_that_stop_anywhere_lose_and_double_nothing(
        (service, walk) in services(),
        most in 20..400_usize,
        seed in any::<u64>(),
    ) {
        let expected = before(&service, walk);

        let walked = paused().block_on(async {
            let (endpoint, mut random) = (service.serve(), Rng::with_seed(seed));
            in_turn(iter::repeat_with(|| {
                let concurrency = if random.bool() { 1 } else { walk.concurrency };
                let page = random.i32(1..=walk.page);
                let walk = Walk { concurrency, page, ..walk };
                (walk.items(&asking(&endpoint)), random.usize(1..=most))
            }))
            .await
        });

        prop_assert_eq!(walked.map_err(|error| error.to_string()), Ok(expected));
    }

    #[test]
    fn few_requests_ask_for_what_another_has_asked_for((service, walk) in services()) {
        let pages = service.records.len().div_ceil(walk.page.unsigned_abs() as usize) + 1;

        let walked = paused().block_on(walk.through(service));

        let (asked, most) = (walked.endpoint.count(), pages * 3 / 2 + 4 * walk.concurrency);
        prop_assert!(asked <= most, "{asked} for {pages}");
    }

    #[test]
    fn an_outage_is_one_error((service, walk) in services(), begin in 0..60_u64) {
        let (begin, expected) = (Duration::from_millis(begin), before(&service, walk));
        let service = Service { down: vec![begin..begin + Duration::from_millis(20)], ..service };

        let walked = paused().block_on(Walk { pause: Duration::from_millis(40), ..walk }.through(service));

        prop_assert_eq!(walked.numbers, expected);
        prop_assert!(walked.errors.len() <= 1, "{} errors", walked.errors.len());
    }

    #[test]
    fn a_service_that_refuses_the_probe_is_walked_one_after_the_other((service, walk) in services()) {
        let expected = before(&service, walk);
        // The client finds the last record by requesting a page of one record in the opposite
        // order. The service rejects this request.
        let service = Service { refuses: refuses_one, ..service };

        let walked = paused().block_on(walk.through(service));

        let most = expected.len().div_ceil(walk.page.unsigned_abs() as usize).max(1) + 1;
        prop_assert_eq!(walked.numbers, expected);
        prop_assert_eq!(walked.errors.len(), 0);
        prop_assert!(walked.endpoint.count() <= most);
    }
}
