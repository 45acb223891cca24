//! What CONTRIBUTING.md asks of a new operation.

pub(crate) mod description;
mod rows;
