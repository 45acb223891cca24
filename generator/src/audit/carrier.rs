//! The place of a value in a request or a response.

/// The place of a value. It decides how the value is written and whether its bounds are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carrier {
    Path,
    Query,
    Header,
    /// An entry of an array in a query or a header.
    Entry,
    Body,
    Answer,
}

impl Carrier {
    /// The place of the variants of a union, which are sent as any JSON.
    pub(super) fn unchecked(self) -> Self {
        if self == Self::Body { Self::Answer } else { self }
    }

    pub(super) fn inside(self) -> Self {
        match self {
            Self::Query | Self::Header | Self::Path | Self::Entry => Self::Entry,
            Self::Body | Self::Answer => self,
        }
    }
}
