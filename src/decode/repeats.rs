//! Checks that an answer repeats its request, where the description says so.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use uuid::Uuid;

use super::fields;

/// A property of the answer that repeats its namesake in the request.
#[derive(Debug)]
#[allow(dead_code, reason = "the description decides whether there is one")]
pub(crate) struct Repeats {
    pub property: &'static str,
    pub part: Part,
}

/// Which part of a property is repeated.
#[derive(Debug)]
#[allow(dead_code, reason = "the description decides which of them there are")]
pub(crate) enum Part {
    Whole,
    /// These fields of each element in an array of objects. The elements may have more fields.
    Elements(&'static [&'static str]),
}

/// Says which part of the request the answer doesn't repeat. `None` if it repeats all of it.
///
/// A field that the request leaves out can have any value in the answer. Arrays can be in any order,
/// because the specification names none.
pub(crate) fn missed(repeats: &[Repeats], request: &[u8], answer: &[u8]) -> Option<String> {
    if repeats.is_empty() {
        return None;
    }
    let request = fields(request)?;
    let Some(answer) = fields(answer) else {
        return Some("the answer is nested too deeply to be held against the request".to_owned());
    };
    repeats.iter().find_map(|Repeats { property, part }| {
        let sent = request.get(*property)?;
        let returned = answer.get(*property);
        match (part, sent, returned) {
            (Part::Elements(fields), Value::Array(sent), Some(Value::Array(returned))) => {
                missed_elements(property, fields, sent, returned)
            }
            (_, sent, Some(returned)) if canonical(sent) == canonical(returned) => None,
            _ => Some(format!("`{property}` in the answer is not the one in the request")),
        }
    })
}

fn missed_elements(
    property: &str,
    fields: &[&str],
    sent: &[Value],
    returned: &[Value],
) -> Option<String> {
    if sent.len() != returned.len() {
        let (sent, returned) = (sent.len(), returned.len());
        return Some(format!(
            "`{property}` has length {returned} in the answer and {sent} in the request"
        ));
    }
    let stated = |element: &Value| -> Vec<&str> {
        fields.iter().copied().filter(|field| element.get(field).is_some()).collect()
    };
    // An element that states fewer fields must not take the place of one that states more. So
    // elements are counted per set of stated fields, and those that state more count in each subset.
    let all_stated: HashSet<Vec<&str>> = sent.iter().map(stated).collect();
    let all_there = all_stated.iter().all(|fields| {
        let mut spare: HashMap<String, usize> = HashMap::new();
        for key in returned.iter().filter_map(|element| key(element, fields)) {
            *spare.entry(key).or_default() += 1;
        }
        sent.iter().filter_map(|element| key(element, fields)).all(|key| {
            let spare = spare.get_mut(&key).filter(|spare| **spare > 0);
            spare.map(|spare| *spare -= 1).is_some()
        })
    });
    (!all_there).then(|| format!("`{property}` in the answer are not the ones in the request"))
}

/// An element's fields as one text, if it has them all.
fn key(element: &Value, fields: &[&str]) -> Option<String> {
    fields.iter().map(|field| Some(canonical(element.get(field)?) + "\n")).collect()
}

/// A value as canonical JSON: identifiers in one spelling, arrays in one order.
fn canonical(value: &Value) -> String {
    match value {
        Value::String(text) => match text.parse::<Uuid>() {
            Ok(id) => format!("\"{id}\""),
            Err(_) => value.to_string(),
        },
        Value::Array(elements) => list(elements.iter().map(canonical)),
        Value::Object(fields) => {
            list(fields.iter().map(|(name, value)| format!("{name:?}:{}", canonical(value))))
        }
        _ => value.to_string(),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.collect();
    parts.sort();
    format!("[{}]", parts.join(","))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const MEMBERS: &[Repeats] =
        &[Repeats { property: "members", part: Part::Elements(&["id", "roles"]) }];

    /// Whether each sent member can be given a returned one of its own.
    fn has_pairing(sent: &[Value], returned: &[Value]) -> bool {
        let Some((first, rest)) = sent.split_first() else { return returned.is_empty() };
        (0..returned.len()).any(|at| {
            let mut others = returned.to_vec();
            let taken = others.remove(at);
            let fields = first.as_object().into_iter().flatten();
            let is_repeated = fields.into_iter().all(|(name, stated)| taken[name] == *stated);
            is_repeated && has_pairing(rest, &others)
        })
    }

    fn member(id: u8, role: Option<u8>) -> Value {
        match role {
            Some(role) => json!({ "id": id, "roles": [role] }),
            None => json!({ "id": id }),
        }
    }

    proptest! {
        #[test]
        fn members_are_repeated_if_each_has_one_of_its_own(
            sent in proptest::collection::vec((0..2_u8, proptest::option::of(0..2_u8)), 0..5),
            returned in proptest::collection::vec((0..2_u8, 0..2_u8), 0..5),
        ) {
            let sent: Vec<Value> = sent.into_iter().map(|(id, role)| member(id, role)).collect();
            let returned: Vec<Value> =
                returned.into_iter().map(|(id, role)| member(id, Some(role))).collect();
            let body = |members: &[Value]| json!({ "members": members }).to_string().into_bytes();

            let missed = missed(MEMBERS, &body(&sent), &body(&returned));

            prop_assert_eq!(missed.is_none(), has_pairing(&sent, &returned), "{:?}", missed);
        }
    }
}
