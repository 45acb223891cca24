//! How the times of a listing's records are spread: the shapes that the world has.

use fastrand::Rng;

use crate::time::{DAY, HOUR, SECOND};

/// In ten years, or less.
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

/// So many times of a shape, counted from its beginning, the earliest first.
///
/// # Panics
///
/// If there is no such shape.
#[must_use]
pub fn times(shape: &str, count: usize, seed: u64) -> Vec<i128> {
    let mut random = Rng::with_seed(seed);
    let mut batch = (0, 0);
    let mut time = |n: usize| match shape {
        // It holds nine tenths.
        "a hundredth" if !n.is_multiple_of(10) => random.i128(0..TEN_YEARS / 100),
        // Of an hour each, and together nine tenths.
        "bursts" if !n.is_multiple_of(10) => random.i128(1..6) * 500 * DAY + random.i128(0..HOUR),
        "even" | "a hundredth" | "bursts" => random.i128(0..TEN_YEARS),
        // Of three seconds each.
        "twenty bursts" => random.i128(0..20) * DAY + random.i128(0..3 * SECOND),
        // Most gaps are short, and a few are most of the time.
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
        _ => panic!("what shape is {shape}?"),
    };
    let mut times: Vec<i128> = (0..count).map(&mut time).collect();
    times.sort_unstable();
    times
}
