//! Distributions of creation times, as they may occur in practice.

use fastrand::Rng;

use crate::time::{DAY, HOUR, SECOND};

/// The names of the distributions. Each spans ten years or less.
pub const SHAPES: [&str; 8] = [
    "even",
    "a hundredth",
    "bursts",
    "twenty bursts",
    "heavy tails",
    "batches of 300",
    "batches of 110",
    "one instant",
];

const TEN_YEARS: i128 = 3_650 * DAY;

/// Returns `count` sorted times with this distribution, in nanoseconds since its start.
///
/// # Panics
///
/// If `shape` isn't in [`SHAPES`].
#[must_use]
pub fn times(shape: &str, count: usize, seed: u64) -> Vec<i128> {
    let mut random = Rng::with_seed(seed);
    let mut batch = (0, 0);
    let mut time = |n: usize| match shape {
        // Nine tenths of the records are within a hundredth of the period.
        "a hundredth" if !n.is_multiple_of(10) => random.i128(0..TEN_YEARS / 100),
        // Nine tenths of the records are in bursts of an hour each.
        "bursts" if !n.is_multiple_of(10) => random.i128(1..6) * 500 * DAY + random.i128(0..HOUR),
        "even" | "a hundredth" | "bursts" => random.i128(0..TEN_YEARS),
        // Each burst lasts three seconds.
        "twenty bursts" => random.i128(0..20) * DAY + random.i128(0..3 * SECOND),
        // Most gaps between records are short, but a few long gaps make up most of the period.
        "heavy tails" => {
            let gap = random.f64().max(1e-9).powf(-1.0 / 0.7) * 1e6;
            #[allow(clippy::cast_possible_truncation)]
            let gap = gap.min(1e16) as i128;
            batch.1 += gap;
            batch.1
        }
        "batches of 300" | "batches of 110" => {
            let size = if shape == "batches of 300" { 300 } else { 110 };
            if batch.0 != 1 + n / size {
                batch = (1 + n / size, random.i128(0..TEN_YEARS));
            }
            batch.1
        }
        "one instant" => 0,
        _ => panic!("there is no shape named {shape}"),
    };
    let mut times: Vec<i128> = (0..count).map(&mut time).collect();
    times.sort_unstable();
    times
}
