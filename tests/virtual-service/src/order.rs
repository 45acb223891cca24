//! The order in which a service lists its records.

use std::hash::{DefaultHasher, Hash, Hasher};

use fastrand::Rng;

use crate::{query::Query, service::Service, time::Rounding};

/// The order of records that sort at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The order is reversed if the request's direction is reversed.
    Turn,
    /// The order is the same in both directions.
    Stay,
    /// The order differs for each filter and time bound, as in an SQL query without a tie-break.
    OfFilter,
}

/// A record's sort key. No two records have the same key.
pub(crate) type Place = (i128, u64, usize);

/// The properties of a request that affect the sort keys of all records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Order {
    pub(crate) is_ascending: bool,
    filter: u64,
}

impl Order {
    pub(crate) fn of(service: &Service, query: &Query) -> Self {
        let mut filter: Vec<_> = query.filter().collect();
        filter.retain(|_| service.ties == Ties::OfFilter);
        filter.sort_unstable();
        let mut hash = DefaultHasher::new();
        filter.hash(&mut hash);
        let is_ascending = service.always_ascending.unwrap_or_else(|| query.is_ascending());
        Self { is_ascending, filter: hash.finish() }
    }
}

impl Service {
    pub(crate) fn place(&self, number: usize, order: Order) -> Place {
        let mut of_record = Rng::with_seed(number as u64);
        let among_ties = match self.ties {
            Ties::OfFilter => Rng::with_seed(order.filter ^ of_record.u64(..)).u64(..),
            _ if self.ordered > 1 => of_record.u64(..),
            _ => number as u64,
        };
        let record = &self.records[number];
        let unit = Rounding::Down(self.ordered).of(record.place.unwrap_or(record.created));
        let is_astray = of_record.usize(..self.astray) == 0;
        let stands = unit + if is_astray { of_record.i128(0..=self.nearly) } else { 0 };
        match (order.is_ascending, self.ties) {
            (true, _) => (stands, among_ties, number),
            (false, Ties::Turn) => (-stands, !among_ties, number),
            (false, _) => (-stands, among_ties, number),
        }
    }

    /// Returns the greatest distance in nanoseconds between a record's sort time and its creation
    /// time.
    pub(crate) fn disorder(&self) -> i128 {
        self.ordered + self.nearly
    }
}
