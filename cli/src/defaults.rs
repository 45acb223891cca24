//! The default page size and order of a listing's requests.

use crate::{args::Values, operation::Operation};

/// The largest page size that is derived from `--max`. This limit applies only if the OpenAPI
/// description states no maximum page size.
const FEW: u64 = 100;

/// Sets the page size, unless the user has chosen a page size. The default is the maximum from the
/// OpenAPI description, or `--max` if that is smaller.
pub(crate) fn of_listing(operation: &Operation, mut values: Values, max: Option<u64>) -> Values {
    let Some(parameter) = operation.page_size() else { return values };
    if let Some(size) = size(parameter.minimum, parameter.maximum, max) {
        values.entry(parameter.option).or_insert_with(|| vec![size.to_string()]);
    }
    values
}

/// The default page size, given the value of `--max` and the bounds from the OpenAPI description
/// (`least` and `most`). `None` leaves the choice to the service.
fn size(least: Option<i64>, most: Option<i64>, max: Option<u64>) -> Option<u64> {
    let count = |bound: Option<i64>| bound.and_then(|bound| u64::try_from(bound).ok());
    let (least, most) = (count(least).unwrap_or(1), count(most));
    let size = match (most, max) {
        (Some(most), Some(max)) => Some(most.min(max)),
        (most, max) => most.or_else(|| max.filter(|max| *max <= FEW)),
    };
    size.map(|size| size.max(least))
}

/// Sets the order and the page size of a sync, unless the user has chosen them. The defaults are
/// ascending order, which puts new records last, and the maximum page size.
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
