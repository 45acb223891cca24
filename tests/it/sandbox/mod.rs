//! The sandbox seen from outside: plain requests, literal expectations.

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
