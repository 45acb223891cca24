//! Operations: how they are told apart, and what a refusal calls them.

/// An operation, by its path and its method.
pub(crate) type OperationKey<'a> = (&'a str, &'a str);

/// What a refusal calls an operation.
pub(crate) fn name(method: &str, path: &str, id: Option<&str>) -> String {
    match id {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => format!("{} {path}", method.to_uppercase()),
    }
}
