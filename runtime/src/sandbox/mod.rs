//! The engine of a service in memory, for tests.
//!
//! The engine has a token endpoint, the operations of an OpenAPI description with their checks and
//! pages, faults on demand, and control routes. The service's package defines the records, and the
//! functions that carry out requests.

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
