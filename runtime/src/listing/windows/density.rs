//! The density of records in a span of time, and the width of a window.

// A window's width is an estimate, so the imprecision of these casts doesn't matter.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::{f64::consts::LN_2, iter};

use crate::listing::time_key::TimeKey;

/// How densely records are spread over a span of time.
#[derive(Clone, Copy)]
pub(super) struct Density {
    records: f64,
    span: f64,
    /// The sum of the squared gaps between consecutive records.
    squares: f64,
}

/// The maximum number of standard deviations by which two densities may differ and still count as
/// similar.
const Z_SCORE: f64 = 2.5;
/// The maximum weight of the previous density in an average, counted in gaps. If the new density is
/// based on more gaps than that, the previous density may weigh as much as the new one.
const MEMORY: f64 = 32.0;
/// The number of requests in flight that every density estimate allows. Each gap that the estimate
/// is based on allows one more.
const MIN_SPECULATIVE: usize = 4;
/// The safety margin, in standard deviations, between the expected number of records in a window
/// and the capacity of its pages. With this margin, few windows need an additional page.
const MARGIN: f64 = 1.5;

impl Density {
    /// Returns the density of the records on a page that starts after the key `before`. If the
    /// page's two halves differ in density, returns the density of the second half alone.
    pub(super) fn of(keys: &[TimeKey], before: Option<TimeKey>) -> Option<Self> {
        let begin = before.or_else(|| keys.first().copied())?;
        let middle = *keys.get(keys.len() / 2)?;
        let halves = keys.split_at(keys.partition_point(|key| *key <= middle));
        match (Self::between(begin, halves.0), Self::between(middle, halves.1)) {
            (Some(first), Some(last)) if !first.is_like(last) => Some(last),
            _ => Self::between(begin, keys),
        }
    }

    /// The density of those records in `keys` that come after the key `begin`.
    fn between(begin: TimeKey, keys: &[TimeKey]) -> Option<Self> {
        let keys = &keys[keys.partition_point(|key| *key <= begin)..];
        let span = keys.last().filter(|last| **last > begin)? - begin;
        let before = iter::once(&begin).chain(keys);
        let squares = keys.iter().zip(before).map(|(key, before)| ((key - before) as f64).powi(2));
        Some(Self { records: keys.len() as f64, span: span as f64, squares: squares.sum() })
    }

    /// Returns the weighted average of this density and the previous one, if they are similar. If
    /// they differ, returns this density alone.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        let Some(before) = before.filter(|before| before.is_like(self)) else { return self };
        let weight = (self.gaps().max(MEMORY) / before.gaps()).min(1.0);
        Self {
            records: self.records + weight * before.records,
            span: self.span + weight * before.span,
            squares: self.squares + weight * before.squares,
        }
    }

    /// The maximum number of requests in flight for windows whose start is based on this estimate.
    pub(super) fn max_speculative(self) -> usize {
        MIN_SPECULATIVE + self.gaps() as usize
    }

    /// The effective number of gaps, span²/Σgap².
    fn gaps(self) -> f64 {
        self.span * self.span / self.squares
    }

    fn ratio(self) -> f64 {
        self.records / self.span
    }

    fn is_like(self, other: Self) -> bool {
        let chance = Z_SCORE * (1.0 / self.gaps() + 1.0 / other.gaps()).sqrt();
        (self.ratio() / other.ratio()).ln().abs() < chance.max(LN_2)
    }

    /// The estimated number of pages that the records in a span of time fill.
    pub(super) fn pages(self, span: TimeKey, page: usize) -> f64 {
        self.ratio() * span as f64 / page as f64
    }

    /// The span of time whose records probably fit into this many pages.
    pub(super) fn span(self, pages: f64, page: usize) -> TimeKey {
        let full = pages * page as f64;
        let records = (full - MARGIN * full.sqrt()).max(0.6 * page as f64);
        ((records / self.ratio()) as TimeKey).max(1)
    }
}
