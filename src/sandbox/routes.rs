//! The sandbox's routes for the operations, and the control routes for this service's records.

use std::{collections::BTreeMap, sync::Arc};

use oas_client::{
    Operation,
    codegen::sandbox::{
        Data, Rejection, Route, Settings, Topic,
        axum::{
            Router,
            extract::{Path, State},
            response::Response,
            routing::{get, post},
        },
        insert, list, lock, not_found, ok, uuid,
    },
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::records::{Counts, Records, Service, institution, profiles, settle};
use crate::{
    builder, operation,
    types::{DepositAddress, MonitoringAddress, QuoteExecution},
};

/// The OpenAPI 3.0.3 description of the control routes under `/sandbox`, in YAML.
pub const CONTROL_YAML: &str = include_str!("control.yaml");

macro_rules! routes {
    ($($operation:ident, $builder:ident => $serve:expr,)*) => {
        &[$(Route {
            operation: operation::$operation,
            parameters: builder::$builder::PARAMETERS,
            serve: $serve,
        }),*]
    };
}

static ROUTES: &[Route<Records>] = routes! {
    LIST_QUOTE_EXECUTIONS, ListQuoteExecutions => list::<QuoteExecution>,
    LIST_MONITORING_ADDRESSES, ListMonitoringAddresses => list::<MonitoringAddress>,
    LIST_DEPOSIT_ADDRESSES, ListDepositAddresses => list::<DepositAddress>,
    ADD_INSTITUTION_MEMBERS, AddInstitutionMembers => super::member::add,
};

impl Data for Records {
    type Counts = Counts;

    const OPERATIONS: &'static [Operation] = operation::ALL;
    const CONTROL_YAML: &'static str = CONTROL_YAML;

    fn new(counts: Counts, settings: &Settings) -> Self {
        Self::new(&counts, settings)
    }

    fn routes() -> &'static [Route<Self>] {
        ROUTES
    }

    fn control() -> Router<Arc<Service>> {
        Router::new()
            .route("/sandbox/quote-executions", post(insert::<QuoteExecution>))
            .route("/sandbox/quote-executions/{id}/settle", post(settled))
            .route("/sandbox/monitoring-addresses", post(insert::<MonitoringAddress>))
            .route("/sandbox/deposit-addresses", post(insert::<DepositAddress>))
            .route("/sandbox/members", get(members))
    }

    fn state(service: &Service) -> Map<String, Value> {
        let mut state = Map::new();
        state.insert("profile_ids".to_owned(), json!(profiles(service)));
        state.insert("institution_id".to_owned(), json!(institution(service)));
        state
    }

    fn examples(&self) -> &BTreeMap<Topic, Uuid> {
        &self.examples
    }
}

async fn settled(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Response, Rejection> {
    let settled = uuid(&id).and_then(|id| settle(&service, id));
    ok(&settled.ok_or_else(|| not_found("quote execution"))?)
}

async fn members(State(service): State<Arc<Service>>) -> Result<Response, Rejection> {
    ok(&json!({ "members": &*lock(&service.data.members) }))
}
