//! Collects the errors of an operation, so that one build reports all of them.

use crate::document::Unsupported;

#[derive(Default)]
pub(super) struct Refusals(Vec<Unsupported>);

impl Refusals {
    /// Returns the value of a success, or adds the error.
    pub(super) fn keep<T>(&mut self, found: Result<T, Unsupported>) -> Option<T> {
        found.map_err(|refusal| self.add(refusal)).ok()
    }

    /// Adds an error unless it is already there, because an operation may use a schema several times.
    pub(super) fn add(&mut self, refusal: Unsupported) {
        if !self.0.contains(&refusal) {
            self.0.push(refusal);
        }
    }

    /// Returns `made`, or all errors if there are any.
    pub(super) fn or<T>(self, made: T) -> Result<T, Vec<Unsupported>> {
        if self.0.is_empty() { Ok(made) } else { Err(self.0) }
    }
}
