//! The table of operations, which `build.rs` generates from the description.

// Deprecated operations have commands too, and the table is one line.
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
