//! Checks the options of a listing that is to be synced or verified, and derives the key under
//! which the listing's state is saved.

use crate::{args::Values, failure::Failure, operation::Listing};

/// # Errors
///
/// If the options include a page cursor, because the table would lack the records before that page.
pub(super) fn check(listing: &Listing, values: &Values) -> Result<(), Failure> {
    let cursor = listing.cursor;
    if values.contains_key(cursor) {
        return Err(Failure::usage(format!(
            "--{cursor} skips the records before the cursor, so the table can't be complete; omit \
             --{cursor}"
        )));
    }
    Ok(())
}

/// Whether the listing returns the oldest records first.
pub(super) fn is_ascending(listing: &Listing, values: &Values) -> bool {
    let order = listing.order.as_ref().and_then(|order| Some((values.get(order.option)?, order)));
    order.is_none_or(|(given, order)| given == &[order.ascending])
}

/// The key under which a listing's state is saved: the listing's options as JSON, without the page
/// size, and without the order if it is ascending.
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
