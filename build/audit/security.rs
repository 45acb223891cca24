//! What authorises a call: OAuth scopes of the client credentials grant, or nothing.

use serde_json::Value;

use super::{
    Audit, Kind,
    Rule::{Is, Not},
    Shape,
};
use crate::reference::Section;

const SCHEME: Kind = Kind {
    name: "a security scheme",
    keywords: &[
        ("type", Is(Shape::Text)),
        ("description", Is(Shape::Text)),
        ("name", Not("only an API key has a name")),
        ("in", Not("only an API key has a place")),
        ("scheme", Not("only HTTP authentication has a scheme")),
        ("bearerFormat", Not("only HTTP authentication has a format")),
        ("flows", Is(Shape::Object)),
        ("openIdConnectUrl", Not("only OpenID Connect has a URL")),
    ],
};

const FLOWS: Kind = Kind {
    name: "the flows of OAuth",
    keywords: &[
        ("implicit", Is(Shape::Object)),
        ("password", Is(Shape::Object)),
        ("clientCredentials", Is(Shape::Object)),
        ("authorizationCode", Is(Shape::Object)),
    ],
};

const FLOW: Kind = Kind {
    name: "the client credentials flow",
    keywords: &[
        ("tokenUrl", Is(Shape::Text)),
        ("refreshUrl", Is(Shape::Text)),
        ("scopes", Is(Shape::Object)),
    ],
};

impl<'a> Audit<'a> {
    /// Refuses alternatives of which none is supported.
    pub(super) fn security(&mut self, security: &'a Value) {
        let Some(alternatives) = security.as_array() else { return };
        let mut reasons = Vec::new();
        for alternative in alternatives {
            let Some(schemes) = alternative.as_object() else {
                return self.refuse("holds something that is not an object");
            };
            for (scheme, scopes) in schemes {
                if !scopes.as_array().is_some_and(|scopes| scopes.iter().all(Value::is_string)) {
                    return self.at(scheme, |audit| audit.refuse("is not a list of scopes"));
                }
                if self.scheme(scheme).is_none() {
                    return self.at(scheme, |audit| {
                        audit.refuse("is not declared under components.securitySchemes");
                    });
                }
            }
            let unserved = schemes
                .iter()
                .find_map(|(scheme, scopes)| Some((scheme, self.unserved(scheme, scopes)?)));
            match unserved {
                None => {
                    for scheme in schemes.keys() {
                        self.statements_of_scheme(scheme);
                    }
                    return;
                }
                Some(reason) => reasons.push(reason),
            }
        }
        if let Some((scheme, reason)) = reasons.into_iter().next() {
            self.at(scheme, |audit| audit.refuse(reason));
        }
    }

    fn scheme(&self, name: &str) -> Option<&'a Value> {
        self.document.get("components")?.get(Section::SecuritySchemes.name())?.get(name)
    }

    fn unserved(&self, name: &str, scopes: &'a Value) -> Option<String> {
        let scheme = self.scheme(name)?;
        let kind = scheme.get("type").and_then(Value::as_str).unwrap_or("nothing");
        if kind != "oauth2" {
            return Some(format!(
                "is {kind}, but only oauth2 with client credentials is supported"
            ));
        }
        let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
        let Some(flow) = flow else {
            return Some("has no client credentials flow, and no other is served".to_owned());
        };
        let declared = flow.get("scopes").and_then(Value::as_object);
        let mut scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
        let undeclared = scopes.find(|scope| !declared.is_some_and(|d| d.contains_key(*scope)))?;
        Some(format!("the scope `{undeclared}` is not declared in its client credentials flow"))
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
