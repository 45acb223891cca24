//! The extensions that the generator reads. All other extensions are ignored, with a warning if the
//! name is probably misspelt.

use serde_json::Value;

use super::{Audit, BOOL, ObjectKind, Statements, ValueType, alike, is_strings};
use crate::document::component;

const NAMES: ValueType = ValueType { name: "a list of names", fits: is_strings };

/// The expected form of an extension's value.
enum Form {
    Of(ValueType),
    Pagination,
}

/// Each extension, with the kind of object that it belongs in and the form of its value.
const READ: &[(&str, &str, Form)] = &[
    ("pagination", "an operation", Form::Pagination),
    ("idempotent", "an operation", Form::Of(BOOL)),
    ("enum-varnames", "a schema", Form::Of(NAMES)),
    ("open-values", "a schema", Form::Of(NAMES)),
];

/// Prefixes of unknown extensions, each with the extension that its author probably meant.
const MEANT: &[(&str, &str)] = &[
    ("pagin", "pagination"),
    ("paging", "pagination"),
    ("cursor", "pagination"),
    ("created-at", "pagination"),
    ("not-with", "pagination"),
    ("items", "pagination"),
    ("idempoten", "idempotent"),
    ("enum-var", "enum-varnames"),
    ("open-", "open-values"),
];

impl<'a> Audit<'a> {
    pub(super) fn extension(&mut self, kind: &ObjectKind, name: &str, value: &'a Value) {
        let Some((_, owner, form)) = READ.iter().find(|(known, ..)| *known == name) else {
            if let Some(meant) = meant(name) {
                let reason = format!("is ignored; did you mean `x-{meant}`?");
                self.warn_at(format!("x-{name}"), reason);
            }
            return;
        };
        self.at(format!("x-{name}"), |audit| {
            if kind.name != *owner {
                return audit.reject(format!("belongs in {owner}, not in {}", kind.name));
            }
            match form {
                Form::Of(expected) => audit.expect(expected, value),
                Form::Pagination => audit.pagination(value),
            }
        });
    }

    /// Rejects statements about an enum next to a reference to the enum. The value has the type of
    /// the component, so they would have no effect.
    pub(super) fn siblings_of_enum_reference(&mut self, schema: &Value) {
        if !matches!(component(self.document, schema), Ok(Some(_))) {
            return;
        }
        for stated in ["x-enum-varnames", "x-open-values"] {
            if schema.statement(stated).is_some() {
                self.reject_at(stated, "belongs on the enum itself, not next to a reference to it");
            }
        }
    }
}

/// Returns the extension that the author of an unknown extension probably meant.
fn meant(name: &str) -> Option<&'static str> {
    let known = READ.iter().map(|(known, ..)| *known).find(|known| alike(known, name));
    let begins = |(start, _): &&(&str, &str)| name.to_lowercase().starts_with(start);
    known.or_else(|| MEANT.iter().find(begins).map(|(_, meant)| *meant))
}
