//! The part of a request or a response that carries a value.

/// The part of a request or a response that carries a value. The carrier determines how the value
/// is serialized and whether the value's bounds are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carrier {
    Path,
    Query,
    Header,
    /// An entry of an array in a query or a header.
    Entry,
    Body,
    Response,
}

impl Carrier {
    /// Returns the carrier for the variants of a union. In a request body, the client doesn't check
    /// the bounds of a union, so its variants follow the rules for a response.
    pub(super) fn unchecked(self) -> Self {
        if self == Self::Body { Self::Response } else { self }
    }

    /// Returns the carrier for a value's properties or array entries.
    pub(super) fn inside(self) -> Self {
        match self {
            Self::Query | Self::Header | Self::Path | Self::Entry => Self::Entry,
            Self::Body | Self::Response => self,
        }
    }
}
