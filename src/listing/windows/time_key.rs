//! The axis that windows lie on. Its *keys* are nanoseconds, ascending in the order in which the
//! records are asked for.

// Widths are estimates: what a cast loses is little beside what they are off by.
#![allow(clippy::cast_precision_loss)]

use chrono::{DateTime, Utc};

use crate::Record;

pub(super) type Key = i128;

pub(super) const SECOND: Key = 1_000_000_000;
/// Fewer records than these are too few to tell from each other how dense they are.
const FEW: usize = 5;

/// Records a nanosecond; none behind a stretch that was all but empty.
pub(super) type Density = Option<f64>;

pub(super) fn key_of<T: Record>(record: &T, ascending: bool) -> Option<Key> {
    let time = record.created_at()?;
    let nanos = Key::from(time.timestamp()) * SECOND + Key::from(time.timestamp_subsec_nanos());
    Some(if ascending { nanos } else { -nanos })
}

pub(super) fn time(nanos: Key) -> Option<DateTime<Utc>> {
    let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
    let rest = u32::try_from(nanos.rem_euclid(SECOND)).ok()?;
    DateTime::from_timestamp(seconds, rest)
}

pub(super) fn nanos(span: Key) -> f64 {
    span as f64
}

/// The beginning of the coarsest unit that a key stands in and that is small beside the span, or of
/// the finest.
pub(super) fn rounded(key: Key, span: Key, finest: Key) -> Key {
    let mut unit = SECOND;
    while unit > finest && unit > span / 16 {
        unit /= 1_000;
    }
    key - key.rem_euclid(unit)
}

/// How dense the records of a full page are: at its end, if that differs from the whole. What is
/// all of one time says nothing, nor do some records without what came before them.
pub(super) fn density_of(keys: &[Key], before: Key) -> Density {
    let (first, last) = (*keys.first()?, *keys.last()?);
    if keys.len() < FEW && before > Key::MIN && last > before {
        return Some(ratio(keys.len(), last - before));
    }
    if keys.len() < FEW || first == last {
        return None;
    }
    let middle = keys.len() / 2;
    let whole = ratio(keys.len(), last - first);
    let end = ratio(keys.len() - middle, last - keys[middle]);
    Some(if alike(whole, end) { whole } else { end })
}

pub(super) fn ratio(records: usize, span: Key) -> f64 {
    records as f64 / nanos(span.max(1))
}

pub(super) fn alike(one: f64, other: f64) -> bool {
    (0.5..2.0).contains(&(one / other))
}
