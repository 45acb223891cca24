//! The simulation of `examples/simulate`, on some seeds, and what it notices.

use std::time::Duration;

use digital_assets::{Change, types::DepositAddress};
use uuid::Uuid;

use self::run::promises::{
    Followed, Renewals, applied, at_once, discreet, in_time, merged, renewals, whole,
};
use crate::specification::DEPOSIT_ADDRESS;

#[path = "../../examples/simulate/run/mod.rs"]
mod run;

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn what_the_client_promises_holds_for_every_service_and_program() {
    for seed in 0..24 {
        let outcome = run::run(seed, false);

        assert_eq!(outcome.result, Ok(()));
        assert!(outcome.requests > 0, "{seed}: nothing was sent");
    }
}

#[test]
fn the_same_seed_does_the_same() {
    for seed in 0..6 {
        let (first, second) = (run::run(seed, true), run::run(seed, true));

        assert_eq!(first.lines, second.lines, "{seed}");
        assert_eq!((first.hash, first.requests), (second.hash, second.requests), "{seed}");
        assert_eq!(first.time, second.time, "{seed}");
        assert!(!first.lines.is_empty());
    }
    assert_ne!(run::run(1, false).hash, run::run(2, false).hash);
}

#[test]
fn what_is_lost_doubled_or_out_of_order_is_noticed() {
    assert_eq!(whole(&[1, 2, 3], &[1, 2, 3]), Ok(()));
    for found in [&[1, 2][..], &[1, 3], &[1, 2, 2, 3], &[1, 2, 3, 3], &[2, 1, 3], &[1, 2, 4]] {
        assert!(whole(found, &[1, 2, 3]).is_err(), "{found:?}");
    }

    let expected = [address(1, 5), address(2, 7), address(3, 7)];
    let found = |numbers: &[usize]| numbers.iter().map(|at| expected[*at].clone()).collect();
    for numbers in [[1, 2, 0], [2, 1, 0]] {
        assert_eq!(merged(found(&numbers), expected.to_vec()), Ok(()), "{numbers:?}");
    }
    for numbers in [&[1, 2][..], &[1, 0], &[1, 2, 2, 0], &[1, 1, 0], &[0, 1, 2]] {
        assert!(merged(found(numbers), expected.to_vec()).is_err(), "{numbers:?}");
    }
}

#[test]
fn what_a_follower_misses_or_hears_of_twice_is_noticed() {
    let (before, after) = (address(1, 5), address(1, 6));
    let mut followed = Followed::default();

    assert!(followed.up_to_date([before.clone()].into_iter()).is_err(), "a missed record");
    assert_eq!(followed.take(Change::New(before.clone())), Ok(()));
    assert_eq!(followed.up_to_date([before.clone()].into_iter()), Ok(()));
    assert!(followed.up_to_date([after.clone()].into_iter()).is_err(), "a missed change");
    assert_eq!(followed.take(Change::Changed(after.clone())), Ok(()));
    assert!(followed.take(Change::Changed(after.clone())).is_err(), "no change");
    assert!(followed.take(Change::New(after)).is_err(), "new again");
    assert!(followed.take(Change::Changed(address(2, 5))).is_err(), "never new");
}

#[test]
fn a_post_that_is_applied_twice_or_without_a_warning_is_noticed() {
    assert_eq!(applied::<&str>(1, Ok(())), Ok(()));
    for (times, doubt) in [(0, false), (0, true), (1, true)] {
        assert_eq!(applied(times, Err(("an error", doubt))), Ok(()), "{times}, {doubt}");
    }
    for times in [0, 2] {
        assert!(applied::<&str>(times, Ok(())).is_err(), "{times}");
    }
    for (times, doubt) in [(1, false), (2, true)] {
        assert!(applied(times, Err(("an error", doubt))).is_err(), "{times}, {doubt}");
    }
}

#[test]
fn too_much_at_once_too_late_or_too_often_is_noticed() {
    assert_eq!(at_once(2, 2), Ok(()));
    assert!(at_once(3, 2).is_err());
    assert_eq!(in_time(MINUTE, MINUTE), Ok(()));
    assert!(in_time(MINUTE + Duration::from_millis(10), MINUTE).is_err());

    // Once at the beginning, and 20 times when three quarters of a token's life are over.
    let few = Renewals { asked: 25, granted: 21, rejected: 0, dropped: 0, failures: None };
    let lifetime = Duration::from_secs(4);
    assert_eq!(renewals(few, lifetime, MINUTE), Ok(()));
    assert!(renewals(Renewals { granted: 23, ..few }, lifetime, MINUTE).is_err());
    assert_eq!(renewals(Renewals { granted: 23, rejected: 1, ..few }, lifetime, MINUTE), Ok(()));
    assert!(renewals(Renewals { asked: 1_000, ..few }, lifetime, MINUTE).is_err());
    let quick = Renewals { failures: Some(Duration::from_secs(1)), ..few };
    assert!(renewals(quick, lifetime, MINUTE).is_err());
}

#[test]
fn a_secret_is_noticed_wherever_it_is_printed() {
    let secrets = ["a-secret".to_owned(), "0a1b.7".to_owned()].into();

    assert_eq!(discreet("Client { id: \"a\", secret: [REDACTED] } 0a1b.8", &secrets), Ok(()));
    for printed in
        ["Client { secret: \"a-secret\" }", "Bearer 0a1b.7", "It is a-secret.", "t=0a1b.7&"]
    {
        assert!(discreet(printed, &secrets).is_err(), "{printed}");
    }
}

fn address(number: u128, second: u32) -> DepositAddress {
    let mut address: DepositAddress = serde_json::from_str(DEPOSIT_ADDRESS).expect("an address");
    address.id = Uuid::from_u128(number);
    address.created_at = chrono::DateTime::from_timestamp(second.into(), 0).expect("a time");
    address
}
