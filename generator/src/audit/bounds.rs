//! Finds bounds that no value satisfies, or that the client can't check.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::document::{BOUNDS, Integer, Shape, Statements, bounds::compared, range};

/// Returns the reason why a schema doesn't allow a value, or `None` if it allows the value.
pub(crate) fn refuses(
    keywords: &Map<String, Value>,
    shape: Shape,
    value: &Value,
) -> Option<String> {
    let fits = match shape {
        Shape::Record | Shape::Map => value.is_object(),
        Shape::Array => value.is_array(),
        Shape::String | Shape::StringEnum => value.is_string(),
        Shape::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Shape::Number => value.is_number(),
        Shape::Boolean => value.is_boolean(),
        Shape::Json => true,
    };
    if !fits {
        return Some(format!(
            "it isn't of the type `{}`",
            keywords.text("type").unwrap_or("string")
        ));
    }
    let known = keywords.list("enum");
    if !known.is_empty() && !known.contains(value) {
        return Some("`enum` doesn't contain it".to_owned());
    }
    let size = match value {
        Value::String(text) => Some(Value::from(text.chars().count())),
        Value::Array(entries) => Some(Value::from(entries.len())),
        Value::Object(properties) => Some(Value::from(properties.len())),
        Value::Number(_) => Some(value.clone()),
        _ => None,
    };
    let beyond = |bound: &&&str| {
        let (Some(size), Some(limit)) = (&size, keywords.get(**bound)) else { return false };
        let is_least = bound.starts_with("min");
        let exclusive = if is_least { "exclusiveMinimum" } else { "exclusiveMaximum" };
        let outside = if is_least { Ordering::Less } else { Ordering::Greater };
        match compared(size, limit) {
            Some(Ordering::Equal) => value.is_number() && keywords.is_true(exclusive),
            order => order == Some(outside),
        }
    };
    let mut bounds = shape.bounds().iter().filter(|bound| bound.starts_with('m'));
    let bound = bounds.find(|bound| **bound != "multipleOf" && beyond(bound));
    bound.map(|bound| format!("it violates `{bound}`"))
}

const UNCHECKED: &str = "is above 2^63 - 1, the largest bound that can be checked";

/// Returns the keyword of each bound that no value satisfies or that the client can't check, with
/// the reason to reject the bound. `patterns` is true if the client can check a `pattern`.
pub(crate) fn unsatisfiable(
    keywords: &Map<String, Value>,
    shape: Shape,
    patterns: bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut reject = |bound: &str, reason: &str| found.push((bound.to_owned(), reason.to_owned()));
    for least in BOUNDS.into_iter().flatten().filter(|bound| bound.starts_with("min")) {
        let most = least.replacen("min", "max", 1);
        let bounds = keywords.get(*least).zip(keywords.get(&most));
        if bounds.and_then(|(least, most)| compared(least, most)) == Some(Ordering::Greater) {
            reject(least, &format!("is above `{most}`, so no value is allowed"));
        }
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if keywords.is_true(exclusive) && !keywords.contains_key(bound) {
            reject(exclusive, &format!("needs a `{bound}`"));
        }
    }
    let multiple = keywords.number("multipleOf");
    if shape == Shape::Integer {
        let Integer { format, least, most, .. } = Integer::of(keywords);
        if least.is_none() && keywords.number("minimum").is_some_and(|least| least > 0.0) {
            let reason =
                if format == "uint64" { UNCHECKED } else { "is above the largest 64-bit integer" };
            reject("minimum", reason);
        }
        if most.is_none() && keywords.number("maximum").is_some_and(|most| most < 0.0) {
            reject("maximum", "is below the smallest 64-bit integer");
        }
        let range = range(format);
        if least.is_some_and(|least| i128::from(least) >= range.end) {
            reject("minimum", &format!("is above the largest `{format}`"));
        }
        if most.is_some_and(|most| i128::from(most) < range.start) {
            reject("maximum", &format!("is below the smallest `{format}`"));
        }
        let ends = keywords.get("minimum").zip(keywords.get("maximum"));
        let is_known = ends.and_then(|(a, b)| compared(a, b)) == Some(Ordering::Greater);
        if !is_known && least.zip(most).is_some_and(|(least, most)| least > most) {
            reject("minimum", "no integer is between `minimum` and `maximum`");
        }
        let most = keywords.get("maximum").filter(|_| keywords.text("format") == Some("uint64"));
        let is_all =
            |most: &Value| most.as_u64() == Some(u64::MAX) && !keywords.is_true("exclusiveMaximum");
        let is_beyond = |most: &&Value| most.as_i64().is_none() && !is_all(most);
        let most = most.filter(is_beyond).and_then(Value::as_f64);
        for (bound, number) in [("maximum", most), ("multipleOf", multiple)] {
            if number.is_some_and(|number| number >= 2_f64.powi(63)) {
                reject(bound, UNCHECKED);
            }
        }
        if multiple.is_some_and(|of| of.fract() != 0.0 && of.recip().fract() != 0.0) {
            let reason = "must be an integer, or 1 divided by an integer";
            reject("multipleOf", reason);
        }
    }
    if multiple.is_some_and(|of| of <= 0.0) {
        reject("multipleOf", "must be greater than 0");
    }
    if let Some(pattern) = keywords.text("pattern") {
        let is_older = || regress::Regex::new(pattern).is_ok();
        match regress::Regex::with_flags(pattern, "u") {
            Err(error) if !is_older() => {
                reject("pattern", &format!("is not a valid ECMA 262 regular expression: {error}"));
            }
            Err(error) if [r"\p{", r"\P{", r"\u{"].iter().any(|of| pattern.contains(of)) => {
                let reason = format!(
                    "has an escape that needs the flag `u`, but doesn't compile with that flag: \
                     {error}"
                );
                reject("pattern", &reason);
            }
            _ if patterns => {}
            _ => {
                let reason = "needs the client's feature `pattern`: add \"pattern\" to `default` \
                     under `[features]` in its Cargo.toml, or remove this `pattern` and let the \
                     service check it";
                reject("pattern", reason);
            }
        }
    }
    found
}
