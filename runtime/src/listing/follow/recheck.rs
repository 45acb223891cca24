//! Requests the open records that rounds no longer request, because the records are too old.

use std::{
    collections::HashMap,
    task::{Context, Poll, ready},
    time::Duration,
    vec,
};

use chrono::{DateTime, TimeDelta, Utc};

use super::seen::{ByTime, id_of};
use crate::{
    Error, ErrorKind,
    call::PreparedCall,
    listing::{
        Id, Record, Timed, filter_chunks, pager::Fetch, plan::Plan, record_pages::RecordPages,
        time_range::REACHES,
    },
    operation::TimeRange,
};

/// When the next step of a recheck starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    /// The step may start at once, or has already started.
    Now,
    BetweenRounds,
    /// After an error, the step starts when the next round has finished.
    BehindRound,
}

/// A recheck, which requests every open record once. If open records are close together in the
/// listing, the recheck reads page after page. If they are far apart, the recheck sends a separate
/// request for each record.
pub(super) struct Recheck<T> {
    range: &'static TimeRange,
    fetch: Fetch<Vec<T>>,
    /// The service's time when the recheck started. Records with a later time don't show how far a
    /// listing has been read.
    now: DateTime<Utc>,
    /// The maximum time by which a record may be listed out of order.
    slack: TimeDelta,
    /// The calls whose listings haven't been read to the end. If the filter is split, there is one
    /// call for each part of the filter. The last call is the current one.
    parts: Vec<PreparedCall>,
    /// The identifiers of the open records that haven't been found yet, with the records' last
    /// known times. The records are recognized by identifier, because a record's time may have
    /// changed.
    missing: HashMap<Id, DateTime<Utc>>,
    /// The records in `missing` that may still exist, and so don't count as removed.
    unsure: ByTime,
    /// The open records that the recheck is still looking for in the current listing.
    left: ByTime,
    pages: Option<OpenScan<T>>,
    /// The open records that were found on the last page but haven't been returned yet.
    found: vec::IntoIter<T>,
    due: Due,
}

/// The pages of a listing that starts before an open record.
struct OpenScan<T> {
    pages: RecordPages<T>,
    before: DateTime<Utc>,
    /// The time of the last record that was listed.
    at: DateTime<Utc>,
    /// The index in `REACHES` of the time span between the listing's start and `before`.
    reach: usize,
    /// Whether the listing is known to have started early enough to contain the open record.
    proven: bool,
}

impl<T: Timed> Recheck<T> {
    /// Creates a recheck whose first step starts at once. Returns `None` if no record is open.
    pub(super) fn new(
        plan: &Plan<T>,
        open: ByTime,
        overlap: Duration,
    ) -> Result<Option<Self>, Error> {
        let Some(range) = plan.listing.time_range.as_ref().filter(|_| !open.is_empty()) else {
            return Ok(None);
        };
        Ok(Some(Self {
            range,
            fetch: plan.fetch,
            now: plan.start.sender.shared.clock.observed().unwrap_or(DateTime::<Utc>::MAX_UTC),
            slack: TimeDelta::from_std(overlap).unwrap_or(TimeDelta::MAX),
            parts: filter_chunks::parts(plan.listing, &plan.start)?,
            missing: open.iter().map(|(time, id)| (id.clone(), *time)).collect(),
            unsure: ByTime::new(),
            left: open,
            pages: None,
            found: Vec::new().into_iter(),
            due: Due::Now,
        }))
    }

    /// Lets the next step start at once. Called when a round has finished.
    pub(super) fn begin_step(&mut self) {
        self.due = Due::Now;
    }

    /// Whether there is something to poll: a found record that hasn't been returned, or a step that
    /// has started or may start now.
    pub(super) fn has_step(&self, is_between_rounds: bool) -> bool {
        let may_begin = self.due == Due::BetweenRounds && is_between_rounds;
        self.found.len() > 0 || self.due == Due::Now || may_begin
    }

