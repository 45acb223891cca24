//! Audits the OpenAPI extensions that the generator reads. Any other extension is ignored, with a
//! warning if its name looks misspelled.

use serde_json::Value;

use super::{Audit, BOOL, ObjectKind, Statements, ValueType, alike, is_strings};
use crate::document::component;

const NAMES: ValueType = ValueType { name: "a list of names", fits: is_strings };

/// The expected form of an extension's value.
enum Form {
    Of(ValueType),
    Pagination,
}

/// The supported extensions. Each entry has the extension's name without the prefix `x-`, the kind
/// of object that the extension belongs in, and the form of the extension's value.
const READ: &[(&str, &str, Form)] = &[
    ("pagination", "an operation", Form::Pagination),
    ("idempotent", "an operation", Form::Of(BOOL)),
    ("enum-varnames", "a schema", Form::Of(NAMES)),
    ("open-values", "a schema", Form::Of(NAMES)),
];

/// Prefixes of unknown extension names, each with the supported extension that was probably meant.
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
        if let (Form::Pagination, "the document") = (form, kind.name) {
            return self.pagination_rules(value);
        }
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

    /// Rejects `x-enum-varnames` and `x-open-values` next to a reference. The generated type comes
    /// from the referenced component, so the extensions would have no effect.
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

/// Returns the supported extension that the author probably meant by an unknown name, or `None` if
/// there is no likely candidate.
fn meant(name: &str) -> Option<&'static str> {
    let known = READ.iter().map(|(known, ..)| *known).find(|known| alike(known, name));
    let begins = |(start, _): &&(&str, &str)| name.to_lowercase().starts_with(start);
    known.or_else(|| MEANT.iter().find(begins).map(|(_, meant)| *meant))
}
