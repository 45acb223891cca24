//! Where rounds begin, and what a service shows of the time before.

use super::*;

// While several pages come, records may become visible behind them. What had been created when the
// first page came is known by then.
#[tokio::test(start_paused = true)]
async fn a_round_after_one_of_several_pages_reaches_back_by_as_long_as_its_first_took() {
    for (page, asked_again) in [(3, "2024-12-31T23:59:00Z"), (2, "2024-12-31T23:58:58Z")] {
        let mut service = Service::of(vec![life(0); 3]);
        (service.page, service.latency) = (page, 2 * SECOND);
        service.begin();

        let changes = until(&mut follow(), 19 * SECOND).await;

        assert_eq!(changes.len(), 3);
        let asked = asked();
        let (first, again) = asked.split_at(asked.len() / 2);
        assert!(first.iter().all(|from| from == "the beginning"), "{asked:?}");
        assert!(again.iter().all(|from| from == asked_again), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_service_shows_of_the_time_before_a_round_is_not_new() {
    let mut service = Service::of((0..60).map(|n| life(n * 5 * SECOND)).collect());
    service.unit = 60 * SECOND;
    service.begin();

    let changes = until(&mut follow(), 400 * SECOND).await;

    let numbers: Vec<u64> = changes.iter().map(|(_, number, _)| *number).collect();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>());
}
