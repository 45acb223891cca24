//! Times in nanoseconds since 1970, and what a service makes of them.

use chrono::{DateTime, SecondsFormat, Utc};

/// In nanoseconds, as all of these.
pub const MILLISECOND: i128 = 1_000_000;
/// A second.
pub const SECOND: i128 = 1_000 * MILLISECOND;
/// A minute.
pub const MINUTE: i128 = 60 * SECOND;
/// An hour.
pub const HOUR: i128 = 60 * MINUTE;
/// A day.
pub const DAY: i128 = 24 * HOUR;

/// The first moment of 2025.
pub const BEGIN: i128 = 1_735_689_600 * SECOND;

/// Those that services tell, read and compare times in.
pub const UNITS: [i128; 6] = [1_000, MILLISECOND, SECOND, MINUTE, HOUR, DAY];

/// How a time is brought to a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Not at all.
    Exact,
    /// Cut short.
    Down(i128),
    /// To the nearest.
    Nearest(i128),
    /// To the next, unless it is one.
    Up(i128),
}

/// What a service makes of the bounds of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// They are rounded first.
    Read(Rounding),
    /// Bounds and times are cut short to this unit before they are compared.
    Compared(i128),
    /// Nothing.
    Ignored,
}

impl Rounding {
    /// A time in this unit.
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

    /// In which times are told apart.
    #[must_use]
    pub fn unit(self) -> i128 {
        match self {
            Self::Exact => 1,
            Self::Down(unit) | Self::Nearest(unit) | Self::Up(unit) => unit,
        }
    }
}

impl Bounds {
    /// A bound as the service understands it.
    pub(crate) fn read(self, bound: i128) -> i128 {
        match self {
            Self::Read(rounding) => rounding.of(bound),
            Self::Compared(unit) => Rounding::Down(unit).of(bound),
            Self::Ignored => bound,
        }
    }

    /// A record's time as it is compared with a bound.
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

/// A time of chrono in nanoseconds.
#[must_use]
pub fn nanos(time: DateTime<Utc>) -> i128 {
    i128::from(time.timestamp()) * SECOND + i128::from(time.timestamp_subsec_nanos())
}

/// RFC 3339; the last time that chrono knows for what is later.
pub(crate) fn text(time: i128) -> String {
    let seconds = i64::try_from(time.div_euclid(SECOND)).ok();
    let rest = u32::try_from(time.rem_euclid(SECOND)).unwrap_or_default();
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, rest));
    time.unwrap_or(DateTime::<Utc>::MAX_UTC).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
