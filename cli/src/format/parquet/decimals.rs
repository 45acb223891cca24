//! How amounts become decimal numbers.

/// Amounts as decimal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// With these digits after the point.
    Scale(u32),
    /// With as many as the records need, column by column.
    Found,
}
