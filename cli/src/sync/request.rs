//! The request of a listing that fills a table: its order, and the key of its state.

use crate::{
    args::Values,
    defaults::{self, ASCENDING},
    failure::Failure,
    operation::Operation,
};

/// # Errors
///
/// If the filters begin amid the listing, so that a table would lack what comes before.
pub(super) fn check(values: &Values) -> Result<(), Failure> {
    if values.contains_key(CURSOR) {
        return Err(Failure::usage(format!(
            "--{CURSOR} skips the records before it, so the table can't be complete; leave it out"
        )));
    }
    Ok(())
}

/// The option that begins amid a listing.
const CURSOR: &str = "page-cursor";

/// Whether the oldest records come first.
pub(super) fn is_ascending(operation: &Operation, values: &Values) -> bool {
    let order = defaults::order(operation, ASCENDING);
    order.is_none_or(|(order, word)| values.get(order).is_none_or(|given| given == &[word]))
}

/// What a state belongs to: the request, except for the page size.
pub(super) fn key(operation: &Operation, values: &Values) -> String {
    let mut filters = values.clone();
    if let Some(limit) = operation.limit() {
        filters.remove(limit.option);
    }
    if let Some((order, ascending)) = defaults::order(operation, ASCENDING)
        && filters.get(order).is_some_and(|order| order == &[ascending])
    {
        filters.remove(order);
    }
    serde_json::json!(filters).to_string()
}
