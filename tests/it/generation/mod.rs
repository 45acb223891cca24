//! Tests of a client for an OpenAPI description that is 30 times as large as the crate's own.

#[path = "../../../generator/tests/it/compiled/copy.rs"]
mod copy;
mod whole;
