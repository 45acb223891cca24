//! The digits of amounts that are written as decimal numbers.

/// The number of digits after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// This number of digits in every column.
    Scale(u32),
    /// As many digits as the records need, column by column.
    Found,
}
