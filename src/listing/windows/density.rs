//! How dense the records are, and how wide a window of so many pages is.

// Widths are estimates: what a cast loses is little beside what they are off by.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

use super::time_key::Key;

/// Records a nanosecond.
#[derive(Clone, Copy)]
pub(super) struct Density(f64);

/// Fewer records than these are too few to tell from each other how dense they are.
const FEW: usize = 5;
/// By so many standard deviations a window aims below full pages, so that few need another page.
const MARGIN: f64 = 1.5;

impl Density {
    /// How dense the records of a page are: at its end, if that differs from the whole. Those of
    /// one time say it only together with the gap `before` them.
    pub(super) fn of(keys: &[Key], before: Option<Key>) -> Option<Self> {
        let (first, last) = (*keys.first()?, *keys.last()?);
        let ratio = |count: usize, begin: Key| Self(count as f64 / (last - begin) as f64);
        if keys.len() < FEW || first == last {
            return before.filter(|before| *before < last).map(|before| ratio(keys.len(), before));
        }
        let middle = keys.len() / 2;
        let whole = ratio(keys.len(), first);
        if keys[middle] == last {
            return Some(whole);
        }
        let end = ratio(keys.len() - middle, keys[middle]);
        Some(if whole.is_like(end) { whole } else { end })
    }

    /// Averaged with the one before while they agree, so that chance counts less.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        match before {
            Some(before) if self.is_like(before) => Self((self.0 * before.0).sqrt()),
            _ => self,
        }
    }

    fn is_like(self, other: Self) -> bool {
        (0.5..2.0).contains(&(self.0 / other.0))
    }

    /// The pages that the records of a span fill.
    pub(super) fn pages(self, span: Key, page: usize) -> f64 {
        self.0 * span as f64 / page as f64
    }

    /// The span whose records fit into so many pages.
    pub(super) fn span(self, pages: f64, page: usize) -> Key {
        let full = pages * page as f64;
        let records = (full - MARGIN * full.sqrt()).max(0.6 * page as f64);
        ((records / self.0) as Key).max(1)
    }
}
