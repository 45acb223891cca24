//! The extensions that this crate reads. It takes no others into account.

use serde_json::Value;

use super::{Audit, Kind};

type Check = fn(&Value) -> Result<(), &'static str>;

/// Where an extension stands, by the name of its kind of object, and what it holds.
const READ: &[(&str, &[&str], Check)] = &[
    ("not-with-page-cursor", &["a parameter"], truth),
    ("created-at-from", &["a parameter"], truth),
    ("created-at-until", &["a parameter"], truth),
    ("created-at", &["a schema"], truth),
    ("items", &["a schema"], truth),
    ("enum-varnames", &["a schema"], texts),
    ("repeats-request", &["a schema"], truth_or_texts),
];

impl Audit<'_> {
    pub(super) fn extension(&mut self, kind: &Kind, name: &str, value: &Value) {
        let Some((_, places, shape)) = READ.iter().find(|(known, ..)| *known == name) else {
            return;
        };
        self.at(format!("x-{name}"), |audit| {
            if !places.contains(&kind.name) {
                return audit.refuse(format!(
                    "belongs in {}, not in {}",
                    places.join(", "),
                    kind.name
                ));
            }
            if let Err(reason) = shape(value) {
                audit.refuse(reason);
            }
            let of_listings =
                matches!(name, "not-with-page-cursor" | "created-at-from" | "created-at-until");
            if of_listings && !audit.listing && *value != Value::Bool(false) {
                audit.refuse("the operation is not a listing: it takes no `page_cursor`");
            }
        });
    }
}

fn truth(value: &Value) -> Result<(), &'static str> {
    if value.is_boolean() { Ok(()) } else { Err("is not a boolean") }
}

fn texts(value: &Value) -> Result<(), &'static str> {
    let texts = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    if texts { Ok(()) } else { Err("is not a list of names") }
}

fn truth_or_texts(value: &Value) -> Result<(), &'static str> {
    truth(value).or_else(|_| texts(value)).map_err(|_| "is neither `true` nor a list of names")
}
