//! Audits security requirements and security schemes.

use serde_json::Value;

use super::{Audit, Is, OBJECT, ObjectKind, Of, STRING, Statements, is_strings};
use crate::document::{Step, security};

const SCHEME: ObjectKind = ObjectKind {
    name: "a security scheme",
    keywords: &[
        (Is(STRING), "type description name in scheme bearerFormat openIdConnectUrl"),
        (Of(&FLOWS), "flows"),
    ],
};

const FLOWS: ObjectKind = ObjectKind {
    name: "the flows of OAuth",
    keywords: &[(Of(&FLOW), "implicit password clientCredentials authorizationCode")],
};

const FLOW: ObjectKind = ObjectKind {
    name: "a flow of OAuth",
    keywords: &[(Is(STRING), "authorizationUrl tokenUrl refreshUrl"), (Is(OBJECT), "scopes")],
};

/// The result of auditing one of the alternatives in a `security` list.
enum Alternative<'a> {
    /// The alternative is invalid. The error has already been reported.
    Refused,
    /// The alternative isn't supported. The fields are the name of the rejected scheme and the
    /// reason for the rejection.
    Unsupported(&'a str, String),
    /// The alternative is supported. The field contains the names of its schemes.
    Supported(Vec<&'a String>),
}

impl<'a> Audit<'a> {
    /// Audits a `security` list. If the list contains only unsupported alternatives, reports the
    /// reason why the first alternative is unsupported. Each scheme is reported only once.
    pub(super) fn security(&mut self, security: &'a Value) {
        let Some(alternatives) = security.as_array() else { return };
        let mut first_reason = None;
        let mut is_supported = false;
        for (index, alternative) in alternatives.iter().enumerate() {
            let step = Step::Entry { list: "security", index };
            match self.at(step.clone(), |audit| audit.alternative(alternative)) {
                Alternative::Refused => return,
                Alternative::Unsupported(scheme, reason) => {
                    first_reason = first_reason.or(Some((step, scheme, reason)));
                }
                Alternative::Supported(schemes) => {
                    is_supported = true;
                    for scheme in schemes {
                        let Some(statements) = security::scheme(self.document, scheme) else {
                            continue;
                        };
                        self.at_component(scheme.clone(), |audit| {
                            audit.object(&SCHEME, statements);
                        });
                    }
                }
            }
        }
        if let (false, Some((step, scheme, reason))) = (is_supported, first_reason) {
            self.at(step, |audit| {
                audit.at_component(scheme.to_owned(), |audit| audit.reject(reason));
            });
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
                () if security::scheme(self.document, scheme).is_none() => {
                    "is not declared under components.securitySchemes"
                }
                () => continue,
            };
            self.reject_at(scheme, reason);
            return Alternative::Refused;
        }
        if let Err((scheme, reason)) = security::alternative(self.document, schemes) {
            return Alternative::Unsupported(scheme, reason);
        }
        for (scheme, scopes) in schemes {
            self.undeclared(scheme, scopes);
        }
        Alternative::Supported(schemes.keys().collect())
    }

    /// Returns whether a missing `security` in an operation is probably a mistake, because the
    /// document declares a security scheme but has no top-level `security`.
    pub(super) fn lacks_security(&self) -> bool {
        self.document.get("security").is_none()
            && self.document["components"].object("securitySchemes").next().is_some()
    }

    /// Warns about scopes that the scheme's flows don't declare. Undeclared scopes aren't errors,
    /// because descriptions often omit scopes that the service knows.
    fn undeclared(&mut self, scheme: &str, scopes: &'a Value) {
        let statements = security::scheme(self.document, scheme);
        let flows = statements.and_then(|scheme| scheme.get("flows")).and_then(Value::as_object);
        let Some(flows) = flows else { return };
        for scope in scopes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let declares =
                |flow: &Value| flow.get("scopes").is_some_and(|it| it.get(scope).is_some());
            if !flows.values().any(declares) {
                let reason = "is not declared in a flow of the scheme; it is requested anyway";
                self.warn_at(scheme, format!("the scope `{scope}` {reason}"));
            }
        }
    }
}
