//! In-memory services, for use in tests.
//!
//! A [`Sandbox`] has a token endpoint, checks requests against the OpenAPI description, divides
//! listings into pages, and makes requests fail on demand (see [`Fault`]). The package of a client
//! defines the records and the routes of its service.
//!
//! # Make a sandbox for your service
//!
//! Write these parts in a module of your client's package, for example in `src/sandbox.rs`. The
//! package's feature `sandbox` enables the module, and the feature `sandbox` of `oas-client`.
//!
//! 1. A type for the records of the service. For each listing, it contains a [`Collection`].
//! 2. An implementation of [`Data`] for this type. Its table [`ROUTES`](Data::ROUTES) has a
//!    [`Route`] for each operation: the operation, the parameters in its description, and the
//!    function that carries out its requests.
//! 3. An implementation of [`Listed`] for each kind of record that a listing returns. The function
//!    [`list`] then carries out the listing's requests: filters, order, time bounds, pages and
//!    cursors work as `x-pagination` in the description says.
//! 4. A function for each other operation. It gets a [`Call`], and returns [`ok`] with the body of
//!    the response, or a [`Rejection`].
//! 5. An alias for the sandbox: `pub type Sandbox = oas_client::sandbox::Sandbox<Parcels>;`
//!
//! The README of this package shows a whole sandbox, in less than 60 lines, and a test that uses
//! it.
//!
//! Only records with a UUID and a creation time can be [`Listed`]. If the records of a listing have
//! other identifiers or no time, write a function that returns their pages.
//!
//! # Records
//!
//! Only inserted records are stored. Every other record is generated when it is requested, as a
//! pure function of the sandbox's seed and the record's number, so a million records take no more
//! memory than ten.
//!
//! # Control routes
//!
//! A sandbox that listens on a port has these routes, besides the operations of the service, for
//! tests in any language. [`Data::control`] adds routes to them.
//!
//! | route | does |
//! |---|---|
//! | `POST /oauth2/token` | issues an access token for client credentials |
//! | `GET /sandbox` | returns the number of requests to each operation, and the values of [`Data::state`] |
//! | `GET /sandbox/openapi.yaml` | returns [`Data::CONTROL_YAML`] |
//! | `POST /sandbox/faults` | queues a fault: `{"operation": "listParcels", "fault": {"kind": "status", "status": 503}, "times": 1}`; the operation `token` means token requests |
//! | `DELETE /sandbox/faults` | removes all queued faults |
//! | `DELETE /sandbox/tokens` | invalidates all tokens |
//! | `GET /sandbox/requests` | returns the last 10,000 requests |

mod builder;
mod clients;
mod collection;
mod control;
mod cursor;
mod data;
mod fault;
mod handle;
mod listing;
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

pub use axum;

pub use self::{
    builder::SandboxBuilder,
    collection::Collection,
    control::insert,
    data::{Call, Compared, Data, Field, Listed, Route, Serve},
    fault::Fault,
    handle::Sandbox,
    listing::list,
    parameters::{Parameters, not_found, uuid},
    problem::{Rejection, ok},
    random::{Random, Topic},
    recent::Recent,
    request::{Request, check_body, json_body},
    server::SandboxService,
    settings::Settings,
    times::Times,
};
