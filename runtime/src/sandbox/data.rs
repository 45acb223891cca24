//! The parts of a sandbox that each service defines itself.

use std::{fmt, sync::Arc};

use axum::{Router, body::Bytes, http::HeaderMap, response::Response};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    collection::{Collection, Slot},
    fault::Fault,
    parameters::Parameters,
    problem::Rejection,
    random::{self, Random, Topic},
    settings::Settings,
    times::{Nanoseconds, nanoseconds, time},
};
use crate::{GeneratedClient, Operation, call::Parameter};

/// The parts of a sandbox that each service defines itself: its records and its routes.
///
/// A [`Sandbox`](super::Sandbox) dereferences to this type. If the type has methods, they can be
/// called on the sandbox.
pub trait Data: Send + Sync + Sized + 'static {
    /// The client of the service.
    type Client: GeneratedClient;

    /// The options with which a sandbox is made. Use [`Settings`] if your sandbox needs no options
    /// of its own. If it does, use a type that contains the [`Settings`].
    ///
    /// A [`SandboxBuilder`](super::SandboxBuilder) dereferences to this type.
    type Options: From<Settings> + AsMut<Settings> + Clone + fmt::Debug + Send;

    /// The routes of the service, one per operation. Requests to an operation without a route get a
    /// 404.
    const ROUTES: &'static [Route<Self>];

    /// The OpenAPI description of the control routes, in YAML, which the sandbox returns for
    /// `/sandbox/openapi.yaml`.
    const CONTROL_YAML: Option<&'static str> = None;

    /// Creates the initial records.
    fn new(options: &Self::Options) -> Self;

    /// Returns the settings in the options that were passed to [`new`](Self::new).
    fn settings(&self) -> &Settings;

    /// Returns the control routes that are specific to this service. By default, there are none.
    fn control() -> Router<Arc<Self>> {
        Router::new()
    }

    /// Returns the values that this service adds to the response of the control route `/sandbox`.
    /// By default, there are none.
    fn state(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns the first identifier of a topic, for example the one from an example in the OpenAPI
    /// description. By default, every identifier is generated.
    fn example(&self, _: Topic) -> Option<Uuid> {
        None
    }

    /// Returns the identifier for this topic and number. The identifier is generated, unless the
    /// number is 0 and the topic has an [`example`](Self::example).
    fn id(&self, topic: Topic, number: u64) -> Uuid {
        let example = self.example(topic).filter(|_| number == 0);
        example.unwrap_or_else(|| random::id(self.settings().seed, topic, number))
    }

    /// Returns the number for which [`id`](Self::id) returns this identifier, or `None` if there is
    /// no such number.
    fn number(&self, topic: Topic, id: Uuid) -> Option<u64> {
        let number = random::index_of(self.settings().seed, topic, id);
        if self.example(topic) == Some(id) { Some(0) } else { number }
    }

    /// Returns a random number generator. Its numbers depend only on the seed, the topic and the
    /// index.
    fn random(&self, topic: Topic, index: u64) -> Random {
        Random::new(self.settings().seed, topic, index)
    }

    /// Returns the record with this identifier, if it exists.
    fn find<R: Listed<Data = Self>>(&self, id: Uuid) -> Option<R> {
        let slot = R::collection(self).find(id, index_of::<R>(self, id))?;
        Some(record(self, &slot))
    }

    /// Inserts a record, or replaces the record with the same identifier.
    fn insert<R: Listed<Data = Self>>(&self, record: R) {
        let (id, created_at) = record.key();
        let index = index_of::<R>(self, id);
        R::collection(self).insert(id, nanoseconds(created_at), index, record);
    }

    /// Returns all current records of a kind, newest first.
    fn all<R: Listed<Data = Self>>(&self) -> impl DoubleEndedIterator<Item = R> {
        let slots = R::collection(self).slice(&(Nanoseconds::MIN..=Nanoseconds::MAX), None, false);
        slots.rev().map(|slot| record(self, &slot))
    }
}

/// Returns the complete record for a slot.
pub(super) fn record<R: Listed>(data: &R::Data, slot: &Slot<R>) -> R {
    match slot {
        Slot::Made(index) => {
            let timeline = &R::collection(data).timeline;
            let number = timeline.number(*index);
            R::outline(data, number).finish(data, number, time(timeline.at(*index)))
        }
        Slot::Inserted(_, record) => R::clone(record),
    }
}

/// Returns the index of the record with this identifier, even if the record hasn't been added yet.
fn index_of<R: Listed>(data: &R::Data, id: Uuid) -> Option<u64> {
    R::collection(data).timeline.index(data.number(R::ID, id)?)
}

/// An operation, with its parameters and the function that carries out its requests.
#[allow(missing_debug_implementations, reason = "functions have no useful `Debug` output")]
pub struct Route<D> {
    pub(super) operation: Operation,
    pub(super) parameters: &'static [Parameter],
    pub(super) serve: Serve<D>,
}

impl<D> Route<D> {
    /// Creates the route of an operation. `parameters` is the constant `PARAMETERS` of the
    /// operation's builder. `serve` is called only if the token and the parameters are valid.
    pub const fn new(
        operation: Operation,
        parameters: &'static [Parameter],
        serve: Serve<D>,
    ) -> Self {
        Self { operation, parameters, serve }
    }
}

/// A function that carries out a request, such as [`list`](super::list).
pub type Serve<D> = fn(&Call<'_, D>) -> Result<Response, Rejection>;

/// A request that is ready to be carried out: its token and its parameters are valid.
#[allow(missing_debug_implementations, reason = "`Debug` would print every record")]
pub struct Call<'a, D> {
    /// The records of the service.
    pub data: &'a D,
    /// The operation that the request calls.
    pub operation: Operation,
    /// The request's path and query parameters.
    pub parameters: Parameters,
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The request's body.
    pub body: &'a Bytes,
    /// The fault that applies to the request, if there is one.
    pub fault: Option<&'a Fault>,
}

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
    fn outline(data: &Self::Data, number: u64) -> Self;

    /// Completes the outline of a record by filling in the other fields.
    #[must_use]
    fn finish(self, data: &Self::Data, number: u64, created_at: DateTime<Utc>) -> Self;

    /// The record's identifier and creation time.
    fn key(&self) -> (Uuid, DateTime<Utc>);

    /// Returns the record with one enum field set to a value that the OpenAPI description doesn't
    /// list, for [`Fault::UnknownEnumValue`]. By default, returns the record unchanged.
    #[must_use]
    fn with_unknown_value(self) -> Self {
        self
    }

    /// Returns the body of a page with these records. `next` is the cursor of the next page.
    /// `total` is the number of matching records, if they are [counted](Self::COUNTED).
    fn page(records: Vec<Self>, next: Option<String>, total: u32) -> impl Serialize;

    /// Checks a request for a listing of these records, after the request has been checked against
    /// the OpenAPI description. The default implementation accepts every request.
    ///
    /// # Errors
    ///
    /// A rejection that says why the request is invalid.
    fn check(_: &Self::Data, _: &Parameters) -> Result<(), Rejection> {
        Ok(())
    }
}
