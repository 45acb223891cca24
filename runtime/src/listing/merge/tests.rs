//! Tests that the number of polls in a merge grows with the number of records, but not with the
//! number of listings.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use super::Merge;
use crate::{
    Error,
    listing::{
        position::TimeOrder,
        record_source::RecordSource,
        tests::{Entry, next},
    },
};

/// A listing that needs one request per record, and counts how often it is polled.
struct Counted {
    next: i64,
    end: i64,
    step: i64,
    is_in_flight: bool,
    front: Option<Entry>,
    polls: Arc<AtomicUsize>,
}

impl RecordSource<Entry> for Counted {
    fn time_order(&self) -> TimeOrder {
        TimeOrder::default()
    }

    fn poll_front(&mut self, cx: &mut Context<'_>, may_ask: bool) -> Poll<Result<bool, Error>> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        if self.next >= self.end {
            return Poll::Ready(Ok(false));
        }
        if !self.is_in_flight {
            self.is_in_flight = may_ask;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.is_in_flight = false;
        self.next += self.step;
        self.front = Some(Entry(None, Some(self.next)));
        Poll::Ready(Ok(true))
    }

    fn front(&self) -> Option<&Entry> {
        self.front.as_ref()
    }

    fn take_front(&mut self) -> Option<Entry> {
        self.front.take()
    }

    fn poll_in_flight(&mut self, _: &mut Context<'_>) {
        self.polls.fetch_add(1, Ordering::Relaxed);
    }

    fn is_in_flight(&self) -> bool {
        self.is_in_flight
    }
}

const EACH: usize = 20;

/// The average number of polls per record when `parts` listings are merged.
async fn polls_per_record(parts: usize, concurrency: usize) -> usize {
    let polls = Arc::new(AtomicUsize::new(0));
    let step = i64::try_from(parts).unwrap();
    let end = step * i64::try_from(EACH).unwrap();
    let source = |part| {
        let (next, polls) = (part, Arc::clone(&polls));
        Box::new(Counted { next, end, step, is_in_flight: false, front: None, polls })
            as Box<dyn RecordSource<Entry>>
    };
    let mut merge = Merge::new((0..step).map(source).collect(), Some(true), concurrency);
    let (mut records, mut last) = (0, None);
    while let Some(record) = next(&mut merge).await {
        let Entry(_, time) = record.unwrap();
        assert!(last <= time);
        (records, last) = (records + 1, time);
    }
    assert_eq!(records, parts * EACH);
    polls.load(Ordering::Relaxed) / records
}

#[tokio::test]
async fn a_merge_of_four_times_as_many_parts_polls_none_of_them_more_often() {
    for concurrency in [1, 8] {
        let few = polls_per_record(100, concurrency).await;
        let many = polls_per_record(400, concurrency).await;

        assert!(many <= few + 1 && many < 8, "{few} and {many} polls per record");
    }
}
