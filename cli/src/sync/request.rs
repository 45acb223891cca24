//! The request of a listing that fills a table: its order, and the key of its state.

use crate::{args::Values, failure::Failure, operation::Listing};

/// # Errors
///
/// If there is a page cursor, because the table would lack the records before that page.
pub(super) fn check(listing: &Listing, values: &Values) -> Result<(), Failure> {
    let cursor = listing.cursor;
    if values.contains_key(cursor) {
        return Err(Failure::usage(format!(
            "--{cursor} skips the records before it, so the table can't be complete; omit it"
        )));
    }
    Ok(())
}

/// Whether the oldest records come first.
pub(super) fn is_ascending(listing: &Listing, values: &Values) -> bool {
    let order = listing.order.as_ref().and_then(|order| Some((values.get(order.option)?, order)));
    order.is_none_or(|(given, order)| given == &[order.ascending])
}

/// The key of a listing's state: its request, except for the page size.
pub(super) fn key(listing: &Listing, values: &Values) -> String {
    let mut filters = values.clone();
    if let Some(size) = listing.size {
        filters.remove(size);
    }
    if let Some(order) = &listing.order
        && filters.get(order.option).is_some_and(|given| given == &[order.ascending])
    {
        filters.remove(order.option);
    }
    serde_json::json!(filters).to_string()
}
