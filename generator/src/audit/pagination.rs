//! Audits the keywords of `x-pagination` and the types of their values. Whether the named
//! parameters and properties exist is checked later, when the model is built.

use serde_json::Value;

use super::{Audit, BOOL, Is, Not, OBJECT, ObjectKind, Of, STRING, STRINGS, ValueType};
use crate::document::Step;

const PAGINATION: ObjectKind = ObjectKind {
    name: "`x-pagination`",
    keywords: &[
        (Is(STRING), "cursor items size while end"),
        (Is(NEXT), "next"),
        (Of(&ORDER), "order"),
        (Of(&TIME), "time"),
        (Is(STRINGS), "not-with-cursor"),
        (Not(PAGE), "page"),
        (Not(OFFSET), "offset"),
        (Not(URL), "url"),
        (Not(LINK), "link"),
        (Not(HEADER), "header"),
        (Not(BODY), "body"),
    ],
};

const NEXT: ValueType = ValueType {
    name: "a JSON pointer, or an object with a JSON pointer in `last`",
    fits: |value| value.is_string() || value.is_object(),
};

const OBJECT_OF_NEXT: ObjectKind = ObjectKind {
    name: "`next`",
    keywords: &[
        (Is(STRING), "last"),
        (Not(PAGE), "page"),
        (Not(OFFSET), "offset"),
        (Not(URL), "url"),
        (Not(LINK), "link"),
        (Not(HEADER), "header"),
    ],
};

// Ways of paging that the client doesn't support.
const PAGE: &str = "isn't supported: a page number is not a cursor";
const OFFSET: &str = "isn't supported: an offset is not a cursor";
const URL: &str = "isn't supported: the client doesn't follow the URL of a next page";
const LINK: &str = "isn't supported: the client doesn't read `Link` headers";
const HEADER: &str = "isn't supported: the client doesn't read cursors from response headers";
const BODY: &str = "isn't supported: the cursor must be a query parameter, not a part of the body";

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
    /// Audits the list of rules at the top level of the document.
    pub(super) fn pagination_rules(&mut self, value: &'a Value) {
        let Some(rules) = value.as_array() else {
            return self
                .reject_at("x-pagination", "at the top level, it must be a list of objects");
        };
        for (index, rule) in rules.iter().enumerate() {
            self.at(Step::Entry { list: "x-pagination", index }, |audit| {
                if rule.is_object() { audit.pagination(rule) } else { audit.expect(&OBJECT, rule) }
            });
        }
    }

    pub(super) fn pagination(&mut self, value: &'a Value) {
        if *value == Value::Bool(false) {
            return;
        }
        if !value.is_object() {
            return self.reject("must be an object or `false`");
        }
        let before = self.rejected;
        self.object(&PAGINATION, value);
        if self.rejected == before {
            self.needs(value, &["cursor", "next"]);
        }
        let boolean = ["while", "end"].map(|keyword| value.get(keyword).is_some());
        if boolean == [true, true] {
            self.reject_at("end", "can't be combined with `while`");
        }
        if let Some(next) = value.get("next").filter(|next| next.is_object()) {
            self.at("next", |audit| {
                let before = audit.rejected;
                audit.object(&OBJECT_OF_NEXT, next);
                if audit.rejected > before {
                    return;
                }
                audit.needs(next, &["last"]);
                if boolean == [false, false] {
                    audit.reject_at("last", "needs `while` or `end` next to `next`");
                }
            });
        }
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
