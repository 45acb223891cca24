//! The code that `build.rs` generates from `openapi.yaml`. Nothing here is written by hand.

#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::use_self, clippy::or_fun_call)]
#![allow(deprecated, elided_lifetimes_in_paths, unused_qualifications, unreachable_pub, unused_mut)]

use crate::Client;

include!(concat!(env!("OUT_DIR"), "/client.rs"));
