//! CONTRIBUTING.md, applied: what a new operation needs, and its walk-through.

pub(crate) mod description;
mod packages;
mod page;
mod rows;
mod steps;
mod walk_through;

use std::path::Path;

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
