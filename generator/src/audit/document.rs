//! Audits the OpenAPI document: its top-level keywords, its servers and its paths.

use serde_json::Value;

use super::{Audit, Is, LIST, Not, OBJECT, ObjectKind, Of, STRING, Statements};
use crate::document::{Step, name};

const DOCUMENT: ObjectKind = ObjectKind {
    name: "the document",
    keywords: &[
        (Is(STRING), "openapi"),
        (Is(OBJECT), "info paths externalDocs"),
        (Of(&COMPONENTS), "components"),
        (Is(LIST), "servers security tags"),
    ],
};

const COMPONENTS: ObjectKind = ObjectKind {
    name: "components",
    keywords: &[(
        Is(OBJECT),
        "schemas responses parameters examples requestBodies headers securitySchemes \
          links callbacks",
    )],
};

const UNSUPPORTED_METHOD: &str = "this method is not supported";
const PATH: ObjectKind = ObjectKind {
    name: "a path",
    keywords: &[
        (Not("a `$ref` in place of a path's operations is not supported"), "$ref"),
        (Is(STRING), "summary description"),
        (Is(OBJECT), "get put post delete patch"),
        (Not(UNSUPPORTED_METHOD), "options head trace"),
        (
            Not("a path can't have its own servers: all paths are appended to one base URL"),
            "servers",
        ),
        (Is(LIST), "parameters"),
    ],
};

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The HTTP methods that the generator supports.
const SUPPORTED_METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];

impl<'a> Audit<'a> {
    pub(super) fn audit_document(&mut self) {
        let version = self.document.text("openapi");
        if !version.is_some_and(|version| version == "3.0" || version.starts_with("3.0.")) {
            let stated = ["openapi", "swagger"].map(|keyword| self.document.get(keyword));
            let found = match stated.into_iter().flatten().next() {
                None if self.document.is_null() => "is empty".to_owned(),
                None => "states no version".to_owned(),
                Some(Value::String(version)) => format!("states version {version}"),
                Some(version) => format!("states version {version}, which isn't a string"),
            };
            return self.reject_at(
                "openapi",
                format!("the document {found}, but only OpenAPI 3.0 is supported"),
            );
        }
        self.trail.push(Step::Document);
        let document = self.object(&DOCUMENT, self.document);
        if document.is_none_or(|document| !document.contains_key("paths")) {
            return self.reject_at("paths", "is missing");
        }
        self.servers();
        if let Some(security) = self.document.get("security") {
            self.security(security);
        }
        self.trail.clear();
        for (path, item) in self.document.object("paths") {
            if !path.starts_with("x-") {
                self.path(path, item);
            }
        }
    }

    /// Warns if a server's URL contains a path. The client ignores server URLs, because the program
    /// that uses the client sets the base URL.
    fn servers(&mut self) {
        for (at, server) in self.document.list("servers").iter().enumerate() {
            let Some(path) = server.text("url").and_then(path_of) else { continue };
            let reason = "requests don't contain this path: add it to the base URL that your \
                 program sets, or to each path";
            self.at(Step::Entry { list: "servers", index: at }, |audit| {
                audit.warn_at("url", format!("has the path `{path}`, but {reason}"));
            });
        }
    }

    fn path(&mut self, path: &'a str, item: &'a Value) {
        let Some(statements) = item.as_object() else {
            return self.reject_at(Step::Path(path.to_owned()), "is not an object");
        };
        let called = |method: &str| {
            let operation = statements.get(method)?;
            let name = name(method, path, operation.text("operationId"));
            let (path, method) = (path.to_owned(), method.to_owned());
            Some((Step::Operation { path, method, name }, operation))
        };
        let first = METHODS.iter().find_map(|method| called(method));
        let before = self.rejected;
        // Errors in the path item itself are reported under its first operation.
        let of_path = Step::Path(path.to_owned());
        self.at(first.map_or_else(|| of_path.clone(), |(operation, _)| operation), |audit| {
            audit.at(of_path.clone(), |audit| {
                audit.object(&PATH, item);
                for reason in template(path) {
                    audit.reject(reason);
                }
            });
        });
        let is_path_supported = self.rejected == before;
        for method in SUPPORTED_METHODS {
            let Some((step, operation)) = called(method) else { continue };
            self.audited.clear();
            self.audited_merged.clear();
            self.is_endless = false;
            let before = self.rejected;
            self.at(step, |audit| audit.operation(method, path, item, operation));
            if is_path_supported && self.rejected == before {
                self.supported.insert((path, method));
            }
        }
    }
}

/// Returns the path in a server's URL, or `None` if the path is empty. The URL may be relative and
/// may contain variables.
fn path_of(url: &str) -> Option<&str> {
    let after_scheme = url.split_once("://").map(|(_, rest)| rest);
    let authority = after_scheme.or_else(|| url.strip_prefix("//"));
    let rest = authority.or_else(|| Some(url).filter(|url| url.starts_with('{')));
    let path = rest.map_or(url, |rest| &rest[rest.find('/').unwrap_or(rest.len())..]);
    Some(path.trim_end_matches('/')).filter(|path| !path.is_empty())
}

/// Returns the reasons to reject a path template, or an empty list if the template is valid.
fn template(path: &str) -> Vec<String> {
    let mut reasons = Vec::new();
    if !path.starts_with('/') {
        reasons.push("must begin with `/`".to_owned());
    }
    let is_forbidden = |c: &char| c.is_control() || matches!(c, '?' | '#' | '\\' | ' ');
    if let Some(c) = path.chars().find(is_forbidden) {
        let instead = if c == '?' { ": declare what follows it as query parameters" } else { "" };
        reasons.push(format!("contains {c:?}, which isn't allowed in a path{instead}"));
    }
    let names: Vec<&str> = parameters(path).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            reasons.push(format!("names the parameter `{name}` twice"));
        }
    }
    let without = |path: String, name: &&str| path.replacen(&format!("{{{name}}}"), "", 1);
    let rest = names.iter().fold(path.to_owned(), without);
    // In a URL, `%2e` is an encoded dot. `rest` doesn't contain the parameters, so `/.{name}` is
    // checked as `/.`: the value of the parameter could be another dot.
    let plain = rest.to_lowercase().replace("%2e", ".");
    if plain.split('/').any(|segment| matches!(segment, "." | "..")) {
        reasons.push("contains a segment that is, or can become, `.` or `..`".to_owned());
    }
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['{', '/']);
    if rest.contains(['{', '}']) || !names.iter().all(is_name) {
        reasons.push("has a brace that doesn't enclose the name of a parameter".to_owned());
    }
    reasons
}

/// Returns the names of the parameters in a path template.
pub(super) fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}
