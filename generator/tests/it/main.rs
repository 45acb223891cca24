//! Tests of the generator. An operation that is added to `openapi.yaml` is generated completely, or
//! the build fails with an error.

#![allow(clippy::unwrap_used)]

mod compiled;
mod depth;
mod layers;
mod listings;
mod media_types;
mod mirrors;
mod pagination;
mod places;
mod refusals;
mod script;
mod size;
mod types;