    /// Polls for the next open record that is still listed. Returns `None` at the end of the
    /// recheck. If all records found so far have been returned, requests the next page. After an
    /// error, the next step requests the same page again, unless the service rejected the page's
    /// cursor.
    pub(super) fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<T>, Error>> {
        if self.found.len() == 0 {
            self.found = ready!(self.poll_step(cx))?.into_iter();
        }
        Poll::Ready(Ok(self.found.next()))
    }

    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<T>, Error>> {
        self.due = Due::Now;
        let found = ready!(self.poll_page(cx));
        self.due = Due::BetweenRounds;
        if let Err(error) = &found {
            self.due = Due::BehindRound;
            let is_circle = error.kind() == ErrorKind::RepeatedCursor;
            if is_circle || error.is_refusal() {
                // The next step starts a new listing, because the cursor is invalid or may have
                // expired.
                self.pages = None;
            }
            if is_circle {
                // The new listing skips the record that this listing was looking for. That record
                // may still exist.
                self.unsure.extend(self.left.pop_first());
            }
        }
        Poll::Ready(found)
    }

    /// Reads pages until a page contains open records, and returns these records. Returns an empty
    /// `Vec` at the end of the recheck.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<T>, Error>> {
        while let Some(part) = self.parts.last() {
            let Some((first, _)) = self.left.first() else {
                self.parts.pop();
                self.left = self.missing.iter().map(|(id, time)| (*time, id.clone())).collect();
                self.pages = None;
                continue;
            };
            let begin = || OpenScan::begin(part, self.fetch, self.range, *first, 0);
            let pages = self.pages.get_or_insert_with(begin);
            let records = ready!(pages.pages.poll_page(cx)).transpose()?;
            let is_end = records.is_none();
            let found = self.take_in(records.unwrap_or_default(), is_end);
            if !found.is_empty() {
                return Poll::Ready(Ok(found));
            }
        }
        Poll::Ready(Ok(Vec::new()))
    }

    /// Returns the open records that are no longer listed. Called at the end of the recheck.
    pub(super) fn gone(&mut self) -> ByTime {
        let missing = self.missing.drain().map(|(id, time)| (time, id));
        missing.filter(|record| !self.unsure.contains(record)).collect()
    }

    /// Processes a page, and returns those of its records that the recheck is looking for.
    fn take_in(&mut self, records: Vec<T>, is_end: bool) -> Vec<T> {
        let (Some(pages), Some(part)) = (&mut self.pages, self.parts.last()) else {
            return Vec::new();
        };
        let is_past = |time: &DateTime<Utc>| *time <= self.now;
        let times = || records.iter().filter_map(Record::created_at).filter(is_past);
        let (first, last) = (times().next(), times().last());
        // A record may be far out of order, so only the earliest time on the page shows how far the
        // listing has been read.
        let surely_at = times().fold(pages.at, Ord::min);
        pages.at = last.unwrap_or(pages.at);
        pages.proven |= first.is_some_and(|first| first < pages.before);
        let mut found = records;
        found.retain(|record| {
            let Some((id, time)) = id_of(record).and_then(|id| self.missing.remove_entry(&id))
            else {
                return false;
            };
            self.left.remove(&(time, id));
            true
        });
        let has_passed = is_end || last.is_some_and(|last| last > pages.before);
        let is_missing = self.left.first().is_some_and(|(time, _)| *time == pages.before);
        if has_passed && is_missing && !pages.proven {
            let (before, reach) = (pages.before, pages.reach + 1);
            self.pages = Some(OpenScan::begin(part, self.fetch, self.range, before, reach));
            return found;
        }
        // A record that wasn't listed at its place in time order may still be listed up to `slack`
        // later.
        let given_up = surely_at.checked_sub_signed(self.slack);
        while let Some(next) = self.left.first()
            && (is_end || Some(next.0) < given_up)
        {
            self.unsure.extend(self.left.pop_first().filter(|_| !pages.proven));
        }
        let near = last.zip(first).and_then(|(last, first)| last.checked_add_signed(last - first));
        match self.left.first() {
            Some((next, _)) if *next <= pages.before => {}
            Some((next, _)) if has_passed && near.is_some_and(|near| *next <= near) => {
                (pages.before, pages.proven) = (*next, true);
            }
            _ if has_passed => self.pages = None,
            _ => {}
        }
        found
    }
}

impl<T: Timed> OpenScan<T> {
    fn begin(
        part: &PreparedCall,
        fetch: Fetch<Vec<T>>,
        range: &TimeRange,
        before: DateTime<Utc>,
        reach: usize,
    ) -> Self {
        let mut start = part.clone();
        let is_bound = range.begin_before(&mut start.call.query, before, reach, true);
        let pages = RecordPages::new(start, fetch, Some(true));
        // The client assumes that no service rounds a bound by more than the longest of the
        // `REACHES`.
        let is_farthest = reach + 1 >= REACHES.len();
        Self { pages, before, at: before, reach, proven: !is_bound || is_farthest }
    }
}
