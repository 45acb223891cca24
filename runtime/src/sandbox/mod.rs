//! An engine for in-memory services, for use in tests.
//!
//! The engine provides a token endpoint, fault injection and control routes. It checks requests
//! against an OpenAPI description, and divides listings into pages. The package of each service
//! defines the service's records and the functions that carry out its requests.

mod clients;
mod collection;
mod control;
mod cursor;
mod data;
mod fault;
mod handle;
mod listing;
mod newtype;
mod parameters;
mod problem;
#[cfg(feature = "private-key-jwt")]
mod public_key;
mod random;
mod recent;
mod request;
mod routes;
mod server;
mod service;
mod settings;
mod times;
mod tokens;

pub use self::{fault::Fault, request::Request, server::SandboxService, times::Times};

/// The parts of the engine that a service's package uses.
#[doc(hidden)]
pub mod engine {
    pub use axum;

    pub use super::{
        clients::Clients,
        collection::Collection,
        control::insert,
        data::{Compared, Field, Listed},
        handle::Handle,
        listing::list,
        parameters::{Parameters, not_found, uuid},
        problem::{Rejection, ok},
        random::{Random, Topic},
        recent::{Recent, keep},
        request::json_body,
        service::{Call, Data, Route, Service},
        settings::Settings,
    };
    pub use crate::{__sandbox as sandbox, lock::lock, validate::json};
}
