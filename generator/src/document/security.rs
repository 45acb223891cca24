//! Interprets security requirements and security schemes.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Statements;

/// How a security scheme authenticates a request.
pub(crate) enum Scheme<'a> {
    /// With an access token, which the client's credentials or the program supplies.
    Token,
    /// With an API key, which the program supplies. The field contains the name of the header.
    ApiKey(&'a str),
    /// The scheme isn't supported, for this reason.
    Unsupported(String),
}

/// What a request needs according to one alternative of a `security` list.
#[derive(Default)]
pub(crate) struct Alternative<'a> {
    /// The scopes of the access token, or `None` if the request needs no token.
    pub scopes: Option<Vec<&'a str>>,
    /// The headers that contain API keys.
    pub api_keys: BTreeSet<&'a str>,
}

/// Returns the definition of a security scheme.
pub(crate) fn scheme<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    document.get("components")?.get("securitySchemes")?.get(name)
}

/// The advice at the end of a message about a scheme that isn't supported.
const INSTEAD: &str = "remove it from `security`, and let an `http_service` of your program \
     authenticate the requests";

impl<'a> Scheme<'a> {
    pub(crate) fn of(scheme: &'a Value) -> Self {
        let text = |keyword| scheme.text(keyword).unwrap_or_default();
        let unsupported =
            |what: &str| Self::Unsupported(format!("{what} isn't supported: {INSTEAD}"));
        match text("type") {
            "oauth2" | "openIdConnect" => Self::Token,
            "http" if text("scheme").eq_ignore_ascii_case("bearer") => Self::Token,
            "http" => unsupported(&format!("HTTP authentication with `{}`", text("scheme"))),
            "apiKey" if text("in") == "header" => match text("name") {
                name if is_header(name) => Self::ApiKey(name),
                name => Self::Unsupported(format!("`{name}` can't be the header of an API key")),
            },
            "apiKey" => unsupported(&format!("an API key in `{}`", text("in"))),
            kind => Self::Unsupported(format!("`{kind}` is not a type of security scheme")),
        }
    }
}

/// The headers that only the client may set. `Authorization` isn't among them, because some services
/// expect an API key there.
const OWN_HEADERS: &str = "accept accept-encoding connection content-length content-type cookie \
     expect host te transfer-encoding upgrade user-agent";

fn is_header(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_own = OWN_HEADERS.split(' ').any(|own| own == name.to_lowercase());
    !name.is_empty() && name.chars().all(is_token) && !is_own
}

/// Interprets one alternative of a `security` list. The schemes must be declared.
///
/// # Errors
///
/// The name of a scheme that isn't supported, and the reason.
pub(crate) fn alternative<'a>(
    document: &'a Value,
    schemes: &'a Map<String, Value>,
) -> Result<Alternative<'a>, (&'a str, String)> {
    let mut found = Alternative::default();
    for (name, scopes) in schemes {
        match Scheme::of(scheme(document, name).unwrap_or(&Value::Null)) {
            Scheme::ApiKey(header) => _ = found.api_keys.insert(header),
            Scheme::Unsupported(reason) => return Err((name, reason)),
            Scheme::Token if found.scopes.is_some() => {
                let reason = "is needed together with another token, but a request has only one";
                return Err((name, reason.to_owned()));
            }
            Scheme::Token => {
                let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
                found.scopes = Some(scopes.collect());
            }
        }
    }
    Ok(found)
}
