//! Bounds that no value satisfies, or that can't be checked.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::document::{BOUNDS, Integer, Shape, Statements, bounds::compared, range};

const UNCHECKED: &str = "is above 2^63 - 1, the largest bound that can be checked";

/// Bounds that no value satisfies, or that can't be checked, each with the reason. Without
/// `patterns`, a `pattern` can't be checked.
pub(crate) fn unsatisfiable(
    said: &Map<String, Value>,
    shape: Shape,
    patterns: bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut refuse = |bound: &str, reason: &str| found.push((bound.to_owned(), reason.to_owned()));
    for least in BOUNDS.into_iter().flatten().filter(|bound| bound.starts_with("min")) {
        let most = least.replacen("min", "max", 1);
        let bounds = said.get(*least).zip(said.get(&most));
        if bounds.and_then(|(least, most)| compared(least, most)) == Some(Ordering::Greater) {
            refuse(least, &format!("is above `{most}`, so no value is allowed"));
        }
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if said.is_true(exclusive) && !said.contains_key(bound) {
            refuse(exclusive, &format!("needs a `{bound}`"));
        }
    }
    let multiple = said.number("multipleOf");
    if shape == Shape::Integer {
        let Integer { format, least, most, .. } = Integer::of(said);
        if least.is_none() && said.number("minimum").is_some_and(|least| least > 0.0) {
            let reason =
                if format == "uint64" { UNCHECKED } else { "is above every 64-bit integer" };
            refuse("minimum", reason);
        }
        if most.is_none() && said.number("maximum").is_some_and(|most| most < 0.0) {
            refuse("maximum", "is below every 64-bit integer");
        }
        let range = range(format);
        if least.is_some_and(|least| i128::from(least) >= range.end) {
            refuse("minimum", &format!("is above every `{format}`"));
        }
        if most.is_some_and(|most| i128::from(most) < range.start) {
            refuse("maximum", &format!("is below every `{format}`"));
        }
        let ends = said.get("minimum").zip(said.get("maximum"));
        let is_known = ends.and_then(|(a, b)| compared(a, b)) == Some(Ordering::Greater);
        if !is_known && least.zip(most).is_some_and(|(least, most)| least > most) {
            refuse("minimum", "allows no integer up to `maximum`");
        }
        let most = said.get("maximum").filter(|_| said.text("format") == Some("uint64"));
        let is_all =
            |most: &Value| most.as_u64() == Some(u64::MAX) && !said.is_true("exclusiveMaximum");
        let is_beyond = |most: &&Value| most.as_i64().is_none() && !is_all(most);
        let most = most.filter(is_beyond).and_then(Value::as_f64);
        for (bound, number) in [("maximum", most), ("multipleOf", multiple)] {
            if number.is_some_and(|number| number >= 2_f64.powi(63)) {
                refuse(bound, UNCHECKED);
            }
        }
        if multiple.is_some_and(|of| of.fract() != 0.0 && of.recip().fract() != 0.0) {
            let reason = "is neither an integer nor a part of one, as its multiples have to be";
            refuse("multipleOf", reason);
        }
    }
    if multiple.is_some_and(|of| of <= 0.0) {
        refuse("multipleOf", "is not above 0");
    }
    if let Some(pattern) = said.text("pattern") {
        let is_older = || regress::Regex::new(pattern).is_ok();
        match regress::Regex::with_flags(pattern, "u") {
            Err(error) if !is_older() => {
                refuse("pattern", &format!("is not an ECMA 262 regular expression: {error}"));
            }
            Err(error) if [r"\p{", r"\P{", r"\u{"].iter().any(|of| pattern.contains(of)) => {
                let reason =
                    format!("has an escape of the flag `u`, but doesn't compile with it: {error}");
                refuse("pattern", &reason);
            }
            _ if patterns => {}
            _ => {
                let reason = "needs the feature `pattern` of the client: in its Cargo.toml, below \
                     `[features]`, add \"pattern\" to the list `default`; or remove this `pattern`, \
                     and the service alone checks it";
                refuse("pattern", reason);
            }
        }
    }
    found
}
