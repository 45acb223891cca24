//! Several listings as one, in the order of their records' times.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};

use crate::{Error, Record, listing::prefetch::Strand, listing::windows::Sweep};

/// One of the merged listings.
pub(crate) enum Child<T> {
    Strand(Box<Strand<T>>),
    Sweep(Box<Sweep<T>>),
}

impl<T: Record> Child<T> {
    fn is_asking(&self) -> bool {
        match self {
            Self::Strand(strand) => strand.is_asking(),
            Self::Sweep(sweep) => sweep.is_asking(),
        }
    }

    /// Where the last record stands, if that can be asked for.
    pub(crate) fn place(&self) -> (Option<&str>, usize) {
        match self {
            Self::Strand(strand) => strand.place(),
            Self::Sweep(_) => (None, 0),
        }
    }

    /// Returns whether what it asked for has arrived.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Strand(strand) => strand.poll_ahead(cx),
            Self::Sweep(sweep) => {
                sweep.poll_ahead(cx);
                false
            }
        }
    }

    pub(crate) fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>> {
        match self {
            Self::Strand(strand) => strand.poll_record(cx, may_ask),
            Self::Sweep(sweep) => sweep.poll_record(cx),
        }
    }
}

pub(crate) struct Merge<T> {
    children: Vec<Child<T>>,
    /// The next record of each, in their order.
    heads: BTreeMap<(Option<DateTime<Utc>>, usize), T>,
    /// Those that have none at the moment, and may have another.
    headless: Vec<usize>,
    /// None where there is no order to merge in: one comes after the other.
    ascending: Option<bool>,
    /// Those that have asked for something, and how many may.
    asking: BTreeSet<usize>,
    most: usize,
    /// Records of the time that is handed out now: one that two parts list comes once.
    time: Option<DateTime<Utc>>,
    handed: HashSet<String>,
}

impl<T: Record> Merge<T> {
    pub(crate) fn new(children: Vec<Child<T>>, ascending: Option<bool>, most: usize) -> Self {
        Self {
            headless: (0..children.len()).collect(),
            children,
            heads: BTreeMap::new(),
            ascending,
            asking: BTreeSet::new(),
            most,
            time: None,
            handed: HashSet::new(),
        }
    }

    /// The records of the time that is handed out now.
    pub(crate) fn handed(&self) -> &HashSet<String> {
        &self.handed
    }

    pub(crate) fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        // Also while there are records enough: what nobody polls runs out of time.
        self.poll_ahead(cx);
        loop {
            let refused = match self.poll_heads(cx) {
                Ok(refused) => refused,
                Err(error) => return Poll::Ready(Some(Err(error))),
            };
            if !self.headless.is_empty() {
                // A place became free behind the one that had none, or what another fetched ahead
                // has arrived and takes up none any more.
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

    /// Fills in what is missing. Returns whether one had to be refused a request.
    fn poll_heads(&mut self, cx: &mut Context<'_>) -> Result<bool, Error> {
        let (mut place, mut refused) = (0, false);
        while let Some(&of) = self.headless.get(place) {
            let may_ask = self.asking.len() < self.most;
            match self.poll_child(of, |child| child.poll_record(cx, may_ask)) {
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
                    refused |= !may_ask && !self.children[of].is_asking();
                    place += 1;
                }
            }
        }
        Ok(refused)
    }

    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        let mut arrived = false;
        let asking: Vec<usize> = self.asking.iter().copied().collect();
        for of in asking {
            arrived |= self.poll_child(of, |child| child.poll_ahead(cx));
        }
        arrived
    }

    /// Polls one, and counts what it asks.
    fn poll_child<R>(&mut self, of: usize, poll: impl FnOnce(&mut Child<T>) -> R) -> R {
        let child = &mut self.children[of];
        let before = child.is_asking();
        let polled = poll(child);
        match (before, child.is_asking()) {
            (false, true) => _ = self.asking.insert(of),
            (true, false) => _ = self.asking.remove(&of),
            _ => {}
        }
        polled
    }
}
