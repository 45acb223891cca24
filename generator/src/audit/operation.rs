//! Audits an operation: its security, body, examples and responses.

use serde_json::{Map, Value};

use super::{
    ANY, Audit, BOOL, Is, LIST, Not, OBJECT, ObjectKind, STRING, STRINGS, Statements,
    carrier::Carrier,
};
use crate::document::{is_annotation, json, reference, resolved};

/// The reason to reject a name that contains neither a letter nor a digit.
pub(super) const NAMELESS: &str = "needs a letter or a digit, because a method is named after it";

const OPERATION: ObjectKind = ObjectKind {
    name: "an operation",
    keywords: &[
        (Is(STRINGS), "tags"),
        (Is(STRING), "summary description operationId"),
        (Is(OBJECT), "externalDocs requestBody responses"),
        (Is(LIST), "parameters security"),
        (Not("is not supported: the client can't receive requests"), "callbacks"),
        (Is(BOOL), "deprecated"),
        (
            Not("an operation can't have its own servers: all paths are appended to one base URL"),
            "servers",
        ),
    ],
};

const BODY: ObjectKind = ObjectKind {
    name: "a request body",
    keywords: &[(Is(STRING), "description"), (Is(OBJECT), "content"), (Is(BOOL), "required")],
};

const RESPONSE: ObjectKind = ObjectKind {
    name: "a response",
    keywords: &[(Is(STRING), "description"), (Is(OBJECT), "headers content links")],
};

const MEDIA: ObjectKind = ObjectKind {
    name: "a media type",
    keywords: &[
        (Is(OBJECT), "schema examples"),
        (Is(ANY), "example"),
        (Not("applies only to forms, which are not supported"), "encoding"),
    ],
};

const EXAMPLE: ObjectKind = ObjectKind {
    name: "an example",
    keywords: &[(Is(STRING), "summary description externalValue"), (Is(ANY), "value")],
};

impl<'a> Audit<'a> {
    pub(super) fn operation(
        &mut self,
        method: &str,
        path: &str,
        item: &'a Value,
        operation: &'a Value,
    ) {
        let Some(statements) = self.object(&OPERATION, operation) else { return };
        match statements.text("operationId") {
            None => self.reject("has no operationId: add one"),
            Some(id) if !id.chars().any(|c| c.is_ascii_alphanumeric()) => {
                self.reject_at("operationId", NAMELESS);
            }
            Some(id) if !self.ids.insert(id) => {
                self.reject_at("operationId", "is already used by another operation");
            }
            Some(_) => {}
        }
        match statements.get("security") {
            Some(security) => self.security(security),
            None if self.lacks_security() => self.warn(
                "has no `security`, so requests are sent without a token: add the required \
                 scope, or `security: []`",
            ),
            None => {}
        }
        self.parameters(path, item, operation);
        if let Some(body) = statements.get("requestBody") {
            self.at("requestBody", |audit| {
                if method == "get" {
                    audit.reject("a GET request can't have a body");
                }
                audit.resolved("requestBodies", body, |audit, body| {
                    audit.content(&BODY, body, Carrier::Body);
                });
            });
        }
        self.at("responses", |audit| {
            match statements.get("responses").and_then(Value::as_object) {
                Some(responses) => audit.responses(responses),
                None => audit.reject("is missing: add a successful response"),
            }
        });
    }

    /// Audits a request body or a response.
    fn content(&mut self, kind: &ObjectKind, of: &'a Value, carrier: Carrier) {
        let Some(statements) = self.object(kind, of) else { return };
        self.at("content", |audit| match json(statements.get("content")) {
            Err(reason) => audit.reject(reason),
            Ok(None) if carrier == Carrier::Body => audit.reject("needs a media type"),
            Ok(None) => {}
            Ok(Some((kind, _, media))) => audit.at(kind, |audit| {
                let Some(statements) = audit.object(&MEDIA, media) else { return };
                audit.examples(media);
                if let Some(schema) = statements.get("schema") {
                    audit.at("schema", |audit| audit.schema(schema, carrier));
                }
            }),
        });
    }

    /// Audits the `examples` of a parameter or of a media type.
    pub(super) fn examples(&mut self, of: &'a Value) {
        for (name, example) in of.object("examples") {
            let read = |audit: &mut Self, example| {
                audit.object(&EXAMPLE, example);
            };
            self.at("examples", |audit| {
                audit.at(name, |audit| audit.resolved("examples", example, read));
            });
        }
    }

    fn responses(&mut self, responses: &'a Map<String, Value>) {
        let mut successes = Vec::new();
        for (status, response) in responses {
            if status.starts_with("x-") {
                continue;
            }
            // The content of an error response isn't audited, because the client accepts any
            // content there.
            self.at(status, |audit| match is_status(status) {
                true if status.starts_with('2') => {
                    successes.push((status, audit.response_schema(response)));
                    audit.resolved("responses", response, |audit, response| {
                        audit.content(&RESPONSE, response, Carrier::Response);
                    });
                }
                false if status != "default" => audit.reject("is not a status code"),
                _ => audit.resolved("responses", response, |_, _| {}),
            });
        }
        if successes.is_empty() {
            self.reject("contain no successful response: add a 2XX status");
        }
        let mut schemas =
            successes.iter().filter_map(|(code, schema)| Some((code, schema.as_ref()?)));
        if let Some((one, schema)) = schemas.next()
            && let Some((other, _)) = schemas.find(|(_, other)| *other != schema)
        {
            self.reject(format!(
                "`{one}` and `{other}` have different schemas, but a method can return only one \
                 type"
            ));
        }
    }

    /// Returns the resolved schema of a response's body, without annotations other than `nullable`.
    /// Returns `None` if the response has no body.
    fn response_schema(&self, response: &'a Value) -> Option<Map<String, Value>> {
        let response = reference::target(self.document, "responses", response).ok()?;
        let (_, _, media) = json(response.get("content")).ok()??;
        let schema = media.get("schema").unwrap_or(&Value::Null);
        let mut whole = resolved(self.document, schema).ok()?;
        whole.retain(|keyword, _| !is_annotation(keyword) || keyword == "nullable");
        Some(whole)
    }
}

/// Returns whether a string is a status code, such as `404`, or a range of status codes, such as
/// `4XX`.
fn is_status(code: &str) -> bool {
    let Some((b'1'..=b'5', rest)) = code.as_bytes().split_first() else { return false };
    rest.eq_ignore_ascii_case(b"XX") || (rest.len() == 2 && rest.iter().all(u8::is_ascii_digit))
}
