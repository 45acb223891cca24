//! Tests of the simulation in `tests/simulate`: some seeds, and the faults that it notices.

use std::time::Duration;

use self::simulate::run::{
    self,
    faults::Final,
    printed,
    promises::{
        Followed, applied, at_home, at_once, deserved, discreet, each_once, in_time, quiet, tries,
        whole,
    },
    tokens::{Token, spaced},
};

#[path = "../simulate/main.rs"]
#[allow(dead_code, reason = "a program that is only tested in part")]
mod simulate;

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
fn a_seed_that_fails_prints_the_command_that_repeats_it() {
    let kept = run::run(3, true);
    assert_eq!(kept.failure(), None);

    printed::add(&"sandbox-secret");
    let failure = run::run(3, false).failure().expect("a broken promise");

    let (why, command) = failure.split_once('\n').expect("a reason and a command");
    assert!(why.starts_with("seed 3, ") && why.ends_with("sandbox-secret is printed"), "{why}");
    let words = command.trim().strip_prefix("cargo run --release --example simulate -- ");
    let words = words.expect(command).split(' ').map(str::to_owned);
    let (count, seed) = simulate::arguments(words).expect("arguments");
    assert_eq!(count, 0, "one seed, with its trace");
    assert_eq!(run::run(seed, true).lines, kept.lines);
}

#[test]
fn what_is_lost_doubled_or_out_of_order_is_noticed() {
    // Records 4 and 5 arrived later. Record 4 is listed among the earlier ones.
    let noticed = |found: &[usize]| whole(found, &[1, 2, 4, 3, 5], |record| record < 4).is_err();
    for found in [&[1, 2, 3][..], &[1, 2, 4, 3], &[1, 2, 3, 5], &[1, 2, 4, 3, 5]] {
        assert!(!noticed(found), "{found:?}");
    }
    for found in [&[1, 2][..], &[1, 3], &[1, 2, 2, 3], &[1, 2, 3, 3], &[2, 1, 3], &[1, 2, 6]] {
        assert!(noticed(found), "{found:?}");
    }
    for found in [&[1, 2, 3, 4][..], &[5, 1, 2, 3], &[1, 2, 4, 4, 3], &[1, 2, 4, 5]] {
        assert!(noticed(found), "{found:?}");
    }
    for found in [&[1, 2, 0][..], &[2, 1, 0]] {
        assert_eq!(each_once(found, &[0, 1, 2], |_| true), Ok(()), "{found:?}");
    }
    for found in [&[1, 2][..], &[1, 0], &[1, 2, 2, 0], &[1, 1, 0], &[0, 1, 2, 3]] {
        assert!(each_once(found, &[0, 1, 2], |_| true).is_err(), "{found:?}");
    }
}

#[test]
fn what_a_follower_misses_or_hears_of_twice_is_noticed() {
    let (before, after) = ((5, false, true), (5, true, true));
    let (was, is) = ((5, false), (5, true));
    let mut followed = Followed::default();

    assert!(followed.up_to_date([was].into_iter()).is_err(), "a missed record");
    assert_eq!(followed.take(true, 0, before), Ok(()));
    assert_eq!(followed.up_to_date([was].into_iter()), Ok(()));
    assert!(followed.up_to_date([is].into_iter()).is_err(), "a missed change");
    assert_eq!(followed.take(false, 0, after), Ok(()));
    assert!(followed.take(false, 0, after).is_err(), "no change");
    assert!(followed.take(true, 0, after).is_err(), "new again");
    assert!(followed.take(false, 1, before).is_err(), "never new");
    assert_eq!(followed.knows_all([0, 1, 0].iter()), Ok(()));
    assert!(followed.knows_all([0, 2].iter()).is_err(), "listed, and missed");
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

    assert_eq!(tries(6, 2), Ok(()));
    assert!(tries(7, 2).is_err());
}

#[test]
fn a_token_that_is_asked_for_too_early_is_noticed() {
    use Token::{Accepted, Asked, Failed, Granted, Rejected};
    let failed = |request, wait| Failed { request, is_final: false, wait };
    let (now, long) = (Duration::ZERO, Duration::from_secs(40));
    let refused = |request| Failed { request, is_final: true, wait: now };

    // `last` is the earliest time, in seconds, at which a token may be requested. A request a tenth
    // of a second earlier is noticed.
    for (events, last) in [
        // A token that is valid for a minute is renewed near its end.
        (vec![(0.0, Asked), (0.2, Granted(1)), (1.0, Accepted)], 45.0),
        // The next four requests follow one failure, two failures, a requested wait and a refusal.
        (vec![(0.0, Asked), (0.5, failed(1, now))], 1.5),
        (vec![(0.0, Asked), (0.5, failed(1, now)), (1.5, Asked), (2.0, failed(2, now))], 4.0),
        (vec![(0.0, Asked), (0.5, failed(1, long))], 40.5),
        (vec![(0.0, Asked), (0.5, refused(1))], 5.5),
        // This request follows three others whose callers didn't wait for them.
        (vec![(0.0, Asked), (0.0, Asked), (0.0, Asked)], 1.0),
        // This request follows a failed renewal, while the old token is still usable.
        (vec![(0.0, Asked), (0.0, Granted(1)), (45.0, Asked), (45.0, failed(2, now))], 50.0),
        // The last two requests follow a rejected token whose replacement is rejected, too.
        (
            vec![
                (0.0, Asked),
                (1.0, Granted(1)),
                (1.0, Rejected),
                (1.0, Asked),
                (1.0, Granted(2)),
                (1.5, Rejected),
            ],
            6.0,
        ),
        (
            vec![
                (0.0, Asked),
                (1.0, Granted(1)),
                (1.0, Rejected),
                (1.0, Asked),
                (1.0, Granted(2)),
                (1.2, Accepted),
                (1.5, Rejected),
            ],
            2.0,
        ),
    ] {
        let at = |last: f64| {
            let events = events.iter().copied().chain([(last, Asked)]);
            events.map(|(time, event)| (Duration::from_secs_f64(time), event)).collect::<Vec<_>>()
        };

        assert_eq!(spaced(&at(last), MINUTE), Ok(()), "{events:?}");
        assert!(spaced(&at(last - 0.1), MINUTE).is_err(), "{events:?}");
    }
}

#[test]
fn an_error_without_a_cause_and_a_request_that_should_not_be_sent_are_noticed() {
    let one = Final { foreign: 1, redirects: 1, repeated_cursors: 1 };
    assert_eq!(deserved(one, one), Ok(()));
    for answers in [
        Final { foreign: 0, ..one },
        Final { redirects: 0, ..one },
        Final { repeated_cursors: 0, ..one },
    ] {
        assert!(deserved(one, answers).is_err(), "{answers:?}");
    }
    assert_eq!((at_home(0), quiet(0)), (Ok(()), Ok(())));
    assert!(at_home(1).is_err() && quiet(1).is_err());
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
