//! Checks the keywords at the top level of an OpenAPI document, in its operations, and in the
//! components that the operations use. A keyword that isn't supported where it appears is an error.
//!
//! Each kind of object has a list of allowed keywords. Schemas are audited twice: first as they are
//! written, and again after their parts are merged.

mod bounds;
mod carrier;
mod document;
mod extension;
mod newer;
mod operation;
mod pagination;
mod parameter;
mod schema;
mod security;
mod value;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::{
    Rule::{Is, Not, Of},
    carrier::Carrier,
};
use crate::document::{Message, OperationKey, Statements, Step, message::joined, reference};

/// The result of an audit.
pub(crate) struct Audited<'a> {
    pub warnings: Vec<Message>,
    pub errors: Vec<Message>,
    /// The operations in which the audit found no errors.
    pub supported: BTreeSet<OperationKey<'a>>,
}

/// Audits an OpenAPI description. If `patterns` is false, a `pattern` in the schema of a request is
/// an error, because the client can't check it.
pub(crate) fn audit(document: &Value, patterns: bool) -> Audited<'_> {
    let mut audit = Audit {
        document,
        patterns,
        trail: Vec::new(),
        component: 0,
        reported: BTreeSet::new(),
        ids: BTreeSet::new(),
        audited: BTreeSet::new(),
        audited_merged: BTreeSet::new(),
        depth: 0,
        is_endless: false,
        rejected: 0,
        supported: BTreeSet::new(),
        warnings: Vec::new(),
        errors: Vec::new(),
    };
    audit.audit_document();
    let Audit { warnings, errors, supported, .. } = audit;
    Audited { warnings, errors, supported }
}

struct Audit<'a> {
    document: &'a Value,
    /// Whether the client can check values against a `pattern`.
    patterns: bool,
    /// The steps from the operation to the keyword that is being audited.
    trail: Vec<Step>,
    /// The index in `trail` at which the current component begins, or 0 outside a component.
    component: usize,
    /// The messages reported so far, without the steps that lead to a component. An error in a
    /// component is therefore reported only for the first operation that uses the component.
    reported: BTreeSet<String>,
    /// The `operationId`s found so far, to detect duplicates.
    ids: BTreeSet<&'a str>,
    /// The components already audited for the current operation, each with its carrier.
    audited: BTreeSet<(String, Carrier)>,
    /// The components already audited in merged form for the current operation, each with its
    /// carrier.
    audited_merged: BTreeSet<(String, Carrier)>,
    /// The current nesting depth of inline schemas, counted from the enclosing component.
    depth: usize,
    /// Whether the current operation has inline schemas that are nested too deeply, perhaps
    /// endlessly.
    is_endless: bool,
    /// The number of errors found, including duplicates that aren't reported again.
    rejected: usize,
    supported: BTreeSet<OperationKey<'a>>,
    warnings: Vec<Message>,
    errors: Vec<Message>,
}

/// A kind of object in an OpenAPI description, such as a schema or a parameter. Each string in
/// `keywords` is a space-separated list of keywords that follow the same rule.
struct ObjectKind {
    name: &'static str,
    keywords: &'static [(Rule, &'static str)],
}

impl ObjectKind {
    fn known(&self) -> impl Iterator<Item = (&'static str, &'static Rule)> + use<> {
        let each = |(rule, known): &'static (Rule, &'static str)| {
            known.split(' ').map(move |keyword| (keyword, rule))
        };
        self.keywords.iter().flat_map(each)
    }
}

