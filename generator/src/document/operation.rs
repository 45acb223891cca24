//! How operations are identified, and how refusals name them.

/// An operation, by its path and its method.
pub(crate) type OperationKey<'a> = (&'a str, &'a str);

/// The name of an operation in refusals.
pub(crate) fn name(method: &str, path: &str, id: Option<&str>) -> String {
    match id {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => format!("{} {path}", method.to_uppercase()),
    }
}
