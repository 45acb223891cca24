//! Writes the points for `benches/plot`, one line of JSON per point.

use std::{fs::OpenOptions, io::Write};

use serde_json::Value;

const POINTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/scale.jsonl");

pub(crate) fn add(point: &Value) {
    let mut points = OpenOptions::new().create(true).append(true).open(POINTS).unwrap();
    writeln!(points, "{point}").unwrap();
}
