//! The state of a listing that has started: the source of its records, and the records that it has
//! returned.

use std::task::{Context, Poll, ready};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use crate::{
    Error, ErrorKind, Record,
    listing::{
        plan::Plan,
        position::{Position, Resume, Tracker, Verdict, out_of_order},
        record_source::RecordSource,
    },
};

/// The maximum expected delay between a record's `created_at` and its appearance in a listing. If
/// one of several merged listings finishes early, a record that appears in that listing after a
/// longer delay may be missed.
const ARRIVES_WITHIN: TimeDelta = TimeDelta::minutes(5);

pub(super) struct Reading<T> {
    source: Box<dyn RecordSource<T>>,
    /// The position from which the listing was resumed, if it was.
    from: Option<Position>,
    /// Skips the records up to the resumed position. `None` if all of them have been skipped, or if
    /// the listing wasn't resumed.
    resume: Option<Resume>,
    /// Tracks the records that have been returned.
    tracker: Tracker,
    began: Instant,
}

/// An error, and whether the error ends the stream.
pub(super) struct Failure {
    pub error: Error,
    pub is_final: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let is_final = matches!(
            error.kind(),
            ErrorKind::RepeatedCursor
                | ErrorKind::InvalidRequest
                | ErrorKind::Configuration
                | ErrorKind::StaleCheckpoint
        );
        Self { error, is_final }
    }
}

impl Failure {
    fn last(error: Error) -> Self {
        Self { error, is_final: true }
    }
}

impl<T: Record> Reading<T> {
    pub(super) fn begin(plan: &Plan<T>, from: Option<Position>) -> Result<Self, Error> {
        let ascending = plan.is_ascending();
        let mut resume = from.clone().map(|position| Resume::new(position, ascending));
        let (source, tracker) = open(plan, from.as_ref(), resume.as_mut())?;
        Ok(Self { source, from, resume, tracker, began: Instant::now() })
    }

    /// Takes the record for which `poll_front` has returned true.
    pub(super) fn take_front(&mut self) -> Option<T> {
        self.source.take_front()
    }

