//! Checks a value against its bounds.

use std::{collections::HashSet, fmt::Display};

use serde_json::Value;

use super::rule::Rule;
use crate::RejectedValue;

impl Rule {
    /// Checks a value against this rule. `place` is the value's place within the parameter or the
    /// body, such as `[3].id`.
    pub(crate) fn check(&self, place: &str, value: &Value) -> Result<(), RejectedValue> {
        match (self, value) {
            (Self::Text { least, most, pattern }, Value::String(text)) => {
                count(place, text.chars().count(), "characters", *least, *most)?;
                match pattern {
                    Some(pattern) if !pattern.matches(text) => {
                        rejected(place, format!("does not match `{}`", pattern.text()))
                    }
                    _ => Ok(()),
                }
            }
            // chrono writes a sign before a year above 9999 and before a negative year.
            (Self::Time { .. }, Value::String(text)) if text.starts_with(['+', '-']) => {
                rejected(place, "is not in the years 0 to 9999: RFC 3339 has no other years")
            }
            (Self::Time { text: Some(rule) }, value) => rule.check(place, value),
            (Self::Integer { least, most, multiple_of }, Value::Number(number)) => {
                let Some(value) = number.as_i128() else { return Ok(()) };
                let [least, most, of] = [least, most, multiple_of].map(|n| n.map(i128::from));
                let of = of.filter(|of| *of != 0 && value % of != 0);
                refuse(place, value, outside(value, least, most).or_else(|| of.map(no_multiple)))
            }
            (Self::ReadOnly, value) if !value.is_null() => {
                rejected(place, "is read-only: only the service sets it")
            }
            (Self::Number { null: false, .. }, Value::Null) => {
                rejected(place, "is not a finite number")
            }
            (
                Self::Number { least, above, most, below, multiple_of, .. },
                Value::Number(number),
            ) => {
                let value = number.as_f64().unwrap_or(f64::NAN);
                let why = match (*least, *most) {
                    (Some(least), _) if *above && value <= least => {
                        Some(format!("which is not above {least}"))
                    }
                    (_, Some(most)) if *below && value >= most => {
                        Some(format!("which is not below {most}"))
                    }
                    (least, most) => outside(value, least, most),
                };
                let of = multiple_of.filter(|of| !is_multiple(value, *of));
                refuse(place, value, why.or_else(|| of.map(no_multiple)))
            }
            (Self::Array { least, most, unique, items }, Value::Array(entries)) => {
                count(place, entries.len(), "entries", *least, *most)?;
                if *unique {
                    different(place, entries)?;
                }
                let Some(items) = items else { return Ok(()) };
                let mut entries = entries.iter().enumerate();
                entries.try_for_each(|(at, entry)| items.check(&format!("{place}[{at}]"), entry))
            }
            (Self::Object { least, most, properties, values }, Value::Object(object)) => {
                count(place, object.len(), "properties", *least, *most)?;
                for (property, rule) in *properties {
                    if let Some(value) = object.get(*property) {
                        rule.check(&format!("{place}.{property}"), value)?;
                    }
                }
                let Some(values) = values else { return Ok(()) };
                let is_other = |(key, _): &(&String, &Value)| {
                    properties.iter().all(|(property, _)| property != key)
                };
                // The keys are the caller's data, so the error doesn't name them.
                let mut others = object.iter().filter(is_other);
                others.try_for_each(|(_, value)| values.check(&format!("{place}.*"), value))
            }
            // A null, or a value without bounds.
            _ => Ok(()),
        }
    }
}

fn rejected(place: &str, reason: impl Into<String>) -> Result<(), RejectedValue> {
    Err(RejectedValue::at(place, reason))
}

fn singular(of: &str) -> &str {
    match of {
        "entries" => "entry",
        "properties" => "property",
        _ => of.trim_end_matches('s'),
    }
}

/// Checks a count. `of` is a plural noun for the counted things, such as `entries`.
fn count(
    place: &str,
    count: usize,
    of: &str,
    least: usize,
    most: Option<usize>,
) -> Result<(), RejectedValue> {
    let of = if count == 1 { singular(of) } else { of };
    let why = outside(count, Some(least), most);
    why.map_or(Ok(()), |why| rejected(place, format!("has {count} {of}, {why}")))
}

/// Describes the bound that `value` violates, if there is one.
fn outside<N: Copy + PartialOrd + Display>(
    value: N,
    least: Option<N>,
    most: Option<N>,
) -> Option<String> {
    match (least, most) {
        (Some(least), _) if value < least => Some(format!("the minimum is {least}")),
        (_, Some(most)) if value > most => Some(format!("the maximum is {most}")),
        _ => None,
    }
}

fn no_multiple(of: impl Display) -> String {
    format!("which is not a multiple of {of}")
}

fn refuse(place: &str, value: impl Display, why: Option<String>) -> Result<(), RejectedValue> {
    why.map_or(Ok(()), |why| rejected(place, format!("is {value}, {why}")))
}

