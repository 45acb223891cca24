//! Operations: their methods, and what a refusal calls them.

/// The methods that are served.
pub(crate) const METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];

/// What a refusal calls an operation.
pub(crate) fn name(method: &str, path: &str, id: Option<&str>) -> String {
    match id {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => format!("{} {path}", method.to_uppercase()),
    }
}
