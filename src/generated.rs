//! The code that `build.rs` generates from `openapi.yaml`, including types, builders and
//! operations.

use crate::Client;

include!(concat!(env!("OUT_DIR"), "/client.rs"));
