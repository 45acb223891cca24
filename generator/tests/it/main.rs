//! The description decides: what is added to `openapi.yaml` alone is served whole, and what can't
//! be served stops the build with a sentence.

#![allow(clippy::unwrap_used)]

mod compiled;
mod depth;
mod layers;
mod listings;
mod media_types;
mod pagination;
mod places;
mod refusals;
mod script;
mod size;
mod types;
