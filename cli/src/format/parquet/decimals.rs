//! The number of decimal places of amounts that are written as decimal numbers.

/// The number of decimal places in the columns that contain amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// The same number of decimal places in every column.
    Scale(u32),
    /// In each column, as many decimal places as the records need.
    Found,
}
