//! Access to the records. Only inserted records are stored; every other record is generated on
//! demand, as a pure function of the seed and the record's number.

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

/// A filter: the name of its parameter, and a function that returns the field to compare.
pub type Compared<R> = (&'static str, fn(&R) -> Field<'_>);

/// The value of a record's field, for comparison with the values of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field<'a> {
    /// An identifier, or `None` if the record doesn't have this field.
    Id(Option<Uuid>),
    /// A string, or `None` if the record doesn't have this field.
    Text(Option<&'a str>),
}

/// A kind of record that the sandbox generates, filters and lists.
pub trait Listed: Clone + Send + Sync + 'static {
    /// The service's data, which contains the collection of these records.
    type Data: Data;

    /// The topic of the random numbers used to generate the records' identifiers.
    const ID: Topic;

    /// The listing's filters, except the filters by creation time.
    const FILTERS: &'static [Compared<Self>];

    /// Whether the sandbox counts all matching records when it serves the first page of a listing.
    const COUNTED: bool = false;

    /// Returns the collection that contains the records of this kind.
    fn collection(data: &Self::Data) -> &Collection<Self>;

    /// Generates the outline of a record. The outline contains only the fields that filters
    /// compare. This function has to be fast, because it is called for every record that a listing
    /// examines.
    fn outline(service: &Service<Self::Data>, number: u64) -> Self;

    /// Completes the outline of a record by filling in the other fields.
    #[must_use]
    fn finish(self, service: &Service<Self::Data>, number: u64, created_at: DateTime<Utc>) -> Self;

    /// The record's identifier and creation time.
    fn key(&self) -> (Uuid, DateTime<Utc>);

    /// Returns the record with one enum field set to a value that the OpenAPI description doesn't
    /// list.
    #[must_use]
    fn with_unknown_value(self) -> Self;

    /// Returns the body of a page with these records. `next` is the cursor of the next page.
    /// `total` is the number of matching records, if they are [counted](Self::COUNTED).
    fn page(records: Vec<Self>, next: Option<String>, total: u32) -> impl Serialize;

    /// Checks a request for a listing of these records, after the request has been checked against
    /// the OpenAPI description. The default implementation accepts every request.
    ///
    /// # Errors
    ///
    /// A rejection that says why the request is invalid.
    fn check(_: &Service<Self::Data>, _: &Parameters) -> Result<(), Rejection> {
        Ok(())
    }
}

impl<D: Data> Service<D> {
    /// Returns the identifier for this topic and number. The identifier is generated, unless the
    /// number is 0 and the OpenAPI description's examples contain an identifier for the topic.
    pub fn id(&self, topic: Topic, number: u64) -> Uuid {
        let example = self.data.examples().get(&topic).filter(|_| number == 0);
        example.copied().unwrap_or_else(|| random::id(self.settings.seed, topic, number))
    }

    /// Returns the number for which [`id`](Self::id) returns this identifier, or `None` if there is
    /// no such number.
    pub fn number(&self, topic: Topic, id: Uuid) -> Option<u64> {
        let number = random::index_of(self.settings.seed, topic, id);
        if self.data.examples().get(&topic) == Some(&id) { Some(0) } else { number }
    }

    /// Returns a random number generator. Its numbers depend only on the seed, the topic and the
    /// index.
    pub fn random(&self, topic: Topic, index: u64) -> Random {
        Random::new(self.settings.seed, topic, index)
    }

    /// Returns the complete record for a slot.
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

    /// Returns the record with this identifier, if it exists.
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

    /// Returns the index of the record with this identifier, even if the record hasn't been added
    /// yet.
    fn index_of<R: Listed<Data = D>>(&self, id: Uuid) -> Option<u64> {
        R::collection(&self.data).timeline.index(self.number(R::ID, id)?)
    }

    /// Returns all current records of a kind, newest first.
    pub fn all<R: Listed<Data = D>>(
        self: &Arc<Self>,
    ) -> impl DoubleEndedIterator<Item = R> + use<R, D> {
        let service = Arc::clone(self);
        let slots =
            R::collection(&service.data).slice(&(Nanoseconds::MIN..=Nanoseconds::MAX), None, false);
        slots.rev().map(move |slot| service.record(&slot))
    }
}
