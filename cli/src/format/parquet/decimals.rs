//! The decimal places of amounts that are written as decimal numbers.

/// The number of decimal places in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// This many decimal places in every column.
    Scale(u32),
    /// In each column, as many decimal places as the records need.
    Found,
}
