//! What can't be served.

/// A sentence for whoever wrote the description.
pub(crate) type Refusal = String;
