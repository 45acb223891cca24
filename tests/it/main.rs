//! The crate from outside: what it sends, what it makes of the answers, and the sandbox.

#![allow(clippy::unwrap_used)]

mod at_scale;
mod export;
mod generation;
mod sandbox;
mod schemas;
