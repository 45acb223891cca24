//! An item of a followed listing.

/// A record that is new, or that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<T> {
    /// A record that this listing doesn't remember, because it is new or older than the overlap.
    New(T),
    /// A record that was returned before and has changed since then.
    Changed(T),
}

impl<T> Change<T> {
    /// Returns the record, whether it is new or changed.
    pub fn into_inner(self) -> T {
        match self {
            Self::New(record) | Self::Changed(record) => record,
        }
    }
}
