//! Services that list in another order than the one that was asked for.

use super::{
    service::{BEGIN, Bounds, SECOND},
    *,
};

#[test]
fn records_that_are_ordered_in_a_coarser_unit_than_they_are_told_are_all_listed() {
    const RECORDS: i128 = 2_000;
    for unit in [1_000_000, SECOND] {
        let mut random = fastrand::Rng::with_seed(7);
        // Five in a unit.
        let times = (0..RECORDS).map(|_| BEGIN + random.i128(0..RECORDS / 5 * unit));
        let mut times: Vec<i128> = times.collect();
        times.sort_unstable();
        for bounds in [Bounds::Exact, Bounds::CutShort(unit), Bounds::Compared(unit)] {
            for (ascending, ties_keep_their_order) in
                [(true, true), (true, false), (false, true), (false, false)]
            {
                let times = times.clone();
                let service = Service { times, ordered: unit, bounds, ..Service::default() };
                let service = Service { ascending, ties_keep_their_order, ..service };

                let walked = walk(&service, Duration::ZERO);

                assert_eq!(walked.numbers(), service.listed(ascending), "{service:?}");
            }
        }
    }
}

#[test]
fn a_service_that_has_an_order_of_its_own_is_listed_in_that() {
    let times: Vec<i128> = (0..2_000).map(|n| BEGIN + n * SECOND).collect();
    for (asked, own) in [(true, true), (true, false), (false, true), (false, false)] {
        let service =
            Service { ascending: asked, always_ascending: Some(own), ..Service::default() };
        let service = Service { times: times.clone(), ..service };

        let walked = walk(&service, Duration::ZERO);

        assert_eq!(walked.numbers(), service.listed(asked), "asked {asked}, comes {own}");
    }
}
