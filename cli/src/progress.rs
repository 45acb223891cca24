//! Shows progress: the number of records, the rate, and the creation time that the listing has
//! reached. If stderr isn't a terminal, only failures of the service are reported.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::Error;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use crate::{failure::described, stdout, words::NAME};

/// The creation times of a listing's oldest and newest records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub first: DateTime<Utc>,
    pub last: DateTime<Utc>,
}

/// A line on the terminal for a listing that is followed.
pub(crate) struct Line {
    bar: ProgressBar,
    name: String,
}

impl Line {
    pub(crate) fn new(name: String) -> Self {
        let bar = stdout::with_line(ProgressBar::no_length());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, name }
    }

    /// Shows how many records of a full listing have been read so far.
    pub(crate) fn lists(&self, records: u64) {
        self.bar.set_message(format!("{}: listing, {} records", self.name, HumanCount(records)));
    }

    /// Shows the number of rows in the table after a round, and the numbers of rows that the round
    /// added and changed.
    pub(crate) fn has_read(&self, rows: u64, added: u64, changed: u64) {
        let [rows, added, changed] = [rows, added, changed].map(HumanCount);
        let now = Utc::now().format("%H:%M:%S UTC");
        let name = &self.name;
        self.bar
            .set_message(format!("{name}: {rows} rows, {added} new, {changed} changed at {now}"));
    }
}

/// Removes the line from the terminal.
impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    extent: Option<Extent>,
    records: u64,
    /// The number of records from earlier runs.
    before: u64,
    /// The number of records at which `--max` stops the listing.
    max: Option<u64>,
    /// The creation time of the first record of this run. Later records may be newer or older,
    /// depending on the listing's order.
    from: Option<DateTime<Utc>>,
    begun: Instant,
    drawn: Instant,
    /// Whether to report failures of the service if there is no progress bar.
    tells: bool,
    /// When a failure of the service was last reported. `None` if no failure has been reported
    /// since the service last responded.
    told: Option<Instant>,
}

const REDRAWN: Duration = Duration::from_millis(100);
/// The interval between two reports on stderr while the service keeps failing.
const TOLD_AGAIN: Duration = Duration::from_secs(5 * 60);
/// The length of the progress bar, in steps.
const STEPS: u64 = 10_000;

impl Progress {
    pub(crate) fn new(watched: bool, tells: bool, before: u64) -> Self {
        let bar = watched.then(|| stdout::with_line(ProgressBar::no_length()));
        if let (Some(bar), Ok(style)) = (&bar, ProgressStyle::with_template("{spinner} {msg}")) {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self {
            bar,
            extent: None,
            records: before,
            before,
            max: None,
            from: None,
            begun: now,
            drawn: now,
            tells,
            told: None,
        }
    }

    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.bar.is_some()
    }

    /// Shows a progress bar with a percentage, if `extent` or `max` is given.
    pub(crate) fn measure(&mut self, extent: Option<Extent>, max: Option<u64>) {
        (self.extent, self.max) = (extent, max);
        let Some(bar) = self.bar.as_ref().filter(|_| extent.is_some() || max.is_some()) else {
            return;
        };
        bar.set_message(self.message(None));
        bar.set_length(STEPS);
        let template = "{bar:30} {percent:>3}%  {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.reset_eta();
    }

