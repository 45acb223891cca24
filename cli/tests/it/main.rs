//! Tests of the command-line tool: its output, its files and its exit status.

#![allow(clippy::unwrap_used)]

mod check;
mod commands;
mod connection;
#[path = "../../../generator/tests/it/compiled/copy.rs"]
mod copy;
mod everyday;
mod examples;
mod formats;
mod growth;
mod held;
mod help;
mod identity;
mod limits;
mod output;
mod parquet_file;
mod post;
#[cfg(target_os = "linux")]
mod progress;
mod readme;
mod relative;
mod secrets;
#[path = "../../../generator/tests/it/compiled/server.rs"]
mod server;
mod signals;
mod sync;
mod tool;
mod unfinished;
