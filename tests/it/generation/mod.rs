//! A client of a description that is 30 times as large.

#[path = "../../../generator/tests/it/compiled/copy.rs"]
mod copy;
mod whole;
