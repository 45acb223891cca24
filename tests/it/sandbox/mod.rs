//! Tests of the sandbox from outside, with plain requests and literal expected values.

mod addresses;
mod caller;
mod clients;
mod control;
mod examples;
mod executions;
mod fakes;
mod faults;
mod hostile;
mod inserted;
mod life;
mod members;
mod pages;
mod portless;
mod times;
mod tokens;
