//! What authorises a call: OAuth scopes of the client credentials grant, or nothing.

use serde_json::Value;

use super::{
    Audit, Kind, OBJECT,
    Rule::{Is, Not},
    STRING, Statements, is_strings,
};

const SCHEME: Kind = Kind {
    name: "a security scheme",
    keywords: &[
        (Is(STRING), "type description"),
        (Not("only an API key has a name"), "name"),
        (Not("only an API key has a place"), "in"),
        (Not("only HTTP authentication has a scheme"), "scheme"),
        (Not("only HTTP authentication has a format"), "bearerFormat"),
        (Is(OBJECT), "flows"),
        (Not("only OpenID Connect has a URL"), "openIdConnectUrl"),
    ],
};

const FLOWS: Kind = Kind {
    name: "the flows of OAuth",
    keywords: &[(Is(OBJECT), "implicit password clientCredentials authorizationCode")],
};

const FLOW: Kind = Kind {
    name: "the client credentials flow",
    keywords: &[(Is(STRING), "tokenUrl refreshUrl"), (Is(OBJECT), "scopes")],
};

impl<'a> Audit<'a> {
    /// Refuses alternatives of which none is supported.
    pub(super) fn security(&mut self, security: &'a Value) {
        let Some(alternatives) = security.as_array() else { return };
        let mut reasons = Vec::new();
        let mut is_served = false;
        for alternative in alternatives {
            let Some(schemes) = alternative.as_object() else {
                return self.refuse("holds something that is not an object");
            };
            for (scheme, scopes) in schemes {
                if !is_strings(scopes) {
                    return self.at(scheme, |audit| audit.refuse("is not a list of scopes"));
                }
                if self.scheme(scheme).is_none() {
                    return self.at(scheme, |audit| {
                        audit.refuse("is not declared under components.securitySchemes");
                    });
                }
            }
            let unserved = schemes.keys().find_map(|scheme| Some((scheme, self.unserved(scheme)?)));
            let several = schemes.keys().nth(1).map(|scheme| {
                (scheme, "is needed beside another scheme, and a request has one token".to_owned())
            });
            let unserved = unserved.or(several);
            if let Some(reason) = unserved {
                reasons.push(reason);
                continue;
            }
            is_served = true;
            for (scheme, scopes) in schemes {
                self.undeclared(scheme, scopes);
                self.statements_of_scheme(scheme);
            }
        }
        if let (false, Some((scheme, reason))) = (is_served, reasons.into_iter().next()) {
            self.at(scheme, |audit| audit.refuse(reason));
        }
    }

    fn scheme(&self, name: &str) -> Option<&'a Value> {
        self.document.get("components")?.get("securitySchemes")?.get(name)
    }

    fn unserved(&self, name: &str) -> Option<String> {
        let scheme = self.scheme(name)?;
        let kind = scheme.text("type").unwrap_or("nothing");
        if kind != "oauth2" {
            return Some(format!(
                "is {kind}, but only oauth2 with client credentials is supported"
            ));
        }
        self.flow(name)
            .is_none()
            .then(|| "has no client credentials flow, and no other is served".to_owned())
    }

    fn flow(&self, scheme: &str) -> Option<&'a Value> {
        self.scheme(scheme)?.get("flows")?.get("clientCredentials")
    }

    /// Descriptions often forget to declare a scope that the service knows.
    fn undeclared(&mut self, scheme: &str, scopes: &'a Value) {
        let declared = self.flow(scheme).and_then(|flow| flow.get("scopes")?.as_object());
        for scope in scopes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !declared.is_some_and(|declared| declared.contains_key(scope)) {
                self.at(scheme, |audit| {
                    audit.warn(format!(
                        "the scope `{scope}` is not declared in its client credentials flow, and is \
                         requested all the same"
                    ));
                });
            }
        }
    }

    fn statements_of_scheme(&mut self, name: &str) {
        let Some(scheme) = self.scheme(name) else { return };
        self.at(name, |audit| {
            let Some(statements) = audit.object(&SCHEME, scheme) else { return };
            let Some(flows) = statements.get("flows") else { return };
            audit.at("flows", |audit| {
                let Some(flows) = audit.object(&FLOWS, flows) else { return };
                let Some(flow) = flows.get("clientCredentials") else { return };
                audit.at("clientCredentials", |audit| {
                    audit.object(&FLOW, flow);
                });
            });
        });
    }
}
