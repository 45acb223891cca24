//! Collects the errors in an operation, so that one build reports all of them.

use crate::document::{Message, Step};

#[derive(Default)]
pub(super) struct Errors(Vec<Message>);

impl Errors {
    /// Returns the value if `found` is `Ok`. Otherwise, adds the error and returns `None`.
    pub(super) fn keep<T>(&mut self, found: Result<T, Message>) -> Option<T> {
        found.map_err(|error| self.add(error)).ok()
    }

    /// Adds an error, unless the same error has already been added. Otherwise, an operation that
    /// uses a schema several times would repeat the schema's errors.
    pub(super) fn add(&mut self, error: Message) {
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }

    /// Returns `made` if there are no errors, or else all errors. The trails of the errors then
    /// begin with `operation`.
    pub(super) fn or<T>(self, made: T, operation: &Step) -> Result<T, Vec<Message>> {
        if self.0.is_empty() {
            return Ok(made);
        }
        let begun = |mut error: Message| {
            error.trail.insert(0, operation.clone());
            error
        };
        Err(self.0.into_iter().map(begun).collect())
    }
}
