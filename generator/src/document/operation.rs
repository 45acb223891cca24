//! Identifies operations, and names them in messages.

/// The path and the method of an operation.
pub(crate) type OperationKey<'a> = (&'a str, &'a str);

/// Returns the name of an operation for messages: its `operationId`, or else its method and path.
pub(crate) fn name(method: &str, path: &str, id: Option<&str>) -> String {
    match id {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => format!("{} {path}", method.to_uppercase()),
    }
}
