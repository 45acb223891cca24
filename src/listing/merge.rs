//! Several listings merged into one, in the order of their records' times.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};

use super::source::{Place, Source};
use crate::{Error, Record};

pub(crate) struct Merge<T> {
    sources: Vec<Box<dyn Source<T>>>,
    /// The next record of each source, by time.
    heads: BTreeMap<(Option<DateTime<Utc>>, usize), T>,
    /// The sources whose next record isn't known yet.
    headless: Vec<usize>,
    /// `None` if there is no order to merge in: one source comes after the other.
    ascending: Option<bool>,
    /// The sources with a request under way, and how many may have one.
    asking: BTreeSet<usize>,
    most: usize,
    /// What was handed out of the current time: a record that two sources list comes once.
    time: Option<DateTime<Utc>>,
    handed: HashSet<String>,
}

impl<T: Record> Merge<T> {
    pub(crate) fn new(
        sources: Vec<Box<dyn Source<T>>>,
        ascending: Option<bool>,
        most: usize,
    ) -> Self {
        Self {
            headless: (0..sources.len()).collect(),
            sources,
            heads: BTreeMap::new(),
            ascending,
            asking: BTreeSet::new(),
            most,
            time: None,
            handed: HashSet::new(),
        }
    }

    /// Polls the sources without a head. Returns whether one of them wasn't allowed a request.
    fn poll_heads(&mut self, cx: &mut Context<'_>) -> Result<bool, Error> {
        let (mut place, mut refused) = (0, false);
        while let Some(&of) = self.headless.get(place) {
            let may_ask = self.asking.len() < self.most;
            match self.poll_source(of, |source| source.poll_record(cx, may_ask)) {
                Poll::Ready(Some(record)) => {
                    let record = record?;
                    let time = self.ascending.and_then(|_| record.created_at());
                    self.heads.insert((time, of), record);
                    self.headless.swap_remove(place);
                }
                Poll::Ready(None) => {
                    self.headless.swap_remove(place);
                }
                Poll::Pending => {
                    refused |= !may_ask && !self.sources[of].is_asking();
                    place += 1;
                }
            }
        }
        Ok(refused)
    }

    /// Polls one source, and keeps count of those with a request under way.
    fn poll_source<R>(&mut self, of: usize, poll: impl FnOnce(&mut dyn Source<T>) -> R) -> R {
        let source = &mut *self.sources[of];
        let before = source.is_asking();
        let polled = poll(source);
        match (before, source.is_asking()) {
            (false, true) => _ = self.asking.insert(of),
            (true, false) => _ = self.asking.remove(&of),
            _ => {}
        }
        polled
    }
}

impl<T: Record> Source<T> for Merge<T> {
    fn poll_record(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<Option<Result<T, Error>>> {
        // Even if there are enough records: a request that nobody polls runs into its timeout.
        self.poll_ahead(cx);
        loop {
            let refused = match self.poll_heads(cx) {
                Ok(refused) => refused,
                Err(error) => return Poll::Ready(Some(Err(error))),
            };
            if !self.headless.is_empty() {
                // A request has ended since one was refused, or a page fetched ahead has arrived:
                // either way another request is allowed now.
                if (refused && self.asking.len() < self.most) || self.poll_ahead(cx) {
                    continue;
                }
                return Poll::Pending;
            }
            let first = match self.ascending {
                Some(false) => self.heads.pop_last(),
                _ => self.heads.pop_first(),
            };
            let Some(((time, of), record)) = first else { return Poll::Ready(None) };
            self.headless.push(of);
            if time != self.time {
                self.time = time;
                self.handed.clear();
            }
            let new = record.id().is_none_or(|id| self.handed.insert(id.to_string()));
            if new {
                return Poll::Ready(Some(Ok(record)));
            }
        }
    }

    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        let mut arrived = false;
        let asking: Vec<usize> = self.asking.iter().copied().collect();
        for of in asking {
            arrived |= self.poll_source(of, |source| source.poll_ahead(cx));
        }
        arrived
    }

    fn is_asking(&self) -> bool {
        !self.asking.is_empty()
    }

    fn place(&self) -> Place<'_> {
        Place { handed: Some(&self.handed), ..Place::default() }
    }
}
