//! Collects the refusals of an operation, so that one build reports all of them.

use crate::document::Unsupported;

#[derive(Default)]
pub(super) struct Refusals(Vec<Unsupported>);

impl Refusals {
    /// Returns the value, or adds the refusal.
    pub(super) fn keep<T>(&mut self, found: Result<T, Unsupported>) -> Option<T> {
        found.map_err(|refusal| self.add(refusal)).ok()
    }

    /// Adds a refusal, unless it is there already. An operation may use one schema in several
    /// places.
    pub(super) fn add(&mut self, refusal: Unsupported) {
        if !self.0.contains(&refusal) {
            self.0.push(refusal);
        }
    }

    /// The value if nothing was refused, or all refusals.
    pub(super) fn or<T>(self, made: T) -> Result<T, Vec<Unsupported>> {
        if self.0.is_empty() { Ok(made) } else { Err(self.0) }
    }
}
