//! Audits parameters: their locations, names and styles.

use serde_json::Value;

use super::{
    ANY, Audit, BOOL, Is, Not, OBJECT, ObjectKind, STRING, Statements, carrier::Carrier, document,
    operation::NAMELESS,
};
use crate::document::{Declared, Step, declared, is_ignored};

const PARAMETER: ObjectKind = ObjectKind {
    name: "a parameter",
    keywords: &[
        (Is(STRING), "name in description style"),
        (Is(BOOL), "required deprecated allowEmptyValue explode"),
        (Not("is not supported: reserved characters are always percent-encoded"), "allowReserved"),
        (Is(OBJECT), "schema examples"),
        (Is(ANY), "example"),
        (Not("is not supported: describe the parameter with a `schema`"), "content"),
    ],
};

/// The headers that a parameter can't set, because the client or the HTTP connection sets them.
const OWN_HEADERS: &str = "accept-encoding connection content-encoding content-length cookie \
     expect host keep-alive proxy-authorization te transfer-encoding upgrade user-agent";

impl<'a> Audit<'a> {
    pub(super) fn parameters(&mut self, path: &str, item: &'a Value, operation: &'a Value) {
        let (declared, errors) = declared(self.document, item, operation);
        for (step, reason) in errors {
            self.reject_at(step, reason);
        }
        for Declared { location, name, written, .. } in &declared {
            self.at(Step::parameter(location, name), |audit| {
                audit.resolved("parameters", written, |audit, target| {
                    audit.parameter(path, name, location, target);
                });
            });
        }
        for name in document::parameters(path) {
            if declared.iter().all(|known| (known.location, known.name) != ("path", name)) {
                let reason = "is in the path, but no parameter declares it";
                self.reject_at(Step::parameter("path", name), reason);
            }
        }
    }

    fn parameter(&mut self, path: &str, name: &str, location: &str, parameter: &'a Value) {
        self.object(&PARAMETER, parameter);
        self.examples(parameter);
        if !name.chars().any(char::is_alphanumeric) {
            self.reject_at("name", NAMELESS);
        }
        let style = parameter.text("style");
        let (carrier, supported) = match location {
            "path" => {
                if !parameter.is_true("required") {
                    self.reject_at("required", "a path parameter must be required");
                }
                if !document::parameters(path).any(|known| known == name) {
                    self.reject("is not in the path");
                }
                (Carrier::Path, "simple")
            }
            "query" if self.is_separated(style, parameter) => {
                (Carrier::Query, style.unwrap_or("form"))
            }
            "query" => (Carrier::Query, "form"),
            "header" => {
                self.header(name);
                (Carrier::Header, "simple")
            }
            "cookie" => return self.reject("cookies are not supported"),
            _ => return self.reject_at("in", "must be `path`, `query` or `header`"),
        };
        if style.is_some_and(|style| style != supported) {
            let reason = match style {
                Some("deepObject") => {
                    "isn't supported: declare a parameter for each property, with \
                     the name that is sent, such as `filter[name]`"
                        .to_owned()
                }
                Some("pipeDelimited" | "spaceDelimited") => format!(
                    "is only supported for an array in the query that isn't exploded: write \
                     `{supported}`, or `explode: false`"
                ),
                _ => format!("only `{supported}` is supported here"),
            };
            return self.reject_at("style", reason);
        }
        let Some(schema) = parameter.get("schema") else {
            if parameter.get("content").is_none() {
                self.reject("needs a `schema`");
            }
            return;
        };
        self.at("schema", |audit| audit.schema(schema, carrier));
    }

    /// Returns whether a parameter is an array whose entries are separated by `|` or by spaces.
    fn is_separated(&self, style: Option<&str>, parameter: &Value) -> bool {
        style.is_some_and(|style| matches!(style, "pipeDelimited" | "spaceDelimited"))
            && parameter.get("explode") != Some(&Value::Bool(true))
            && parameter.get("schema").is_some_and(|schema| self.is_array(schema))
    }

    fn header(&mut self, name: &str) {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if !name.chars().all(is_token) {
            self.reject_at("name", "is not a valid header name");
        } else if OWN_HEADERS.split(' ').any(|own| own == name.to_lowercase()) {
            self.reject("is set by the client or the connection, so it can't be a parameter");
        } else if is_ignored(name) {
            self.warn("OpenAPI 3.0 ignores header parameters with this name");
        }
    }
}
