//! The simulation of `examples/simulate`, on some seeds.

#[path = "../../examples/simulate/run/mod.rs"]
mod run;

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
