//! Several listings as one, in the order of their records' times.

use std::{
    collections::HashSet,
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};

use crate::{Error, Record, strand::Strand, sweep::Sweep};

/// One of the merged listings.
pub(crate) enum Child<T> {
    Strand(Box<Strand<T>>),
    Sweep(Box<Sweep<T>>),
}

impl<T: Record> Child<T> {
    fn is_asking(&self) -> bool {
        match self {
            Self::Strand(strand) => strand.is_asking(),
            Self::Sweep(_) => false,
        }
    }

    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Strand(strand) => strand.poll_ahead(cx),
            Self::Sweep(_) => false,
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
    children: Vec<(Child<T>, Head<T>)>,
    ascending: bool,
    /// Requests under way at once.
    most: usize,
    /// Records of the time that is handed out now: one that two parts list comes once.
    time: Option<DateTime<Utc>>,
    handed: HashSet<String>,
}

enum Head<T> {
    None,
    Record(T),
    Over,
}

impl<T: Record> Merge<T> {
    pub(crate) fn new(children: Vec<Child<T>>, ascending: bool, most: usize) -> Self {
        let children = children.into_iter().map(|child| (child, Head::None)).collect();
        Self { children, ascending, most, time: None, handed: HashSet::new() }
    }

    /// The records of the time that is handed out now.
    pub(crate) fn handed(&self) -> &HashSet<String> {
        &self.handed
    }

    pub(crate) fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        loop {
            let mut asking = self.children.iter().filter(|(child, _)| child.is_asking()).count();
            let (mut waiting, mut refused) = (false, false);
            for (child, head) in &mut self.children {
                if !matches!(head, Head::None) {
                    continue;
                }
                let (was_asking, may_ask) = (child.is_asking(), asking < self.most);
                match child.poll_record(cx, may_ask) {
                    Poll::Ready(Some(Ok(record))) => *head = Head::Record(record),
                    Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                    Poll::Ready(None) => *head = Head::Over,
                    Poll::Pending => {
                        waiting = true;
                        refused |= !may_ask && !child.is_asking();
                    }
                }
                match (was_asking, child.is_asking()) {
                    (false, true) => asking += 1,
                    (true, false) => asking -= 1,
                    _ => {}
                }
            }
            if waiting {
                // A place became free behind the one that had none.
                if refused && asking < self.most {
                    continue;
                }
                // What others fetch ahead takes up places among those under way.
                let mut arrived = false;
                for (child, _) in &mut self.children {
                    arrived |= child.poll_ahead(cx);
                }
                if arrived {
                    continue;
                }
                return Poll::Pending;
            }
            let Some(record) = self.take_first() else { return Poll::Ready(None) };
            if record.created_at() != self.time {
                self.time = record.created_at();
                self.handed.clear();
            }
            let new = record.id().is_none_or(|id| self.handed.insert(id.to_string()));
            if new {
                return Poll::Ready(Some(Ok(record)));
            }
        }
    }

    /// The head that comes first; of equal ones that of the first part.
    fn take_first(&mut self) -> Option<T> {
        let ascending = self.ascending;
        let time = |head: &Head<T>| match head {
            Head::Record(record) => Some(record.created_at()),
            _ => None,
        };
        let first = self
            .children
            .iter_mut()
            .map(|(_, head)| head)
            .filter(|head| matches!(head, Head::Record(_)))
            .reduce(|first, other| {
                let sooner =
                    if ascending { time(other) < time(first) } else { time(other) > time(first) };
                if sooner { other } else { first }
            })?;
        match std::mem::replace(first, Head::None) {
            Head::Record(record) => Some(record),
            _ => None,
        }
    }
}
