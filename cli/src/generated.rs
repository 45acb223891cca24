//! What the description says about the operations, as the crate's build writes it.

use crate::{
    operation::{Body, Call, Column, Kind, Listing, Operation, Parameter, Part},
    rows::answer,
    words,
};

// Deprecated operations have commands too.
#[allow(deprecated)]
mod operations {
    use super::{Body, Call, Column, Kind, Listing, Operation, Parameter, Part, answer, words};

    digital_assets::__operations! {}
}

pub(crate) use operations::{ABOUT, OPERATIONS, VERSION};
