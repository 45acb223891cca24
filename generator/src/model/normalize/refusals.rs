//! What can't be served, collected so that one build tells all of it.

use crate::document::Unsupported;

#[derive(Default)]
pub(super) struct Refusals(Vec<Unsupported>);

impl Refusals {
    /// The value, or none and one more refusal.
    pub(super) fn keep<T>(&mut self, found: Result<T, Unsupported>) -> Option<T> {
        found.map_err(|refusal| self.add(refusal)).ok()
    }

    /// Adds a refusal, unless it was told: one schema may be in several places of an operation.
    pub(super) fn add(&mut self, refusal: Unsupported) {
        if !self.0.contains(&refusal) {
            self.0.push(refusal);
        }
    }

    /// The value, or everything that was refused.
    pub(super) fn or<T>(self, made: T) -> Result<T, Vec<Unsupported>> {
        if self.0.is_empty() { Ok(made) } else { Err(self.0) }
    }
}
