//! How the times of a listing's records are spread.

use std::ops::Range;

use chrono::{DateTime, Utc};
use digital_assets::sandbox::{Sandbox, SandboxBuilder, Times};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;
/// The first moment of 2015, from which ten years hold all records.
const BEGIN: i64 = 1_420_070_400 * SECOND;
const TEN_YEARS: Range<i64> = 0..3_650 * DAY;

/// A sandbox with so many executions of this shape.
pub(crate) async fn start(sandbox: SandboxBuilder, shape: &str, executions: u64) -> Sandbox {
    let made = match shape {
        "even" => Some(Times::Uniform),
        "a hundredth" => Some(Times::Skewed),
        "bursts" => Some(Times::Bursts),
        "one instant" => Some(Times::Equal),
        _ => None,
    };
    if let Some(times) = made {
        return sandbox.times(times).executions(executions).start().await.unwrap();
    }
    let template = Sandbox::builder().executions(1).start().await.unwrap();
    let template = template.executions().next().unwrap();
    let sandbox = sandbox.executions(0).start().await.unwrap();
    let (mut execution, mut random) = (template, fastrand::Rng::with_seed(1));
    execution.profile_id = sandbox.profile_id();
    for time in times(shape, executions.try_into().unwrap()) {
        execution.id = uuid::Builder::from_random_bytes(random.u128(..).to_ne_bytes()).into_uuid();
        execution.created_at = time;
        sandbox.insert_execution(execution.clone());
    }
    sandbox
}

/// The oldest first.
fn times(shape: &str, count: usize) -> Vec<DateTime<Utc>> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut times: Vec<i64> = match shape {
        // Of three seconds each.
        "twenty bursts" => {
            (0..count).map(|_| random.i64(0..20) * DAY + random.i64(0..3 * SECOND)).collect()
        }
        // Most gaps are short, and a few are most of the time.
        "heavy tails" => (0..count)
            .scan(0, |time, _| {
                let gap = random.f64().max(1e-9).powf(-1.0 / 0.7) * 1e6;
                #[allow(clippy::cast_possible_truncation)]
                let gap = gap.min(1e16) as i64;
                *time += gap;
                Some(*time)
            })
            .collect(),
        "batches of 300" => batches(300, count, &mut random),
        "batches of 110" => batches(110, count, &mut random),
        _ => panic!("what shape is {shape}?"),
    };
    times.sort_unstable();
    times.into_iter().map(|time| DateTime::from_timestamp_nanos(BEGIN + time)).collect()
}

/// Records of one time, so many together.
fn batches(size: usize, count: usize, random: &mut fastrand::Rng) -> Vec<i64> {
    let times: Vec<i64> = (0..count.div_ceil(size)).map(|_| random.i64(TEN_YEARS)).collect();
    (0..count).map(|n| times[n / size]).collect()
}
