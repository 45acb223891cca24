//! The values of enums, and the bounds of integers.

use serde_json::{Map, Value};

/// The values of an enum, each once and without null, and their names.
pub(super) fn values(whole: &Map<String, Value>, plain: &mut Map<String, Value>) {
    let list = |keyword: &str| whole.get(keyword).and_then(Value::as_array);
    let called = list("x-enum-varnames");
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for (at, value) in list("enum").into_iter().flatten().enumerate() {
        if !value.is_null() && !values.contains(value) {
            values.push(value.clone());
            names.extend(called.and_then(|names| names.get(at)).cloned());
        }
    }
    plain.insert("enum".into(), values.into());
    if called.is_some() {
        plain.insert("x-enum-varnames".into(), names.into());
    }
}

/// Bounds of an integer as integers. Those that every 64-bit integer is within are left out.
pub(super) fn in_integers(plain: &mut Map<String, Value>) {
    for (bound, exclusive) in
        [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"), ("multipleOf", "")]
    {
        let Some(Value::Number(number)) = plain.get(bound).filter(|number| !number.is_i64()) else {
            continue;
        };
        let number = number.as_f64().unwrap_or_default();
        let rounded = match bound {
            "minimum" => number.ceil(),
            "maximum" => number.floor(),
            // The audit has refused others than integers and their parts.
            _ if number.fract() != 0.0 => f64::NAN,
            _ => number,
        };
        let integer = format!("{rounded:.0}").parse::<i64>();
        if number.fract() != 0.0 || integer.is_err() {
            plain.remove(exclusive);
        }
        match integer {
            Ok(integer) => plain.insert(bound.into(), integer.into()),
            Err(_) => plain.remove(bound),
        };
    }
}
