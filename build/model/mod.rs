//! What the description says, in one form: the operations, and the schemas that they reach.

pub(crate) mod bounds;
pub(crate) mod description;
pub(crate) mod docs;
pub(crate) mod listing;
pub(crate) mod names;
pub(crate) mod normalize;
pub(crate) mod resolved;
pub(crate) mod schema;
pub(crate) mod schemas;
pub(crate) mod shape;