    /// Reports that the service is failing and that the tool is about to wait. Without a progress
    /// bar, reports the first of several consecutive failures, and then about one failure every
    /// five minutes.
    pub(crate) fn waits(&mut self, wait: Duration, error: &Error) {
        let seconds = wait.as_secs();
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{error}; retrying in {seconds} s"));
            return;
        }
        let is_told = self.told.is_some_and(|told| told.elapsed() + wait < TOLD_AGAIN);
        if self.tells && !is_told {
            let (name, error) = (NAME, described(error));
            let line = format!("{name}: the service is failing; retrying in {seconds} s");
            stdout::say(&format!("{line}: {error}"));
            self.told = Some(Instant::now());
        }
    }

    /// Reports that the service is responding again after a failure.
    pub(crate) fn goes_on(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
        }
        if self.told.take().is_some() {
            stdout::say(&format!("{NAME}: the service is responding again"));
        }
    }

    pub(crate) fn wrote(&mut self, created_at: Option<DateTime<Utc>>) {
        self.records += 1;
        self.from = self.from.or(created_at);
        let Some(bar) = &self.bar else { return };
        if self.drawn.elapsed() < REDRAWN {
            return;
        }
        self.drawn = Instant::now();
        if let Some(position) = self.position(created_at) {
            bar.set_position(position);
        }
        bar.set_message(self.message(created_at));
    }

    /// Draws the final state of the bar, even if the bar was redrawn a moment ago.
    pub(crate) fn complete(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_with_message(self.message(None));
        }
    }

    /// The position of the bar, in steps, after a record with this creation time. `None` if the
    /// length of the listing is unknown.
    fn position(&self, created_at: Option<DateTime<Utc>>) -> Option<u64> {
        let times = self.extent.zip(self.from.zip(created_at));
        let by_time = times.map(|(Extent { first, last }, (from, now))| {
            // The listing's end depends on its direction: the newest record in ascending order, the
            // oldest record in descending order.
            let end = if now >= from { last } else { first };
            let end = if now == from && from - first > last - from { first } else { end };
            steps((now - from).abs(), (end - from).abs())
        });
        let by_number = self.max.map(|max| {
            let (done, all) = (self.records - self.before, max.saturating_sub(self.before));
            done.saturating_mul(STEPS) / all.max(1)
        });
        by_time.max(by_number).map(|position| position.min(STEPS))
    }

    fn message(&self, created_at: Option<DateTime<Utc>>) -> String {
        let seconds = self.begun.elapsed().as_secs().max(1);
        let rate = HumanCount((self.records - self.before) / seconds);
        let reached = created_at.map(|time| time.format(", at %Y-%m-%d").to_string());
        let reached = reached.unwrap_or_default();
        format!("{} records, {rate}/s{reached}", HumanCount(self.records))
    }

    /// Removes the bar from the terminal.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn steps(covered: TimeDelta, whole: TimeDelta) -> u64 {
    let (covered, whole) = (covered.num_milliseconds(), whole.num_milliseconds().max(1));
    u64::try_from(covered).unwrap_or(0).saturating_mul(STEPS) / whole.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::{Extent, Progress, STEPS};

    #[test]
    fn what_is_done_counts_from_where_this_run_began() {
        let day = |day| format!("2025-01-{day:02}T00:00:00Z").parse().ok();
        let extent = day(1).zip(day(31)).map(|(first, last)| Extent { first, last });

        for (before, max, days, percent) in [
            (0, None, vec![1, 7], 20),
            (0, None, vec![31, 25], 20),
            (0, None, vec![1, 31], 100),
            // A resumed run, in either direction, with ten days left.
            (900, None, vec![21, 26], 50),
            (900, None, vec![11, 6], 50),
            (0, Some(4), vec![1, 1], 50),
            (0, Some(4), vec![1, 1, 1, 1], 100),
            (900, Some(904), vec![21, 21], 50),
            (900, Some(902), vec![21, 21], 100),
            (0, Some(9_000), vec![1, 31], 100),
            (0, Some(1), vec![1, 1], 100),
        ] {
            let mut progress = Progress::new(false, false, before);
            progress.measure(extent, max);
            for &at in &days {
                progress.wrote(day(at));
            }

            let done = progress.position(days.last().and_then(|&at| day(at)));
            assert_eq!(done, Some(percent * STEPS / 100), "{before} {max:?} {days:?}");
        }
        let mut progress = Progress::new(false, false, 0);
        progress.wrote(day(1));
        assert_eq!(progress.position(day(1)), None, "the listing's length is unknown");
    }
}
