//! What holds for every listing and every service.

use chrono::{DateTime, Utc};
use proptest::{collection::vec, prelude::*};

use super::{
    service::{BEGIN, Bounds, SECOND},
    *,
};

/// Times that cluster: runs of records, each after a gap and at a pace of its own; in our days, or
/// at the edges of what can be told or asked for.
fn times() -> impl Strategy<Value = Vec<i128>> {
    let nanos = |time: DateTime<Utc>| i128::from(time.timestamp()) * SECOND;
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

fn units() -> impl Strategy<Value = i128> {
    let units = vec![1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND];
    proptest::sample::select(units)
}

fn bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        3 => Just(Bounds::Exact),
        1 => units().prop_map(Bounds::CutShort),
        1 => units().prop_map(Bounds::Rounded),
        1 => units().prop_map(Bounds::Compared),
        1 => Just(Bounds::Ignored),
    ]
}

prop_compose! {
    fn services()(
        times in times(),
        page in 1..60_usize,
        concurrency in 2..17_usize,
        (ascending, ties_keep_their_order, told_rounded) in any::<(bool, bool, bool)>(),
        (bounds, told) in (bounds(), prop_oneof![Just(1), Just(1_000_000), Just(SECOND)]),
        seed in any::<u64>(),
    ) -> Service {
        Service {
            times, page, concurrency, ascending, ties_keep_their_order, bounds, told, told_rounded,
            takes: 1..=8, seed, ..Service::default()
        }
    }
}

prop_compose! {
    fn faults()(
        service in services(),
        failing in prop_oneof![Just(0_usize), 2..9_usize],
        empty in prop_oneof![Just(0_usize), 3..9_usize],
        growing in prop_oneof![Just(0_usize), 1..9_usize],
    ) -> Service {
        // What is added must be told as later than what is there.
        let growing = if service.told == 1 && service.times.last() < Some(&(BEGIN * 2)) { growing } else { 0 };
        Service { failing, empty, growing, ..service }
    }
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn windows_hand_out_what_one_request_after_the_other_does(service in faults()) {
        let walked = walk(&service, Duration::ZERO);

        // What is added meanwhile is newer; some of it may be in before the end is pinned.
        let numbers = walked.numbers();
        let before = service.listed(service.ascending);
        let added = walked.service.listed(service.ascending);
        if service.ascending {
            prop_assert_eq!(&numbers[..before.len().min(numbers.len())], &before[..]);
            prop_assert_eq!(&numbers[..], &added[..numbers.len()]);
        } else {
            let newer = numbers.len().saturating_sub(before.len());
            prop_assert_eq!(&numbers[newer..], &before[..]);
            prop_assert_eq!(&numbers[..], &added[added.len() - numbers.len()..]);
        }
        prop_assert!(walked.seen.most_under_way <= service.concurrency);
        let room = 4 * service.concurrency * service.page;
        prop_assert!(walked.waiting <= room, "{} records wait", walked.waiting);
    }

    #[test]
    fn few_requests_ask_for_what_another_has_asked_for(service in services()) {
        let walked = walk(&service, Duration::ZERO);

        let pages = service.times.len().div_ceil(service.page) + 1;
        let most = pages * 3 / 2 + 4 * service.concurrency;
        prop_assert!(walked.seen.requests <= most, "{} for {pages}", walked.seen.requests);
    }

    #[test]
    fn an_outage_is_one_error(service in services(), begin in 0..60_u128) {
        let service = Service { down: begin..begin + 20, ..service };

        let walked = walk(&service, Duration::from_millis(40));

        let numbers = walked.numbers();
        prop_assert_eq!(numbers, service.listed(service.ascending));
        prop_assert!(walked.errors.len() <= 1, "{} errors", walked.errors.len());
    }

    #[test]
    fn a_service_that_refuses_the_probe_is_walked_one_after_the_other(service in services()) {
        let service = Service { refuses_probe: true, ..service };

        let walked = walk(&service, Duration::ZERO);

        let numbers = walked.numbers();
        prop_assert_eq!(numbers, service.listed(service.ascending));
        prop_assert_eq!(walked.errors.len(), 0);
        prop_assert!(walked.seen.requests <= service.times.len().div_ceil(service.page).max(1) + 1);
    }
}
