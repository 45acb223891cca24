//! The records. Only inserted records are stored; every other record is a pure function of the seed
//! and its number.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{
    collection::{Collection, Slot},
    parameters::Parameters,
    problem::Rejection,
    random::{self, Random, Topic},
    service::{Data, Service},
    times::{Nanoseconds, nanoseconds, time},
};

/// A filter: its parameter, and the field that it compares.
pub type Compared<R> = (&'static str, fn(&R) -> Field<'_>);

/// A field of a record, as a filter compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field<'a> {
    /// An identifier.
    Id(Option<Uuid>),
    /// A string.
    Text(Option<&'a str>),
}

/// A kind of record: how a record is generated from its number, and how the records are filtered
/// and listed.
pub trait Listed: Clone + Send + Sync + 'static {
    /// The data of the service.
    type Data: Data;

    /// The topic from which the records' identifiers are generated.
    const ID: Topic;

    /// The listing's filters, except those by time.
    const FILTERS: &'static [Compared<Self>];

    /// Whether the sandbox counts all matching records when it serves the first page.
    const COUNTED: bool = false;

    /// The collection of these records.
    fn collection(data: &Self::Data) -> &Collection<Self>;

    /// The outline of a record, which has only the fields that filters compare. This function has
    /// to be fast, because a listing generates the outline of every record.
    fn outline(service: &Service<Self::Data>, number: u64) -> Self;

    /// The whole record, completed from its outline.
    #[must_use]
    fn finish(self, service: &Service<Self::Data>, number: u64, created_at: DateTime<Utc>) -> Self;

    /// The record's identifier and creation time.
    fn key(&self) -> (Uuid, DateTime<Utc>);

    /// The record, but with an enum value that the OpenAPI description doesn't list.
    #[must_use]
    fn with_unknown_value(self) -> Self;

    /// A page of these records. `next` is the cursor of the next page, and `total` the number of
    /// matching records, if they are [counted](Self::COUNTED).
    fn page(records: Vec<Self>, next: Option<String>, total: u32) -> impl Serialize;

    /// Checks a listing's request for this kind of record, in addition to the checks from the
    /// OpenAPI description.
    ///
    /// # Errors
    ///
    /// The reason why the request is rejected.
    fn check(_: &Service<Self::Data>, _: &Parameters) -> Result<(), Rejection> {
        Ok(())
    }
}

impl<D: Data> Service<D> {
    /// The identifier with this number in a topic.
    pub fn id(&self, topic: Topic, number: u64) -> Uuid {
        let example = self.data.examples().get(&topic).filter(|_| number == 0);
        example.copied().unwrap_or_else(|| random::id(self.settings.seed, topic, number))
    }

    /// The number that an identifier has in a topic. `None` if the sandbox didn't generate the
    /// identifier.
    pub fn number(&self, topic: Topic, id: Uuid) -> Option<u64> {
        let number = random::index_of(self.settings.seed, topic, id);
        if self.data.examples().get(&topic) == Some(&id) { Some(0) } else { number }
    }

    /// The sequence of random numbers for this index in a topic.
    pub fn random(&self, topic: Topic, index: u64) -> Random {
        Random::new(self.settings.seed, topic, index)
    }

    /// The record in a slot.
    pub(super) fn record<R: Listed<Data = D>>(&self, slot: &Slot<R>) -> R {
        match slot {
            Slot::Made(index) => {
                let timeline = &R::collection(&self.data).timeline;
                let number = timeline.number(*index);
                R::outline(self, number).finish(self, number, time(timeline.at(*index)))
            }
            Slot::Inserted(_, record) => R::clone(record),
        }
    }

    /// The record with this identifier, if there is one.
    pub fn find<R: Listed<Data = D>>(&self, id: Uuid) -> Option<R> {
        let slot = R::collection(&self.data).find(id, self.index_of::<R>(id))?;
        Some(self.record(&slot))
    }

    /// Inserts a record, or replaces the record with the same identifier.
    pub fn insert<R: Listed<Data = D>>(&self, record: R) {
        let (id, created_at) = record.key();
        R::collection(&self.data).insert(
            id,
            nanoseconds(created_at),
            self.index_of::<R>(id),
            record,
        );
    }

    /// The index whose record has this identifier, even if that record hasn't been added yet.
    fn index_of<R: Listed<Data = D>>(&self, id: Uuid) -> Option<u64> {
        R::collection(&self.data).timeline.index(self.number(R::ID, id)?)
    }

    /// All current records of a kind, the newest first.
    pub fn all<R: Listed<Data = D>>(
        self: &Arc<Self>,
    ) -> impl DoubleEndedIterator<Item = R> + use<R, D> {
        let service = Arc::clone(self);
        let slots =
            R::collection(&service.data).slice(&(Nanoseconds::MIN..=Nanoseconds::MAX), None, false);
        slots.rev().map(move |slot| service.record(&slot))
    }
}
