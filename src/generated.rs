//! The code that `build.rs` generates from `openapi.yaml`, including types, builders and
//! operations.

#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::use_self, clippy::or_fun_call)]
#![allow(deprecated, elided_lifetimes_in_paths, unused_qualifications, unreachable_pub, unused_mut)]

use crate::Client;

include!(concat!(env!("OUT_DIR"), "/client.rs"));
