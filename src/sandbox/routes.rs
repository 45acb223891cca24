//! The sandbox's routes for the operations, and the control routes for this service's records.

use std::sync::Arc;

use oas_client::sandbox::{
    Data, Rejection, Route, Settings, Topic,
    axum::{
        Router,
        extract::{Path, State},
        response::Response,
        routing::{get, post},
    },
    insert, list, not_found, ok, uuid,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    options::Options,
    records::{Records, institution, profiles, settle},
};
use crate::{
    Client, builder, operation,
    types::{DepositAddress, MonitoringAddress, QuoteExecution},
};

/// The OpenAPI 3.0.3 description of the control routes under `/sandbox`, in YAML.
pub const CONTROL_YAML: &str = include_str!("control.yaml");

macro_rules! routes {
    ($($operation:ident, $builder:ident => $serve:expr,)*) => {
        &[$(Route::new(operation::$operation, builder::$builder::PARAMETERS, $serve)),*]
    };
}

const ROUTES: &[Route<Records>] = routes! {
    LIST_QUOTE_EXECUTIONS, ListQuoteExecutions => list::<QuoteExecution>,
    LIST_MONITORING_ADDRESSES, ListMonitoringAddresses => list::<MonitoringAddress>,
    LIST_DEPOSIT_ADDRESSES, ListDepositAddresses => list::<DepositAddress>,
    ADD_INSTITUTION_MEMBERS, AddInstitutionMembers => super::member::add,
};

impl Data for Records {
    type Client = Client;
    type Options = Options;

    const ROUTES: &'static [Route<Self>] = ROUTES;
    const CONTROL_YAML: Option<&'static str> = Some(CONTROL_YAML);

    fn new(options: &Options) -> Self {
        Self::new(options)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn control() -> Router<Arc<Self>> {
        Router::new()
            .route("/sandbox/quote-executions", post(insert::<QuoteExecution>))
            .route("/sandbox/quote-executions/{id}/settle", post(settled))
            .route("/sandbox/monitoring-addresses", post(insert::<MonitoringAddress>))
            .route("/sandbox/deposit-addresses", post(insert::<DepositAddress>))
            .route("/sandbox/members", get(members))
    }

    fn state(&self) -> Map<String, Value> {
        let mut state = Map::new();
        state.insert("profile_ids".to_owned(), json!(profiles(self)));
        state.insert("institution_id".to_owned(), json!(institution(self)));
        state
    }

    fn example(&self, topic: Topic) -> Option<Uuid> {
        self.examples.get(&topic).copied()
    }
}

async fn settled(
    State(records): State<Arc<Records>>,
    Path(id): Path<String>,
) -> Result<Response, Rejection> {
    let settled = uuid(&id).and_then(|id| settle(&records, id));
    ok(&settled.ok_or_else(|| not_found("quote execution"))?)
}

async fn members(State(records): State<Arc<Records>>) -> Result<Response, Rejection> {
    ok(&json!({ "members": records.members() }))
}
