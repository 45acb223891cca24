//! How fast listings of the shapes that the world has are walked, in round trips.

use super::{
    service::{BEGIN, Bounds, SECOND},
    *,
};

const DAY: i128 = 86_400 * SECOND;
const RECORDS: usize = 12_000;

/// So many records, in ten years.
fn times(shape: &str, seed: u64) -> Vec<i128> {
    let (span, mut random) = (3_650 * DAY, fastrand::Rng::with_seed(seed));
    let mut times: Vec<i128> = match shape {
        "even" => (0..RECORDS).map(|_| random.i128(0..span)).collect(),
        "a hundredth" => (0..RECORDS)
            .map(|n| random.i128(if n % 10 > 0 { 0..span / 100 } else { 0..span }))
            .collect(),
        "bursts" => (0..RECORDS)
            .map(|n| match n % 10 {
                0 => random.i128(0..span),
                _ => random.i128(1..6) * 500 * DAY + random.i128(0..3_600 * SECOND),
            })
            .collect(),
        "twenty bursts" => {
            (0..RECORDS).map(|_| random.i128(0..20) * DAY + random.i128(0..3 * SECOND)).collect()
        }
        "heavy tails" => {
            let mut gaps = Vec::new();
            for _ in 0..RECORDS {
                let gap = random.f64().max(1e-9).powf(-1.0 / 0.7) * 1e6;
                #[allow(clippy::cast_possible_truncation)]
                gaps.push(gaps.last().unwrap_or(&0) + gap.min(1e16) as i128);
            }
            gaps
        }
        "one instant" => vec![0; RECORDS],
        "batches of 110" | "batches of 300" => {
            let batch = if shape == "batches of 110" { 110 } else { 300 };
            let times = (0..RECORDS / batch).map(|_| random.i128(0..span));
            times.flat_map(|time| vec![time; batch]).collect()
        }
        _ => unreachable!("{shape}"),
    };
    times.sort_unstable();
    times.into_iter().map(|time| BEGIN + time).collect()
}

#[test]
fn no_shape_of_a_listing_leaves_many_workers_idle_or_asks_for_much_twice() {
    // The least speed-up with 8 workers, as their share, and the most requests a page.
    for (shape, share, requests) in [
        ("even", 0.75, 1.2),
        ("a hundredth", 0.70, 1.2),
        ("bursts", 0.60, 1.35),
        ("twenty bursts", 0.60, 1.4),
        ("heavy tails", 0.45, 1.55),
        ("batches of 300", 0.36, 1.4),
        ("batches of 110", 0.42, 1.55),
        ("one instant", 0.12, 1.05),
    ] {
        for ascending in [true, false] {
            let measured = [8, 64].map(|concurrency| mean_of_walks(shape, ascending, concurrency));

            let [(of_8, requests_of_8), (of_64, requests_of_64)] = measured;
            let case = format!("{shape}, ascending: {ascending}: {measured:.2?}");
            assert!(of_8 >= share * 8.0 && requests_of_8 <= requests, "{case}");
            // Beyond what the first eight ask twice, a page for each of the others.
            assert!(of_64 >= of_8 * 0.9 && requests_of_64 <= 2.1, "{case}");
        }
    }
}

/// The speed-up over one page after the other, and the requests a page; each listing walked whole.
#[allow(clippy::cast_precision_loss)]
fn mean_of_walks(shape: &str, ascending: bool, concurrency: usize) -> (f64, f64) {
    const SEEDS: u64 = 3;
    let (mut speed_up, mut requests) = (0.0, 0.0);
    for seed in 1..=SEEDS {
        let times = times(shape, seed);
        let pages = times.len().div_ceil(100) as f64;
        let service = Service { times, ascending, concurrency, ..Service::default() };

        let walked = walk(&service, Duration::ZERO);

        assert_eq!(walked.numbers(), service.listed(ascending), "{shape}, {concurrency}");
        // An answer takes a tenth of a second.
        speed_up += pages / 10.0 / walked.time.as_secs_f64() / SEEDS as f64;
        requests += walked.seen.requests as f64 / pages / SEEDS as f64;
    }
    (speed_up, requests)
}

#[test]
fn a_service_that_compares_in_days_costs_few_requests() {
    for ascending in [true, false] {
        let times = (0..60).map(|n| BEGIN + n * 60 * SECOND).collect();
        let bounds = Bounds::Compared(DAY);
        let service = Service { times, page: 5, bounds, ascending, ..Service::default() };

        let walked = walk(&service, Duration::ZERO);

        assert_eq!(walked.entries.len(), 60);
        assert!(walked.seen.requests <= 30, "{} requests", walked.seen.requests);
    }
}

#[test]
fn a_last_record_that_fails_to_come_at_first_leaves_as_many_requests_at_once() {
    let times = (0..2_000).map(|n| BEGIN + n * SECOND).collect();
    // The second request, among others.
    let service = Service { times, failing: 3, ..Service::default() };

    let walked = walk(&service, Duration::from_millis(100));

    assert!(!walked.errors.is_empty() && walked.numbers() == service.listed(true));
    assert!(walked.seen.most_under_way > 4, "{}", walked.seen.most_under_way);
}

#[test]
fn a_service_that_tells_and_reads_times_in_seconds_costs_few_requests() {
    let times = (0..2_000).map(|n| BEGIN + n * SECOND / 100).collect();
    let bounds = Bounds::CutShort(SECOND);
    let service = Service { times, page: 20, bounds, told: SECOND, ..Service::default() };

    let walked = walk(&service, Duration::ZERO);

    // A window can't begin within the second that has been reached: it would list the same again.
    assert_eq!(walked.entries.len(), 2_000);
    assert!(walked.seen.requests <= 130, "{} requests", walked.seen.requests);
}

#[test]
fn pages_of_three_are_asked_for_by_as_many_requests_at_once() {
    for ascending in [true, false] {
        let times = (0..180).map(|n| BEGIN + n * 60 * SECOND).collect();
        let service = Service { times, page: 3, ascending, ..Service::default() };

        let walked = walk(&service, Duration::ZERO);

        // Six seconds one after the other.
        assert_eq!(walked.numbers(), service.listed(ascending));
        assert!(walked.time <= Duration::from_millis(1_700), "{:?}", walked.time);
    }
}
