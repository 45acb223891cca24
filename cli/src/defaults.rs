//! The default page sizes and orders of requests.

use crate::{args::Values, operation::Operation};

/// The largest `--max` that is also used as the page size, if the description states no maximum.
const FEW: u64 = 100;

/// Sets the page size, unless the user has chosen one: as large as the description allows, but no
/// larger than `--max`.
pub(crate) fn of_listing(operation: &Operation, mut values: Values, max: Option<u64>) -> Values {
    let Some(parameter) = operation.page_size() else { return values };
    if let Some(size) = size(parameter.minimum, parameter.maximum, max) {
        values.entry(parameter.option).or_insert_with(|| vec![size.to_string()]);
    }
    values
}

/// The page size, within the bounds in the description.
fn size(least: Option<i64>, most: Option<i64>, max: Option<u64>) -> Option<u64> {
    let count = |bound: Option<i64>| bound.and_then(|bound| u64::try_from(bound).ok());
    let (least, most) = (count(least).unwrap_or(1), count(most));
    let size = match (most, max) {
        (Some(most), Some(max)) => Some(most.min(max)),
        (most, max) => most.or_else(|| max.filter(|max| *max <= FEW)),
    };
    size.map(|size| size.max(least))
}

/// Sets the order and the page size of a sync, unless the user has chosen them: ascending order,
/// which puts new records last, and large pages.
pub(crate) fn of_sync(operation: &Operation, mut values: Values) -> Values {
    if let Some(order) = operation.listing().and_then(|listing| listing.order.as_ref()) {
        values.entry(order.option).or_insert_with(|| vec![order.ascending.to_owned()]);
    }
    of_listing(operation, values, None)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_page_is_no_larger_than_asked_for_within_the_bounds_of_the_description() {
        for (least, most, max, expected) in [
            (None, None, None, None),
            (None, None, Some(5), Some(5)),
            (None, None, Some(500), None),
            (None, Some(100), None, Some(100)),
            (None, Some(100), Some(500), Some(100)),
            (Some(10), Some(100), Some(5), Some(10)),
            (Some(10), None, Some(5), Some(10)),
            (Some(10), Some(100), Some(20), Some(20)),
        ] {
            assert_eq!(size(least, most, max), expected, "{least:?} {most:?} {max:?}");
        }
    }
}