/// The rule for the value of a keyword.
enum Rule {
    /// The value must have this type.
    Is(ValueType),
    /// The value must be an object of this kind.
    Of(&'static ObjectKind),
    /// The keyword isn't supported, for the given reason. A value without an effect, such as
    /// `false` or `{}`, is allowed.
    Not(&'static str),
}

/// The type that the value of a keyword must have.
struct ValueType {
    name: &'static str,
    fits: fn(&Value) -> bool,
}

const STRING: ValueType = ValueType { name: "a string", fits: Value::is_string };
const BOOL: ValueType = ValueType { name: "a boolean", fits: Value::is_boolean };
const NUMBER: ValueType = ValueType { name: "a number", fits: Value::is_number };
const COUNT: ValueType = ValueType { name: "a non-negative integer", fits: Value::is_u64 };
const STRINGS: ValueType = ValueType { name: "a list of strings", fits: is_strings };
const LIST: ValueType = ValueType { name: "a list", fits: Value::is_array };
const OBJECT: ValueType = ValueType { name: "an object", fits: Value::is_object };
const ANY: ValueType = ValueType { name: "a value", fits: |_| true };

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

impl<'a> Audit<'a> {
    fn reject(&mut self, reason: impl AsRef<str>) {
        self.rejected += 1;
        let message = self.message(reason.as_ref());
        self.errors.extend(message);
    }

    fn warn(&mut self, reason: impl AsRef<str>) {
        let message = self.message(reason.as_ref());
        self.warnings.extend(message);
    }

    fn reject_at(&mut self, step: impl Into<Step>, reason: impl AsRef<str>) {
        self.at(step, |audit| audit.reject(reason));
    }

    fn warn_at(&mut self, step: impl Into<Step>, reason: impl AsRef<str>) {
        self.at(step, |audit| audit.warn(reason));
    }

    /// Returns a message with the current trail and the reason, or `None` if this message was
    /// already reported.
    fn message(&mut self, reason: &str) -> Option<Message> {
        let statement = joined(self.trail.get(self.component..).unwrap_or_default());
        let is_new = self.reported.insert(format!("{statement}: {reason}"));
        is_new.then(|| Message::new(self.trail.clone(), reason))
    }

    fn at<T>(&mut self, step: impl Into<Step>, then: impl FnOnce(&mut Self) -> T) -> T {
        self.trail.push(step.into());
        let found = then(self);
        self.trail.pop();
        found
    }

    /// Audits an object's keywords and returns the object, or returns `None` if `value` isn't an
    /// object.
    fn object(&mut self, kind: &ObjectKind, value: &'a Value) -> Option<&'a Map<String, Value>> {
        let Some(object) = value.as_object() else {
            self.reject(format!("is not an object, but {} must be one", kind.name));
            return None;
        };
        for (keyword, value) in object {
            if let Some(extension) = keyword.strip_prefix("x-") {
                self.extension(kind, extension, value);
                continue;
            }
            if let Some(reason) = newer::instead(kind, keyword, value) {
                self.reject_at(keyword, reason);
                continue;
            }
            self.at(keyword, |audit| match rule(kind, keyword) {
                Some(Is(kind)) => audit.expect(kind, value),
                Some(Of(_)) if !value.is_object() => audit.expect(&OBJECT, value),
                Some(Of(kind)) => {
                    audit.object(kind, value);
                }
                Some(Not(reason)) if !has_no_effect(value) => audit.reject(reason),
                Some(Not(_)) => {}
                None => audit.reject(unknown(kind, keyword)),
            });
        }
        Some(object)
    }

    fn expect(&mut self, kind: &ValueType, value: &Value) {
        if !(kind.fits)(value) {
            self.reject(format!("is not {}", kind.name));
        }
    }

    /// Calls `then` with the value or, if the value is a reference, with the target of the
    /// reference.
    fn resolved(
        &mut self,
        section: &str,
        value: &'a Value,
        then: impl FnOnce(&mut Self, &'a Value),
    ) {
        if value.get("$ref").is_none() {
            return then(self, value);
        }
        let known = reference::resolve(self.document, section, value);
        match known.and_then(|_| reference::once(self.document, section, value)) {
            Err(reason) => self.reject(reason),
            Ok((name, target)) => {
                self.siblings_of_reference(value);
                self.at_component(name, |audit| audit.resolved(section, target, then));
            }
        }
    }

    /// Rejects keywords next to a `$ref`, but only warns about `summary` and `description`.
    fn siblings_of_reference(&mut self, value: &Value) {
        const IGNORED: &str = "is next to `$ref`, where OpenAPI 3.0 ignores it";
        for keyword in value.as_object().into_iter().flat_map(Map::keys) {
            match keyword.as_str() {
                "$ref" => {}
                "summary" | "description" => self.warn_at(keyword, IGNORED),
                _ => self.reject_at(keyword, IGNORED),
            }
        }
    }

    fn at_component(&mut self, name: String, then: impl FnOnce(&mut Self)) {
        let component = std::mem::replace(&mut self.component, self.trail.len());
        self.at(name, then);
        self.component = component;
    }
}

fn rule(kind: &ObjectKind, keyword: &str) -> Option<&'static Rule> {
    kind.known().find_map(|(known, rule)| (known == keyword).then_some(rule))
}

fn unknown(kind: &ObjectKind, keyword: &str) -> String {
    let close = kind.known().map(|(known, _)| known).find(|known| alike(known, keyword));
    let close = close.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    let version = if kind.name.starts_with('`') { "" } else { " in OpenAPI 3.0" };
    format!("is not a keyword of {}{version}{close}", kind.name)
}

/// Returns whether `written` is probably a misspelling of `known`, because the names differ by only
/// one or two letters.
fn alike(known: &str, written: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let (known, written) = (plain(known), plain(written));
    let (known, written): (Vec<char>, Vec<char>) =
        (known.chars().collect(), written.chars().collect());
    let same = known.iter().zip(&written).take_while(|(a, b)| a == b).count();
    let mut ends = known[same..].iter().rev().zip(written[same..].iter().rev());
    let same = same + ends.by_ref().take_while(|(a, b)| a == b).count();
    known.len().max(written.len()) - same <= if known.len() > 5 { 2 } else { 1 }
}

fn has_no_effect(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}
