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

    /// Keeps the times for which the filter of this name holds. False if it compares no times.
    pub(super) fn narrow(&mut self, filter: &str, time: Nanoseconds) -> bool {
        let (first, last) = match filter {
            "created_at.begin" | "created_at.gte" => (time, Nanoseconds::MAX),
            "created_at.end" | "created_at.lte" => (Nanoseconds::MIN, time),
            "created_at.gt" => (time + 1, Nanoseconds::MAX),
            "created_at.lt" => (Nanoseconds::MIN, time - 1),
            "created_at.eq" => (time, time),
            _ => return false,
        };
        *self = Self { first: self.first.max(first), last: self.last.min(last) };
        true
    }
}
