//! The authorization of calls: OAuth scopes of the client credentials grant, or none.

use serde_json::Value;

use super::{Audit, Is, Not, OBJECT, ObjectKind, Of, STRING, Statements, is_strings};
use crate::document::reference;

const SCHEME: ObjectKind = ObjectKind {
    name: "a security scheme",
    keywords: &[
        (Is(STRING), "type description"),
        (Not("only an API key has a name"), "name"),
        (Not("only an API key has a place"), "in"),
        (Not("only HTTP authentication has a scheme"), "scheme"),
        (Not("only HTTP authentication has a format"), "bearerFormat"),
        (Of(&FLOWS), "flows"),
        (Not("only OpenID Connect has a URL"), "openIdConnectUrl"),
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

/// One of the alternatives that authorize a call.
enum Alternative<'a> {
    /// It is wrong, which is reported.
    Refused,
    /// One of its schemes isn't supported, for this reason.
    Unserved(&'a String, String),
    /// Its schemes are supported.
    Served(Vec<&'a String>),
}

impl<'a> Audit<'a> {
    /// Refuses a list of alternatives if none of them is supported.
    pub(super) fn security(&mut self, security: &'a Value) {
        let Some(alternatives) = security.as_array() else { return };
        let mut first_reason = None;
        let mut is_served = false;
        for (at, alternative) in alternatives.iter().enumerate() {
            let step = format!("security[{at}]");
            match self.at(&step, |audit| audit.alternative(alternative)) {
                Alternative::Refused => return,
                Alternative::Unserved(scheme, reason) => {
                    first_reason = first_reason.or(Some((step, scheme, reason)));
                }
                Alternative::Served(schemes) => {
                    is_served = true;
                    for scheme in schemes {
                        let Some(statements) = self.scheme(scheme) else { continue };
                        self.at_component(scheme.clone(), |audit| {
                            audit.object(&SCHEME, statements);
                        });
                    }
                }
            }
        }
        if let (false, Some((step, scheme, reason))) = (is_served, first_reason) {
            self.at(step, |audit| audit.refuse_at(scheme, reason));
        }
    }

    fn alternative(&mut self, alternative: &'a Value) -> Alternative<'a> {
        let Some(schemes) = alternative.as_object() else {
            self.refuse("isn't an object");
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
            self.refuse_at(scheme, reason);
            return Alternative::Refused;
        }
        let unserved = schemes.keys().find_map(|scheme| Some((scheme, self.unserved(scheme)?)));
        let several = schemes.keys().nth(1).map(|scheme| {
            let reason = "is needed together with another scheme, but a request has only one token";
            (scheme, reason.to_owned())
        });
        if let Some((scheme, reason)) = unserved.or(several) {
            return Alternative::Unserved(scheme, reason);
        }
        for (scheme, scopes) in schemes {
            self.undeclared(scheme, scopes);
        }
        Alternative::Served(schemes.keys().collect())
    }

    /// Whether an operation without `security` is probably a mistake: others need a token.
    pub(super) fn lacks_security(&self) -> bool {
        let mut schemes = self.document["components"].object("securitySchemes");
        self.document.get("security").is_none()
            && schemes.any(|(scheme, _)| self.flow(scheme).is_some())
    }

    fn scheme(&self, name: &str) -> Option<&'a Value> {
        self.document.get("components")?.get("securitySchemes")?.get(name)
    }

    fn unserved(&self, name: &str) -> Option<String> {
        match self.scheme(name)?.text("type").unwrap_or("nothing") {
            "oauth2" if self.flow(name).is_some() => None,
            "oauth2" => {
                Some("has no client credentials flow; only that flow is supported".to_owned())
            }
            kind => {
                Some(format!("is {kind}, but only oauth2 with client credentials is supported"))
            }
        }
    }

    fn flow(&self, scheme: &str) -> Option<&'a Value> {
        reference::flows(self.document, scheme)?.get("clientCredentials")
    }

    /// Warns of undeclared scopes. Descriptions often omit a scope that the service knows.
    fn undeclared(&mut self, scheme: &str, scopes: &'a Value) {
        let declared = self.flow(scheme).and_then(|flow| flow.get("scopes"));
        for scope in scopes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if declared.is_none_or(|declared| declared.get(scope).is_none()) {
                let reason = "is not declared in its client credentials flow, and is requested all \
                     the same";
                self.warn_at(scheme, format!("the scope `{scope}` {reason}"));
            }
        }
    }
}
