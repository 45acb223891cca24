//! Audits security requirements and security schemes. Only the OAuth client credentials grant is
//! supported.

use serde_json::Value;

use super::{Audit, Is, Not, OBJECT, ObjectKind, Of, STRING, Statements, is_strings};
use crate::document::{Step, reference};

const SCHEME: ObjectKind = ObjectKind {
    name: "a security scheme",
    keywords: &[
        (Is(STRING), "type description"),
        (Not("applies only to API keys"), "name"),
        (Not("applies only to API keys"), "in"),
        (Not("applies only to HTTP authentication"), "scheme"),
        (Not("applies only to HTTP authentication"), "bearerFormat"),
        (Of(&FLOWS), "flows"),
        (Not("applies only to OpenID Connect"), "openIdConnectUrl"),
    ],
};

const FLOWS: ObjectKind = ObjectKind {
    name: "the flows of OAuth",
    keywords: &[
        (Is(OBJECT), "implicit password authorizationCode"),
        (Of(&FLOW), "clientCredentials"),
    ],
};

const FLOW: ObjectKind = ObjectKind {
    name: "the client credentials flow",
    keywords: &[(Is(STRING), "tokenUrl refreshUrl"), (Is(OBJECT), "scopes")],
};

/// The result of auditing one of the alternatives in a `security` list.
enum Alternative<'a> {
    /// The alternative is invalid. The error has already been reported.
    Refused,
    /// The alternative isn't supported. The fields are the name of the rejected scheme and the
    /// reason for the rejection.
    Unsupported(&'a String, String),
    /// The alternative is supported. The field contains the names of its schemes.
    Supported(Vec<&'a String>),
}

impl<'a> Audit<'a> {
    /// Audits a `security` list. If the list contains only unsupported alternatives, reports the
    /// reason why the first alternative is unsupported.
    pub(super) fn security(&mut self, security: &'a Value) {
        let Some(alternatives) = security.as_array() else { return };
        let mut first_reason = None;
        let mut is_supported = false;
        for (at, alternative) in alternatives.iter().enumerate() {
            let step = Step::Entry { list: "security", index: at };
            match self.at(step.clone(), |audit| audit.alternative(alternative)) {
                Alternative::Refused => return,
                Alternative::Unsupported(scheme, reason) => {
                    first_reason = first_reason.or(Some((step, scheme, reason)));
                }
                Alternative::Supported(schemes) => {
                    is_supported = true;
                    for scheme in schemes {
                        let Some(statements) = self.scheme(scheme) else { continue };
                        self.at_component(scheme.clone(), |audit| {
                            audit.object(&SCHEME, statements);
                        });
                    }
                }
            }
        }
        if let (false, Some((step, scheme, reason))) = (is_supported, first_reason) {
            self.at(step, |audit| audit.reject_at(scheme, reason));
        }
    }

    fn alternative(&mut self, alternative: &'a Value) -> Alternative<'a> {
        let Some(schemes) = alternative.as_object() else {
            self.reject("is not an object");
            return Alternative::Refused;
        };
        for (scheme, scopes) in schemes {
            let reason = match () {
                () if !is_strings(scopes) => "is not a list of scopes",
                () if self.scheme(scheme).is_none() => {
                    "is not declared under components.securitySchemes"
                }
                () => continue,
            };
            self.reject_at(scheme, reason);
            return Alternative::Refused;
        }
        let unsupported =
            schemes.keys().find_map(|scheme| Some((scheme, self.unsupported(scheme)?)));
        let several = schemes.keys().nth(1).map(|scheme| {
            let reason = "is needed together with another scheme, but a request has only one token";
            (scheme, reason.to_owned())
        });
        if let Some((scheme, reason)) = unsupported.or(several) {
            return Alternative::Unsupported(scheme, reason);
        }
        for (scheme, scopes) in schemes {
            self.undeclared(scheme, scopes);
        }
        Alternative::Supported(schemes.keys().collect())
    }

    /// Returns whether a missing `security` in an operation is probably a mistake, because the
    /// document declares a client credentials flow but has no top-level `security`.
    pub(super) fn lacks_security(&self) -> bool {
        let mut schemes = self.document["components"].object("securitySchemes");
        self.document.get("security").is_none()
            && schemes.any(|(scheme, _)| self.flow(scheme).is_some())
    }

    fn scheme(&self, name: &str) -> Option<&'a Value> {
        self.document.get("components")?.get("securitySchemes")?.get(name)
    }

    fn unsupported(&self, name: &str) -> Option<String> {
        match self.scheme(name)?.text("type").unwrap_or("of no type") {
            "oauth2" if self.flow(name).is_some() => None,
            "oauth2" => {
                Some("has no `clientCredentials` flow, which is the only supported flow".to_owned())
            }
            kind => {
                Some(format!("is {kind}, but only oauth2 with client credentials is supported"))
            }
        }
    }

    fn flow(&self, scheme: &str) -> Option<&'a Value> {
        reference::flows(self.document, scheme)?.get("clientCredentials")
    }

    /// Warns about scopes that the flow doesn't declare. Undeclared scopes aren't errors, because
    /// descriptions often omit scopes that the service knows.
    fn undeclared(&mut self, scheme: &str, scopes: &'a Value) {
        let declared = self.flow(scheme).and_then(|flow| flow.get("scopes"));
        for scope in scopes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if declared.is_none_or(|declared| declared.get(scope).is_none()) {
                let reason =
                    "is not declared in the client credentials flow; it is requested anyway";
                self.warn_at(scheme, format!("the scope `{scope}` {reason}"));
            }
        }
    }
}
