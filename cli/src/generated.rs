//! What the description says of the operations: the crate's build has read it, and writes it here.

use crate::{
    operation::{Body, Call, Column, Kind, Listing, Operation, Parameter},
    rows::answer,
};

digital_assets::__operations! {}
