//! Times in nanoseconds since 1970, and how a service rounds them.

use chrono::{DateTime, SecondsFormat, Utc};

/// A millisecond in nanoseconds.
pub const MILLISECOND: i128 = 1_000_000;
/// A second in nanoseconds.
pub const SECOND: i128 = 1_000 * MILLISECOND;
/// A minute in nanoseconds.
pub const MINUTE: i128 = 60 * SECOND;
/// An hour in nanoseconds.
pub const HOUR: i128 = 60 * MINUTE;
/// A day in nanoseconds.
pub const DAY: i128 = 24 * HOUR;

/// The start of 2025 (UTC).
pub const BEGIN: i128 = 1_735_689_600 * SECOND;

/// The units in which services report, round and compare times.
pub const UNITS: [i128; 6] = [1_000, MILLISECOND, SECOND, MINUTE, HOUR, DAY];

/// How a time is rounded to a unit, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The time isn't rounded.
    Exact,
    /// The time is rounded down to a multiple of this unit.
    Down(i128),
    /// The time is rounded to the nearest multiple of this unit.
    Nearest(i128),
    /// The time is rounded up to a multiple of this unit.
    Up(i128),
}

/// How a service applies the time bounds of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The bounds are rounded before they are compared with times.
    Read(Rounding),
    /// Both bounds and times are rounded down to this unit before they are compared.
    Compared(i128),
    /// The bounds are ignored.
    Ignored,
}

impl Rounding {
    /// Returns the rounded time.
    #[must_use]
    pub fn of(self, time: i128) -> i128 {
        let down = |time: i128, unit: i128| time - time.rem_euclid(unit);
        match self {
            Self::Exact => time,
            Self::Down(unit) => down(time, unit),
            Self::Nearest(unit) => down(time + unit / 2, unit),
            Self::Up(unit) => down(time + unit - 1, unit),
        }
    }

    /// Returns the unit, in nanoseconds. It is 1 for `Exact`.
    #[must_use]
    pub fn unit(self) -> i128 {
        match self {
            Self::Exact => 1,
            Self::Down(unit) | Self::Nearest(unit) | Self::Up(unit) => unit,
        }
    }
}

impl Bounds {
    /// Returns the bound after rounding.
    pub(crate) fn read(self, bound: i128) -> i128 {
        match self {
            Self::Read(rounding) => rounding.of(bound),
            Self::Compared(unit) => Rounding::Down(unit).of(bound),
            Self::Ignored => bound,
        }
    }

    /// Returns the record's time after the rounding that precedes a comparison with a bound.
    pub(crate) fn compared(self, time: i128) -> i128 {
        if let Self::Compared(unit) = self { Rounding::Down(unit).of(time) } else { time }
    }

    pub(crate) fn unit(self) -> i128 {
        match self {
            Self::Read(rounding) => rounding.unit(),
            Self::Compared(unit) => unit,
            Self::Ignored => 1,
        }
    }
}

/// Returns the nanoseconds since 1970.
#[must_use]
pub fn nanos(time: DateTime<Utc>) -> i128 {
    i128::from(time.timestamp()) * SECOND + i128::from(time.timestamp_subsec_nanos())
}

/// Formats a time according to RFC 3339. A time beyond chrono's range becomes chrono's last time.
pub(crate) fn text(time: i128) -> String {
    let seconds = i64::try_from(time.div_euclid(SECOND)).ok();
    let rest = u32::try_from(time.rem_euclid(SECOND)).unwrap_or_default();
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, rest));
    time.unwrap_or(DateTime::<Utc>::MAX_UTC).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
