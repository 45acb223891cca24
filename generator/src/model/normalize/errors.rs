//! Collects the errors in an operation, so that one build reports all of them.

use crate::document::Unsupported;

#[derive(Default)]
pub(super) struct Errors(Vec<Unsupported>);

impl Errors {
    /// Returns the value if `found` is `Ok`. Otherwise, adds the error and returns `None`.
    pub(super) fn keep<T>(&mut self, found: Result<T, Unsupported>) -> Option<T> {
        found.map_err(|error| self.add(error)).ok()
    }

    /// Adds an error, unless the same error has already been added. Otherwise, an operation that
    /// uses a schema several times would repeat the schema's errors.
    pub(super) fn add(&mut self, error: Unsupported) {
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }

    /// Returns `made` if there are no errors, or else all errors.
    pub(super) fn or<T>(self, made: T) -> Result<T, Vec<Unsupported>> {
        if self.0.is_empty() { Ok(made) } else { Err(self.0) }
    }
}
