//! Audits the keywords of schemas and of their parts, such as properties and the entries of
//! `allOf`.

use serde_json::{Value, json};

use super::{
    ANY, Audit, BOOL, COUNT, Is, LIST, NUMBER, OBJECT, ObjectKind, STRING, STRINGS, Statements,
    carrier::Carrier, has_no_effect,
};
use crate::document::{Shape, Step, leads_back, only_part, reference, resolved, shape};

const SCHEMA: ObjectKind = ObjectKind {
    name: "a schema",
    keywords: &[
        (Is(STRING), "$ref title pattern type description format"),
        (Is(NUMBER), "multipleOf maximum minimum"),
        (
            Is(BOOL),
            "exclusiveMaximum exclusiveMinimum uniqueItems nullable readOnly writeOnly \
             deprecated",
        ),
        (Is(COUNT), "maxLength minLength maxItems minItems maxProperties minProperties"),
        (Is(STRINGS), "required"),
        (Is(LIST), "enum allOf oneOf anyOf"),
        (Is(OBJECT), "not items properties discriminator xml externalDocs"),
        (Is(ANY), "additionalProperties default example"),
    ],
};

const NEXT_TO_REFERENCE: &str = "is next to `$ref`, where OpenAPI 3.0 ignores it: use `allOf`";
/// The keywords that a schema with a `$ref` may have.
const ANNOTATIONS: &str = "$ref title description example externalDocs nullable readOnly writeOnly \
     deprecated default type";

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

impl<'a> Audit<'a> {
    pub(super) fn schema(&mut self, schema: &'a Value, carrier: Carrier) {
        let before = self.rejected;
        self.part(schema, carrier);
        // If a part has an error, the audit of the merged schema would report the same error again.
        if self.rejected == before {
            self.whole(schema, carrier);
        }
    }

    /// Audits a schema and, separately, each of its parts, such as the entries of `allOf`. The
    /// schema may itself be a part of another schema.
    fn part(&mut self, schema: &'a Value, carrier: Carrier) {
        let before = self.errors.len();
        if !self.statements(schema, carrier) || self.errors.len() > before {
            return;
        }
        match resolved(self.document, schema) {
            Err(reason) => self.reject(reason),
            Ok(whole) => self.value(&whole, carrier),
        }
    }

    /// Audits the keywords of a schema and of all its parts. Returns false if the schema needs no
    /// further audit, because it is a reference or isn't an object.
    fn statements(&mut self, schema: &'a Value, carrier: Carrier) -> bool {
        self.siblings_of_enum_reference(schema);
        if schema.get("$ref").is_some() {
            self.siblings_of_schema_reference(schema);
            let known = reference::resolve(self.document, "schemas", schema);
            match known.and_then(|_| reference::once(self.document, "schemas", schema)) {
                Err(reason) => self.reject(reason),
                Ok((name, _)) if leads_back(self.document, schema) => {
                    self.reject(format!("`{name}` contains itself without an object in between"));
                }
                Ok((name, target)) => {
                    if self.audited.insert((name.clone(), carrier)) {
                        self.at_component(name, |audit| audit.part(target, carrier));
                    }
                }
            }
            return false;
        }
        let Some(statements) = self.object(&SCHEMA, schema) else { return false };
        if let Some(kind) = statements.text("type")
            && !TYPES.contains(&kind)
        {
            self.reject_at("type", format!("`{kind}` is not a type in OpenAPI 3.0"));
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let Some(parts) = statements.get(keyword).and_then(Value::as_array) else { continue };
            if parts.is_empty() {
                self.reject_at(keyword, "is empty");
            }
            let is_whole = keyword == "allOf" || only_part(schema).is_some();
            let carrier = if is_whole { carrier } else { carrier.unchecked() };
            for (at, part) in parts.iter().enumerate() {
                self.at(Step::Entry { list: keyword, index: at }, |audit| {
                    audit.part(part, carrier);
                });
            }
        }
        if carrier != Carrier::Response {
            self.reject_closed_parts(schema);
        }
        // `carried` rejects an object in a path, a query or a header, so its parts aren't audited.
        let is_carried = matches!(carrier, Carrier::Body | Carrier::Response);
        for (name, part) in statements.object("properties") {
            if is_carried {
                self.at(name, |audit| audit.part(part, carrier.inside()));
            }
        }
        if let Some(items) = statements.get("items") {
            self.at("items", |audit| audit.part(items, carrier.inside()));
        }
        match statements.get("additionalProperties") {
            None | Some(Value::Bool(_)) => {}
            Some(_) if !is_carried => {}
            Some(values) => {
                self.at("additionalProperties", |audit| audit.part(values, carrier.inside()));
            }
        }
        if let Some(discriminator) = statements.get("discriminator")
            && discriminator.get("propertyName").is_none_or(|name| !name.is_string())
        {
            self.reject_at(
                "discriminator",
                "needs `propertyName`, the property that distinguishes the schemas",
            );
        }
        true
    }

    /// Rejects an `allOf` in which a part with `additionalProperties: false` lacks a property that
    /// another part declares.
    fn reject_closed_parts(&mut self, schema: &Value) {
        let Ok(whole) = resolved(self.document, schema) else { return };
        for (at, part) in schema.list("allOf").iter().enumerate() {
            let Ok(part) = resolved(self.document, part) else { continue };
            let is_open = part.get("additionalProperties") != Some(&Value::Bool(false));
            let is_known = |name: &str| part.object("properties").any(|(known, _)| known == name);
            let other = whole.object("properties").find(|(name, _)| !is_open && !is_known(name));
            if let Some((name, _)) = other {
                self.reject_at(
                    format!("allOf[{at}]"),
                    format!("forbids the property `{name}`, which another part declares"),
                );
            }
        }
    }

    /// Rejects keywords next to a `$ref`, where OpenAPI 3.0 ignores them. Allows annotations, and a
    /// `type` that equals the target's `type`.
    fn siblings_of_schema_reference(&mut self, schema: &'a Value) {
        let statements = self.object(&SCHEMA, schema).into_iter().flatten();
        let is_ignored = |keyword: &str| {
            !ANNOTATIONS.split(' ').any(|known| known == keyword)
                && SCHEMA.known().any(|(known, _)| known == keyword)
        };
        for (keyword, value) in statements {
            if is_ignored(keyword) && !has_no_effect(value) {
                self.reject_at(keyword, NEXT_TO_REFERENCE);
            }
        }
        let Some(kind) = schema.get("type") else { return };
        let target = resolved(self.document, &json!({ "$ref": schema["$ref"] }));
        if target.is_ok_and(|target| target.get("type") != Some(kind)) {
            self.reject_at("type", NEXT_TO_REFERENCE);
        }
    }

    pub(super) fn is_array(&self, schema: &Value) -> bool {
        resolved(self.document, schema).is_ok_and(|schema| shape(&schema) == Shape::Array)
    }
}