    /// Polls until the next record can be taken with `take_front`. Returns false at the end of the
    /// listing.
    pub(super) fn poll_front(
        &mut self,
        plan: &Plan<T>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<bool, Failure>> {
        loop {
            let polled = self.source.poll_front(cx, true);
            let time_order = self.source.time_order();
            self.tracker.position.time_order.add(time_order);
            match ready!(polled) {
                Ok(_) => {}
                Err(error) if plan.rereads && error.is_refusal() => {
                    self.begin_again(plan, error)?;
                    continue;
                }
                Err(error) => return Poll::Ready(Err(error.into())),
            }
            let record = self.source.front();
            let verdict = self
                .resume
                .as_mut()
                .map_or(Verdict::Return, |resume| resume.classify(record, !time_order.is_violated));
            match verdict {
                Verdict::Skip => {
                    self.source.take_front();
                    continue;
                }
                Verdict::RestartEarlier if self.tracker.has_begun => {
                    return Poll::Ready(Err(Failure::last(out_of_order())));
                }
                Verdict::RestartEarlier => {
                    self.reopen(plan)?;
                    continue;
                }
                Verdict::Refuse(error) => return Poll::Ready(Err(Failure::last(error))),
                Verdict::Finished => {
                    if self.resume.take().is_some_and(|resume| resume.lists_all()) {
                        self.tracker.position.time_order.is_relied_on = time_order.is_relied_on;
                    }
                }
                Verdict::Return => {}
            }
            if self.tracker.may_miss_records() {
                return Poll::Ready(Err(Failure::last(out_of_order())));
            }
            let Some(record) = record else { return Poll::Ready(Ok(false)) };
            if self.is_merged() && self.tracker.arrivals_from.is_none() {
                self.tracker.arrivals_from = self.arrivals_from(plan);
            }
            if self.tracker.accept(record) {
                return Poll::Ready(Ok(true));
            }
            self.source.take_front();
        }
    }

    fn reopen(&mut self, plan: &Plan<T>) -> Result<(), Error> {
        self.began = Instant::now();
        (self.source, self.tracker) = open(plan, self.from.as_ref(), self.resume.as_mut())?;
        Ok(())
    }

    /// Reads the listing again, starting before the last returned record. Called if the service has
    /// rejected a request, because the request's cursor may have expired.
    ///
    /// If no record has been returned since the listing was started or resumed, returns `refusal`,
    /// unless the listing was resumed at a cursor from its checkpoint.
    ///
    /// A listing that can be filtered by time is read again by time. From then on, its result relies
    /// on the order by time, so a page out of order, earlier or later, ends it with an error.
    fn begin_again(&mut self, plan: &Plan<T>, refusal: Error) -> Result<(), Failure> {
        let by_time = self.tracker.ordered && plan.listing.time_range.is_some();
        if self.tracker.has_begun && by_time && self.source.time_order().is_violated {
            self.tracker.position.time_order.is_relied_on = true;
            return Err(Failure::last(out_of_order().caused_by(refusal)));
        }
        let begun_again = match &mut self.resume {
            _ if self.tracker.has_begun => {
                let mut position = self.position(plan);
                if let Some(position) = &mut position {
                    position.time_order.is_relied_on |= by_time;
                }
                Self::begin(plan, position).map(|reading| *self = reading)
            }
            Some(resume) if resume.begins_at_page() => match resume.restart_earlier() {
                Verdict::Refuse(error) => Err(error),
                _ => self.reopen(plan),
            },
            _ => {
                self.reopen(plan)?;
                return Err(refusal.into());
            }
        };
        if let Err(error) = begun_again {
            return Err(error.caused_by(refusal).into());
        }
        let operation = plan.start.call.operation.id();
        tracing::info!(
            operation,
            "the service rejected a cursor; reading the listing again, from just before the last \
             record that was read"
        );
        Ok(())
    }

    /// The earliest `created_at` of a record that may still appear in one of several merged
    /// listings after that listing has been read to its end. `None` unless the order is ascending.
    fn arrivals_from(&self, plan: &Plan<T>) -> Option<DateTime<Utc>> {
        if plan.is_ascending() != Some(true) {
            return None;
        }
        let read_for = TimeDelta::from_std(self.began.elapsed()).ok()?;
        let now = plan.start.sender.shared.clock.now();
        let from = now.checked_sub_signed(read_for)?.checked_sub_signed(ARRIVES_WITHIN);
        // A delayed response has an old `Date`, so the calculated time may be too early. Records
        // from before the resumed position aren't remembered, so that position's time is the
        // minimum.
        from.max(self.from.as_ref().and_then(|from| from.created_at))
    }

    /// The position after the last record that has been returned.
    pub(super) fn position(&self, plan: &Plan<T>) -> Option<Position> {
        let mut position = if self.tracker.has_begun {
            let place = self.source.place().unwrap_or_default();
            self.tracker.position(&place, plan.listing.time_range.is_some())
        } else {
            self.from.clone()?
        };
        position.time_order.is_violated |= self.tracker.position.time_order.is_violated;
        Some(position)
    }

    /// Whether the records are merged from several listings.
    pub(super) fn is_merged(&self) -> bool {
        self.tracker.position.merged_listings > 1
    }

    /// Whether all records returned so far are from the first page of a single listing.
    pub(super) fn is_one_page(&self) -> bool {
        self.source.place().is_some_and(|place| place.cursor.is_none())
    }
}

/// Opens a listing at a position. Returns the source of the records, and a tracker that is set to
/// the position.
fn open<T: Record>(
    plan: &Plan<T>,
    from: Option<&Position>,
    mut resume: Option<&mut Resume>,
) -> Result<(Box<dyn RecordSource<T>>, Tracker), Error> {
    let (source, parts) = plan.source(resume.as_deref_mut())?;
    let mut tracker = from.cloned().map(Tracker::at).unwrap_or_default();
    tracker.ordered = plan.is_ascending().is_some();
    tracker.position.merged_listings = parts;
    match resume {
        Some(resume) => {
            resume.is_sequential = source.place().is_some();
            tracker.position.time_order = resume.time_order();
        }
        None => tracker.position.started_at_cursor = plan.start.call.cursor().is_some(),
    }
    Ok((source, tracker))
}
