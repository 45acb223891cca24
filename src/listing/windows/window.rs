//! A stretch of keys that is walked, waits to be, or has been.

use std::collections::VecDeque;

use super::time_key::{Density, Key};
use crate::{
    Error,
    listing::pager::{Batch, Pager},
};

pub(super) struct Window<T> {
    /// Belongs to it.
    pub(super) from: Key,
    pub(super) until: Key,
    /// Whether `until` is the pinned end, which belongs to it.
    pub(super) last: bool,
    pub(super) state: State<T>,
    pub(super) records: VecDeque<T>,
    /// How many more it was cut to hold.
    pub(super) expected: usize,
    /// The last key of the page before.
    pub(super) reached: Key,
}

pub(super) enum State<T> {
    /// Not asked for, and to be cut into windows.
    Uncut(Density),
    Idle(Box<Pager<Batch<T>>>),
    Asking(u64),
    Failed(Box<Pager<Batch<T>>>, Error),
    Done,
}

impl<T> Window<T> {
    pub(super) fn new(from: Key, until: Key, last: bool, state: State<T>) -> Self {
        Self { from, until, last, state, records: VecDeque::new(), expected: 0, reached: Key::MIN }
    }

    pub(super) fn owns(&self, key: Key) -> bool {
        self.from <= key && self.reaches(key)
    }

    /// Whether its end is behind the key.
    pub(super) fn reaches(&self, key: Key) -> bool {
        key < self.until || (self.last && key == self.until)
    }
}
