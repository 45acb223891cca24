//! Tests of the creation times of the sandbox's records.

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::sandbox::{Sandbox, SandboxBuilder, Times};

const YEAR: TimeDelta = TimeDelta::days(365);

/// Returns the creation times, oldest first.
fn times(sandbox: SandboxBuilder) -> Vec<DateTime<Utc>> {
    sandbox.build().monitoring_addresses().rev().map(|address| address.created_at).collect()
}

#[test]
fn the_spread_is_the_one_asked_for() {
    let spread = |spread| times(Sandbox::builder().monitoring_addresses(10_000).times(spread));
    let span = |times: &[DateTime<Utc>]| times[times.len() - 1] - times[0];

    assert!(span(&spread(Times::Uniform)) > YEAR / 10 * 9);
    let one_second = spread(Times::OneSecond);
    assert!(span(&one_second) < TimeDelta::seconds(1));
    assert!(one_second.is_sorted_by(|one, next| one < next), "all are different");
    assert_eq!(span(&spread(Times::Equal)), TimeDelta::zero());
    assert!(span(&spread(Times::TwoClusters)) > YEAR - TimeDelta::hours(2));
    assert!(span(&spread(Times::Skewed)[500..9_500]) <= YEAR / 100);
    let bursts = spread(Times::Bursts);
    assert!(span(&bursts) > YEAR * 9);
    for first in [170, 2140, 4100, 6070, 8040] {
        assert!(span(&bursts[first..first + 1_800]) <= TimeDelta::hours(1), "{first}");
    }
}

#[test]
fn times_never_decrease_and_end_before_now_however_many_there_are() {
    let now = "2031-05-01T00:00:00Z".parse().unwrap();
    for spread in [Times::Uniform, Times::TwoClusters, Times::Skewed, Times::Bursts] {
        for count in [0, 1, 2, 3, 99, 100, 101, 102, 999] {
            let sandbox = Sandbox::builder().monitoring_addresses(count).times(spread).now(now);
            let times = times(sandbox);
            assert_eq!(times.len() as u64, count);
            assert!(times.is_sorted(), "{spread:?} {count}");
            assert!(times.last().is_none_or(|newest| *newest < now), "{spread:?} {count}");
        }
    }
}

#[test]
fn a_time_beyond_the_calendar_is_its_first_or_last_one() {
    for now in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
        let sandbox = Sandbox::builder().now(now).build();
        sandbox.add_executions(10);
        assert_eq!(sandbox.executions().count(), 5_010);
        assert!(
            sandbox.executions().all(|execution| execution.created_at <= DateTime::<Utc>::MAX_UTC)
        );
    }
}
