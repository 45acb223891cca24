//! The tool from outside: what its commands print, write and end with.

#![allow(clippy::unwrap_used)]

mod check;
mod commands;
mod connection;
mod examples;
mod formats;
mod growth;
mod help;
mod identity;
mod output;
mod parquet_file;
mod post;
#[cfg(target_os = "linux")]
mod progress;
mod readme;
mod signals;
mod sync;
mod tool;
mod unfinished;