/// Checks that no two entries are the same.
fn different(place: &str, entries: &[Value]) -> Result<(), RejectedValue> {
    let mut seen = HashSet::new();
    let twice = entries.iter().position(|entry| !seen.insert(entry));
    twice.map_or(Ok(()), |at| rejected(&format!("{place}[{at}]"), "repeats an earlier entry"))
}

/// Whether `value` is a multiple of `of`. The comparison has a tolerance, because a float only
/// approximates most decimal fractions.
fn is_multiple(value: f64, of: f64) -> bool {
    let times = value / of;
    (times - times.round()).abs() <= 4.0 * f64::EPSILON * times.abs()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::validate::Rule;

    static CHILD: Rule = Rule::Object {
        least: 0,
        most: None,
        properties: &[("child", &CHILD), ("n", &N)],
        values: None,
    };
    static N: Rule = Rule::Number {
        least: Some(0.0),
        above: true,
        most: Some(2.0),
        below: true,
        multiple_of: Some(0.1),
        null: false,
    };
    static FREE: Rule = Rule::Number {
        least: None,
        above: false,
        most: None,
        below: false,
        multiple_of: None,
        null: true,
    };
    static SIZE: Rule = Rule::Integer { least: Some(-5), most: Some(5), multiple_of: Some(5) };
    static TWO: Rule = Rule::Text { least: 2, most: Some(2), pattern: None };
    static MAP: Rule =
        Rule::Object { least: 1, most: Some(1), properties: &[], values: Some(&TWO) };
    static DAY: Rule = Rule::Time { text: Some(&TEN) };
    static TEN: Rule = Rule::Text { least: 10, most: Some(10), pattern: None };
    static OPEN: Rule = Rule::Object {
        least: 0,
        most: None,
        properties: &[("id", &Rule::Any), ("on", &DAY)],
        values: Some(&TWO),
    };
    static ROWS: Rule = Rule::Array { least: 1, most: None, unique: true, items: Some(&TWOS) };
    static TWOS: Rule = Rule::Array { least: 0, most: Some(2), unique: false, items: Some(&TWO) };

    #[test]
    fn each_bound_is_checked_wherever_it_stands() {
        let cases: &[(&Rule, Value, Result<(), &str>)] = &[
            (&CHILD, json!({ "child": { "child": { "n": 0.3 } } }), Ok(())),
            (&CHILD, json!({ "child": { "n": 0 } }), Err("`a.child.n` is 0, which is not above 0")),
            (&CHILD, json!({ "n": 2 }), Err("`a.n` is 2, which is not below 2")),
            (&CHILD, json!({ "n": 0.35 }), Err("`a.n` is 0.35, which is not a multiple of 0.1")),
            (&CHILD, json!({ "n": null }), Err("`a.n` is not a finite number")),
            (&FREE, json!(null), Ok(())),
            (&Rule::ReadOnly, json!(null), Ok(())),
            (&Rule::ReadOnly, json!("b"), Err("`a` is read-only: only the service sets it")),
            (&SIZE, json!(-5), Ok(())),
            (&SIZE, json!(0), Ok(())),
            (&SIZE, json!(u64::MAX), Err("`a` is 18446744073709551615, the maximum is 5")),
            (&SIZE, json!(i64::MIN), Err("`a` is -9223372036854775808, the minimum is -5")),
            (&SIZE, json!(3), Err("`a` is 3, which is not a multiple of 5")),
            (&TWO, json!("é𝄞"), Ok(())),
            (&TWO, json!("a"), Err("`a` has 1 character, the minimum is 2")),
            (&MAP, json!({}), Err("`a` has 0 properties, the minimum is 1")),
            (&MAP, json!({ "secret": "abc" }), Err("`a.*` has 3 characters, the maximum is 2")),
            (&OPEN, json!({ "id": "a", "on": "2025-01-01", "secret": "ab" }), Ok(())),
            (&OPEN, json!({ "secret": "a" }), Err("`a.*` has 1 character, the minimum is 2")),
            (&OPEN, json!({ "on": "2025" }), Err("`a.on` has 4 characters, the minimum is 10")),
            (
                &OPEN,
                json!({ "on": "+10000-01-01" }),
                Err("`a.on` is not in the years 0 to 9999: RFC 3339 has no other years"),
            ),
            (
                &ROWS,
                json!([["ab"], ["ab", "c"]]),
                Err("`a[1][1]` has 1 character, the minimum is 2"),
            ),
            (&ROWS, json!([["ab"], ["ab"]]), Err("`a[1]` repeats an earlier entry")),
            (&ROWS, json!(null), Ok(())),
        ];
        for (rule, value, expected) in cases {
            let checked = rule.check("", value).map_err(|rejected| rejected.message("a"));
            assert_eq!(checked, expected.map_err(str::to_owned), "{value}");
        }
    }
}
