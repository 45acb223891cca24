//! How dense the records are, and how wide a window is that should hold a number of pages.

// Widths are estimates: what a cast loses is little beside what they are off by.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::{f64::consts::LN_2, iter};

use super::time_key::Key;

/// How many records a span holds.
#[derive(Clone, Copy)]
pub(super) struct Density {
    records: f64,
    span: f64,
    /// The squares of the gaps that it is made of, summed up.
    squares: f64,
}

/// Two densities are alike if their ratio is within this many standard deviations of chance.
const Z_SCORE: f64 = 2.5;
/// Of earlier pages, as many gaps are remembered as the last page has, but no fewer than this.
const MEMORY: f64 = 32.0;
/// The windows that may be under way on any density. Each gap that tells it allows one more.
const MIN_SPECULATIVE: usize = 4;
/// The standard deviations by which a window aims below full pages, so that few need another page.
const MARGIN: f64 = 1.5;

impl Density {
    /// How dense the records of a page are behind what came `before` them: at its end, if that
    /// differs from the whole.
    pub(super) fn of(keys: &[Key], before: Option<Key>) -> Option<Self> {
        let begin = before.or_else(|| keys.first().copied())?;
        let middle = *keys.get(keys.len() / 2)?;
        let halves = keys.split_at(keys.partition_point(|key| *key <= middle));
        match (Self::between(begin, halves.0), Self::between(middle, halves.1)) {
            (Some(first), Some(last)) if !first.is_like(last) => Some(last),
            _ => Self::between(begin, keys),
        }
    }

    /// Of the records behind `begin`.
    fn between(begin: Key, keys: &[Key]) -> Option<Self> {
        let keys = &keys[keys.partition_point(|key| *key <= begin)..];
        let span = keys.last().filter(|last| **last > begin)? - begin;
        let before = iter::once(&begin).chain(keys);
        let squares = keys.iter().zip(before).map(|(key, before)| ((key - before) as f64).powi(2));
        Some(Self { records: keys.len() as f64, span: span as f64, squares: squares.sum() })
    }

    /// Together with the one before while they agree, so that chance counts less.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        let Some(before) = before.filter(|before| before.is_like(self)) else { return self };
        let weight = (self.gaps().max(MEMORY) / before.gaps()).min(1.0);
        Self {
            records: self.records + weight * before.records,
            span: self.span + weight * before.span,
            squares: self.squares + weight * before.squares,
        }
    }

    /// How many windows may be under way on the strength of it.
    pub(super) fn max_speculative(self) -> usize {
        MIN_SPECULATIVE + self.gaps() as usize
    }

    /// How many gaps tell it: all if they are alike, and few if these are most of the span.
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

    /// The pages that the records of a span fill.
    pub(super) fn pages(self, span: Key, page: usize) -> f64 {
        self.ratio() * span as f64 / page as f64
    }

    /// The span whose records fit into so many pages.
    pub(super) fn span(self, pages: f64, page: usize) -> Key {
        let full = pages * page as f64;
        let records = (full - MARGIN * full.sqrt()).max(0.6 * page as f64);
        ((records / self.ratio()) as Key).max(1)
    }
}
