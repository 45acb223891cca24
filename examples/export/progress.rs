//! How far it is: records, rate and remaining time. Silent where nobody watches.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::{Error, Record};
use indicatif::{HumanCount, ProgressBar, ProgressFinish, ProgressStyle};

/// How much there is to export.
pub(crate) enum Extent {
    Records(u64),
    Time(DateTime<Utc>, DateTime<Utc>),
    Unknown,
}

impl Extent {
    pub(crate) fn of(total_count: Option<i32>) -> Self {
        let count = total_count.and_then(|count| u64::try_from(count).ok());
        count.map_or(Self::Unknown, Self::Records)
    }

    pub(crate) fn between(first: Option<&impl Record>, last: Option<&impl Record>) -> Self {
        let ends = first.and_then(Record::created_at).zip(last.and_then(Record::created_at));
        ends.map_or(Self::Unknown, |(first, last)| Self::Time(first, last))
    }
}

pub(crate) struct Progress {
    bar: ProgressBar,
    extent: Extent,
    records: u64,
    /// Records that were there when it began.
    before: u64,
    begun: Instant,
    drawn: Instant,
}

const REDRAWN: Duration = Duration::from_millis(100);
/// A span of time is so many steps of the bar.
const STEPS: u64 = 10_000;

impl Progress {
    pub(crate) fn new(extent: Extent, before: u64) -> Self {
        let length = match extent {
            Extent::Records(count) => Some(count),
            Extent::Time(..) => Some(STEPS),
            Extent::Unknown => None,
        };
        let bar = ProgressBar::no_length().with_finish(ProgressFinish::AndClear);
        if let Extent::Records(_) = extent {
            bar.set_position(before);
        }
        let template = match length {
            Some(length) => {
                bar.set_length(length);
                "{bar:30} {percent:>3}%  {msg}, {eta} left"
            }
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.reset_eta();
        let now = Instant::now();
        Self { bar, extent, records: before, before, begun: now, drawn: now }
    }

    pub(crate) fn waits(&self, wait: Duration, error: &Error) {
        self.bar.set_message(format!("{error}; again in {} s", wait.as_secs()));
    }

    pub(crate) fn wrote(&mut self, created_at: Option<DateTime<Utc>>) {
        self.records += 1;
        if self.bar.is_hidden() || self.drawn.elapsed() < REDRAWN {
            return;
        }
        self.drawn = Instant::now();
        match (&self.extent, created_at) {
            (Extent::Records(_), _) => self.bar.set_position(self.records),
            (Extent::Time(first, last), Some(now)) => {
                self.bar.set_position(steps(now - first, *last - first));
            }
            _ => {}
        }
        let seconds = self.begun.elapsed().as_secs().max(1);
        let rate = (self.records - self.before) / seconds;
        let (records, rate) = (HumanCount(self.records), HumanCount(rate));
        self.bar.set_message(format!("{records} records, {rate}/s"));
    }
}

fn steps(covered: TimeDelta, whole: TimeDelta) -> u64 {
    let (covered, whole) = (covered.num_milliseconds(), whole.num_milliseconds().max(1));
    u64::try_from(covered).unwrap_or(0).saturating_mul(STEPS) / whole.unsigned_abs()
}
