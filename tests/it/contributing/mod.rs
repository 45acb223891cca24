//! Tests of CONTRIBUTING.md: its steps for a new operation, and its walk-through.

pub(crate) mod description;
mod packages;
mod page;
mod rows;
mod steps;
mod walk_through;

use std::path::Path;

/// Returns the repository's root directory.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
