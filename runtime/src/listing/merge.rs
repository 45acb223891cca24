//! Merges several listings into one, ordered by the records' times. If two listings contain the
//! same record, the merge returns that record twice, possibly with other records from the same time
//! in between.

use std::{
    collections::{BTreeSet, VecDeque},
    task::{Context, Poll, ready},
};

use chrono::{DateTime, Utc};

use super::{position::TimeOrder, record_source::RecordSource};
use crate::{Error, Record};

pub(crate) struct Merge<T> {
    sources: Vec<Box<dyn RecordSource<T>>>,
    /// The sources whose next record is known, sorted by that record's time.
    heads: BTreeSet<(Option<DateTime<Utc>>, usize)>,
    /// The indexes of the sources that are being polled for their next record.
    headless: Vec<usize>,
    /// The indexes of the sources that have to wait before they may send a request for their next
    /// record.
    waiting: VecDeque<usize>,
    /// Whether the order by time is ascending. If `None`, the sources are read one after the other.
    ascending: Option<bool>,
    /// The indexes of the sources that have a request in flight.
    in_flight: BTreeSet<usize>,
    /// The maximum number of sources that may have a request in flight.
    max_in_flight: usize,
    time_order: TimeOrder,
}

impl<T: Record> Merge<T> {
    pub(crate) fn new(
        sources: Vec<Box<dyn RecordSource<T>>>,
        ascending: Option<bool>,
        max_in_flight: usize,
    ) -> Self {
        Self {
            headless: Vec::new(),
            waiting: (0..sources.len()).collect(),
            sources,
            heads: BTreeSet::new(),
            ascending,
            in_flight: BTreeSet::new(),
            max_in_flight,
            time_order: TimeOrder::default(),
        }
    }

    /// Polls each source whose next record isn't known, until that record has arrived or the source
    /// has ended. If a source may not send a request yet, the source is polled again when another
    /// source's request finishes and wakes the task.
    fn poll_heads(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut index = 0;
        loop {
            let may_ask = self.in_flight.len() < self.max_in_flight;
            if index == self.headless.len() && may_ask {
                self.headless.extend(self.waiting.pop_front());
            }
            let Some(&source) = self.headless.get(index) else { break };
            let polled = self.sources[source].poll_front(cx, may_ask);
            self.polled(source);
            match polled {
                Poll::Ready(has_front) => {
                    has_front?;
                    if let Some(record) = self.sources[source].front() {
                        let time = self.ascending.and_then(|_| record.created_at());
                        self.heads.insert((time, source));
                    }
                    self.headless.swap_remove(index);
                }
                Poll::Pending if self.in_flight.contains(&source) => index += 1,
                Poll::Pending => self.waiting.push_back(self.headless.swap_remove(index)),
            }
        }
        let is_over = self.headless.is_empty() && self.waiting.is_empty();
        if is_over { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// The source whose next record is next in the merge.
    fn first(&self) -> Option<&(Option<DateTime<Utc>>, usize)> {
        if self.ascending == Some(false) { self.heads.last() } else { self.heads.first() }
    }

    /// Updates `in_flight` and `time_order` after a source was polled.
    fn polled(&mut self, source: usize) {
        self.time_order.add(self.sources[source].time_order());
        if self.sources[source].is_in_flight() {
            self.in_flight.insert(source);
        } else {
            self.in_flight.remove(&source);
        }
    }
}

impl<T: Record> RecordSource<T> for Merge<T> {
    fn poll_front(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<Result<bool, Error>> {
        // Polls the requests in flight even if enough records are ready, because a request that
        // isn't polled times out.
        self.poll_in_flight(cx);
        ready!(self.poll_heads(cx))?;
        Poll::Ready(Ok(self.first().is_some()))
    }

    fn front(&self) -> Option<&T> {
        let (_, source) = self.first()?;
        self.sources[*source].front()
    }

    fn take_front(&mut self) -> Option<T> {
        let head = *self.first()?;
        self.heads.remove(&head);
        self.headless.push(head.1);
        self.sources[head.1].take_front()
    }

    fn poll_in_flight(&mut self, cx: &mut Context<'_>) {
        for source in self.in_flight.clone() {
            self.sources[source].poll_in_flight(cx);
            self.polled(source);
        }
    }

    fn time_order(&self) -> TimeOrder {
        self.time_order
    }

    fn is_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }
}

#[cfg(test)]
mod tests;
