//! The table of operations, which `build.rs` generates from the OpenAPI description.

// The lints are allowed because deprecated operations have commands too, and because the generated
// table is one long line.
#[allow(clippy::possible_missing_else, deprecated)]
mod operations {
    use crate::{
        operation::{
            Body, Bound, Call, Column, Empty, Kind, Listing, Operation, Order, Parameter, Part,
        },
        rows::answer,
        words,
    };

    include!(concat!(env!("OUT_DIR"), "/tool.rs"));
}

pub(crate) use operations::{ABOUT, OPERATIONS, VERSION};
