//! The points of the plots, a line of JSON each, for `benches/plot`.

use std::{fs::OpenOptions, io::Write};

use serde_json::Value;

const POINTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/scale.jsonl");

pub(crate) fn add(point: &Value) {
    let mut points = OpenOptions::new().create(true).append(true).open(POINTS).unwrap();
    writeln!(points, "{point}").unwrap();
}
