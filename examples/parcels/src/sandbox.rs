//! An in-memory version of the parcel service, for tests.

use chrono::{DateTime, Utc};
use oas_client::sandbox::{
    Collection, Compared, Data, Field, Listed, Route, Settings, Topic, list,
};
pub use oas_client::sandbox::{Fault, Request, SandboxService, Times};
use serde::Serialize;
use uuid::Uuid;

use crate::types::{PageMeta, Parcel, ParcelPage, ParcelState};
use crate::{Client, builder, operation};

pub type Sandbox = oas_client::sandbox::Sandbox<Parcels>;
pub struct Parcels(Settings, Collection<Parcel>);

impl Data for Parcels {
    type Client = Client;
    type Options = Settings;

    const ROUTES: &'static [Route<Self>] =
        &[Route::new(operation::LIST_PARCELS, builder::ListParcels::PARAMETERS, list::<Parcel>)];

    fn new(settings: &Settings) -> Self {
        Self(settings.clone(), Collection::new(settings, 1_000))
    }
    fn settings(&self) -> &Settings {
        &self.0
    }
}

impl Listed for Parcel {
    type Data = Parcels;

    const ID: Topic = Topic(1);
    const FILTERS: &'static [Compared<Self>] = &[
        ("state", |parcel| Field::Text(Some(parcel.state.as_str()))),
        ("depots", |parcel| Field::Text(parcel.depot.as_deref())),
    ];

    fn collection(parcels: &Parcels) -> &Collection<Self> {
        &parcels.1
    }
    fn outline(parcels: &Parcels, number: u64) -> Self {
        let state = parcels.random(Topic(2), number).pick(ParcelState::KNOWN).clone();
        let id = parcels.id(Self::ID, number);
        Self { id, state, depot: None, note: None, booked_at: DateTime::UNIX_EPOCH }
    }
    fn finish(self, _: &Parcels, _: u64, booked_at: DateTime<Utc>) -> Self {
        Self { booked_at, ..self }
    }
    fn key(&self) -> (Uuid, DateTime<Utc>) {
        (self.id, self.booked_at)
    }
    fn page(data: Vec<Self>, next: Option<String>, _: u32) -> impl Serialize {
        ParcelPage { data, meta: PageMeta { next } }
    }
}
