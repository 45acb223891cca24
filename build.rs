//! Generates the typed client from `openapi.yaml` and nothing else.

#[path = "build/lib.rs"]
pub mod generator;

// Where the generator's own paths begin.
use generator::{model, read, write};

fn main() {
    generator::run("openapi.yaml");
}
