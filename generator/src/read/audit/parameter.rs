//! Parameters: their places, and how they are written there.

use serde_json::Value;

use super::{
    ANY, Audit, BOOL, Is, Not, OBJECT, ObjectKind, STRING, Statements, document, schema::Carrier,
};
use crate::{model::CURSOR, read::reference};

const PARAMETER: ObjectKind = ObjectKind {
    name: "a parameter",
    keywords: &[
        (Is(STRING), "name in description style"),
        (Is(BOOL), "required deprecated allowEmptyValue explode"),
        (Not("reserved characters are always percent-encoded"), "allowReserved"),
        (Is(OBJECT), "schema examples"),
        (Is(ANY), "example"),
        (Not("a parameter needs a `schema`, not a media type"), "content"),
    ],
};

/// Headers that the crate sets itself, or that belong to the connection.
const OWN_HEADERS: &str = "accept-encoding connection content-encoding content-length cookie expect host \
     keep-alive proxy-authorization te transfer-encoding upgrade user-agent";

/// Whether OpenAPI 3.0 ignores a header parameter of this name.
pub(crate) fn is_ignored(header: &str) -> bool {
    matches!(&*header.to_lowercase(), "accept" | "content-type" | "authorization")
}

/// A parameter of an operation.
pub(crate) struct Declared<'a> {
    pub place: &'a str,
    pub name: &'a str,
    /// What declares it, which may be a reference.
    pub written: &'a Value,
    pub target: &'a Value,
}

impl Declared<'_> {
    /// The case of a header's name is nothing.
    fn is_same(&self, other: &Self) -> bool {
        let (name, other_name) = (self.name, other.name);
        let is_header = self.place == "header" && name.eq_ignore_ascii_case(other_name);
        self.place == other.place && (name == other_name || is_header)
    }
}

/// The parameters that an operation and its path declare, and what can't be one: the step to it, and
/// the reason.
pub(crate) fn declared<'a>(
    document: &'a Value,
    item: &'a Value,
    operation: &'a Value,
) -> (Vec<Declared<'a>>, Vec<(String, String)>) {
    let (mut declared, mut refusals) = (Vec::<Declared<'_>>::new(), Vec::new());
    for list in [operation, item].map(|of| of.list("parameters")) {
        let own = declared.len();
        for (at, written) in list.iter().enumerate() {
            let target = reference::target(document, "parameters", written);
            let parameter = target.and_then(|target| {
                let called = target.text("in").zip(target.text("name"));
                let called = called.map(|(place, name)| Declared { place, name, written, target });
                called.ok_or_else(|| "needs a `name` and an `in`, which are strings".into())
            });
            match parameter {
                Err(reason) => refusals.push((format!("parameters[{at}]"), reason)),
                Ok(new) => match declared.iter().position(|known| known.is_same(&new)) {
                    None => declared.push(new),
                    // An operation's own parameter overrides its path's.
                    Some(known) if known < own => {}
                    Some(_) => {
                        let step = format!("{} {}", new.place, new.name);
                        refusals.push((step, "is declared twice".to_owned()));
                    }
                },
            }
        }
    }
    (declared, refusals)
}

impl<'a> Audit<'a> {
    pub(super) fn parameters(&mut self, path: &str, item: &'a Value, operation: &'a Value) {
        let (declared, refusals) = declared(self.document, item, operation);
        self.listing = declared.iter().any(|known| (known.place, known.name) == ("query", CURSOR));
        for (step, reason) in refusals {
            self.refuse_at(step, reason);
        }
        for Declared { place, name, written, .. } in &declared {
            self.at(format!("{place} {name}"), |audit| {
                audit.resolved("parameters", written, |audit, target| {
                    audit.parameter(path, name, place, target);
                });
            });
        }
        for name in document::parameters(path) {
            if declared.iter().all(|known| (known.place, known.name) != ("path", name)) {
                let reason = "is in the path, but no parameter declares it";
                self.refuse_at(format!("path {name}"), reason);
            }
        }
    }

    fn parameter(&mut self, path: &str, name: &str, place: &str, parameter: &'a Value) {
        self.object(&PARAMETER, parameter);
        self.examples(parameter);
        if !name.chars().any(char::is_alphanumeric) {
            self.refuse_at("name", "has no letter, so it can't name a method");
        }
        let style = parameter.text("style");
        let (place, served) = match place {
            "path" => {
                if !parameter.is_true("required") {
                    self.refuse_at("required", "a path parameter must be required");
                }
                if !document::parameters(path).any(|known| known == name) {
                    self.refuse("is not in the path");
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
            "cookie" => return self.refuse("cookies are not sent"),
            _ => return self.refuse_at("in", "must be `path`, `query` or `header`"),
        };
        if style.is_some_and(|style| style != served) {
            return self.refuse_at("style", format!("only `{served}` is served here"));
        }
        let Some(schema) = parameter.get("schema") else {
            if parameter.get("content").is_none() {
                self.refuse("has no `schema`");
            }
            return;
        };
        if (name, place) == (CURSOR, Carrier::Query) {
            for keyword in ["required", "x-not-with-page-cursor"] {
                if parameter.is_true(keyword) {
                    self.refuse_at(keyword, "the first page has no cursor, and each other has one");
                }
            }
        }
        self.at("schema", |audit| audit.schema(schema, place));
        self.marks_of_parameter(parameter, place == Carrier::Query, schema);
    }

    /// Whether it is an array of a style that has separators and nothing else.
    fn is_separated(&self, style: Option<&str>, parameter: &Value) -> bool {
        style.is_some_and(|style| matches!(style, "pipeDelimited" | "spaceDelimited"))
            && parameter.get("explode") != Some(&Value::Bool(true))
            && parameter.get("schema").is_some_and(|schema| self.is_array(schema))
    }

    fn header(&mut self, name: &str) {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if !name.chars().all(is_token) {
            self.refuse_at("name", "is not a valid header name");
        } else if OWN_HEADERS.split(' ').any(|own| own == name.to_lowercase()) {
            self.refuse("only the client or its connection sets this header");
        } else if is_ignored(name) {
            self.warn("OpenAPI 3.0 ignores a header parameter of this name");
        }
    }
}
