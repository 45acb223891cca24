//! The parameters that an operation and its path item declare.

use serde_json::Value;

use super::{Statements, Step, reference};

/// A parameter that an operation or its path item declares.
pub(crate) struct Declared<'a> {
    pub location: &'a str,
    pub name: &'a str,
    /// The declaration as it is written, which may be a reference.
    pub written: &'a Value,
    /// The declaration after any reference is resolved.
    pub target: &'a Value,
}

impl Declared<'_> {
    /// Returns whether two declarations have the same location and name. Header names are compared
    /// without regard to case.
    fn is_same(&self, other: &Self) -> bool {
        let (name, other_name) = (self.name, other.name);
        let is_header = self.location == "header" && name.eq_ignore_ascii_case(other_name);
        self.location == other.location && (name == other_name || is_header)
    }
}

/// Returns the parameters that an operation and its path item declare, and the errors in the
/// declarations. Each error consists of the step to the invalid declaration and the reason.
pub(crate) fn declared<'a>(
    document: &'a Value,
    item: &'a Value,
    operation: &'a Value,
) -> (Vec<Declared<'a>>, Vec<(Step, String)>) {
    let (mut declared, mut errors) = (Vec::<Declared<'_>>::new(), Vec::new());
    for list in [operation, item].map(|of| of.list("parameters")) {
        let own = declared.len();
        for (at, written) in list.iter().enumerate() {
            let target = reference::target(document, "parameters", written);
            let parameter = target.and_then(|target| {
                let called = target.text("in").zip(target.text("name"));
                let called =
                    called.map(|(location, name)| Declared { location, name, written, target });
                called.ok_or_else(|| "needs a `name` and an `in`, both strings".into())
            });
            match parameter {
                Err(reason) => errors.push((Step::Entry { list: "parameters", index: at }, reason)),
                Ok(new) => match declared.iter().position(|known| known.is_same(&new)) {
                    None => declared.push(new),
                    // The operation's declaration of a parameter overrides the path item's
                    // declaration.
                    Some(known) if known < own => {}
                    Some(_) => {
                        let step = Step::parameter(new.location, new.name);
                        errors.push((step, "is declared twice".to_owned()));
                    }
                },
            }
        }
    }
    (declared, errors)
}

/// Returns whether OpenAPI 3.0 ignores header parameters with this name.
pub(crate) fn is_ignored(header: &str) -> bool {
    matches!(&*header.to_lowercase(), "accept" | "content-type" | "authorization")
}
