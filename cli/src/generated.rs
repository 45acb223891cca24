//! What the description says of the operations: the crate's build has read it, and writes it here.

use crate::{
    operation::{Body, Call, Column, Kind, Listing, Operation, Parameter},
    rows::answer,
};

// Operations that the description calls deprecated have their commands, too.
#[allow(deprecated)]
mod operations {
    use super::{Body, Call, Column, Kind, Listing, Operation, Parameter, answer};

    digital_assets::__operations! {}
}

pub(crate) use operations::{ABOUT, OPERATIONS, VERSION};
