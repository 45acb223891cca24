//! A span of creation times.

use super::times::Nanoseconds;

/// Both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Span {
    pub(super) first: Nanoseconds,
    pub(super) last: Nanoseconds,
}

impl Span {
    pub(super) const ALL: Self = Self { first: Nanoseconds::MIN, last: Nanoseconds::MAX };

    pub(super) fn from(&mut self, time: Option<Nanoseconds>) {
        self.first = self.first.max(time.unwrap_or(Nanoseconds::MIN));
    }

    pub(super) fn to(&mut self, time: Option<Nanoseconds>) {
        self.last = self.last.min(time.unwrap_or(Nanoseconds::MAX));
    }

    pub(super) fn after(&mut self, time: Option<Nanoseconds>) {
        self.from(time.map(|time| time + 1));
    }

    pub(super) fn before(&mut self, time: Option<Nanoseconds>) {
        self.to(time.map(|time| time - 1));
    }
}
