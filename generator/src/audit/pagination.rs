//! Audits the keywords of `x-pagination` and the types of their values. Whether the named
//! parameters and properties exist is checked later, when the model is built.

use serde_json::Value;

use super::{Audit, BOOL, Is, ObjectKind, Of, STRING, STRINGS, ValueType};

const PAGINATION: ObjectKind = ObjectKind {
    name: "`x-pagination`",
    keywords: &[
        (Is(STRING), "cursor next items size while"),
        (Of(&ORDER), "order"),
        (Of(&TIME), "time"),
        (Is(STRINGS), "not-with-cursor"),
    ],
};

/// The type of the keywords, such as `ascending`, whose values are sent in query parameters.
const SCALAR: ValueType = ValueType {
    name: "a string, an integer or a boolean",
    fits: |value| value.is_string() || value.is_i64() || value.is_boolean(),
};

const ORDER: ObjectKind = ObjectKind {
    name: "`order`",
    keywords: &[(Is(STRING), "parameter"), (Is(SCALAR), "ascending descending"), (Of(&BY), "by")],
};

const BY: ObjectKind =
    ObjectKind { name: "`by`", keywords: &[(Is(STRING), "parameter"), (Is(SCALAR), "time")] };

const TIME: ObjectKind = ObjectKind {
    name: "`time`",
    keywords: &[(Is(STRING), "property from until"), (Is(BOOL), "inclusive")],
};

impl<'a> Audit<'a> {
    pub(super) fn pagination(&mut self, value: &'a Value) {
        if *value == Value::Bool(false) {
            return;
        }
        if !value.is_object() {
            return self.reject("must be an object or `false`");
        }
        self.object(&PAGINATION, value);
        self.needs(value, &["cursor", "next"]);
        if let Some(order) = value.get("order").filter(|order| order.is_object()) {
            self.at("order", |audit| {
                audit.needs(order, &["parameter", "ascending", "descending"]);
                if let Some(by) = order.get("by").filter(|by| by.is_object()) {
                    audit.at("by", |audit| audit.needs(by, &["parameter", "time"]));
                }
            });
        }
        if let Some(time) = value.get("time").filter(|time| time.is_object()) {
            let bounds = ["from", "until", "inclusive"];
            let has_bounds = bounds.iter().any(|bound| time.get(bound).is_some());
            self.at("time", |audit| {
                audit.needs(time, &["property"]);
                audit.needs(time, if has_bounds { &bounds } else { &[] });
            });
        }
    }

    fn needs(&mut self, value: &Value, keywords: &[&str]) {
        for keyword in keywords.iter().filter(|keyword| value.get(**keyword).is_none()) {
            self.reject(format!("needs `{keyword}`"));
        }
    }
}
