//! What the tool asks for if its arguments don't say.

use crate::{
    given::Values,
    operation::{Listing, Operation},
};

/// The largest page that is asked for where the description doesn't say how large one may be.
const FEW: u64 = 100;

/// Pages as large as the description allows, unless the user asks for another size.
pub(crate) fn of_listing(operation: &Operation, mut values: Values, max: Option<u64>) -> Values {
    let Some(limit) = operation.limit() else { return values };
    let most = limit.maximum.and_then(|most| u64::try_from(most).ok());
    let size = match (most, max) {
        (Some(most), Some(max)) => Some(most.min(max)),
        (most, max) => most.or_else(|| max.filter(|max| *max <= FEW)),
    };
    if let Some(size) = size {
        values.entry(limit.option).or_insert_with(|| vec![size.to_string()]);
    }
    values
}

/// The order that puts new records last, and large pages.
pub(crate) fn of_sync(operation: &Operation, listing: &Listing, mut values: Values) -> Values {
    if let Some(order) = listing.order {
        values.entry(order).or_insert_with(|| vec!["ASC".to_owned()]);
    }
    of_listing(operation, values, None)
}
