//! The runtime library for clients that [`oas-client-build`] generates from OpenAPI descriptions:
//! OAuth tokens, validation of requests, retries, rate limits, pagination and errors.
//!
//! Programs depend on the generated client, which re-exports the items that they need. In the
//! repository, `runtime/README.md` shows how to build such a client.
//!
//! [`oas-client-build`]: https://docs.rs/oas-client-build

#[cfg(not(any(feature = "rustls", feature = "native-tls", feature = "rustls-no-provider")))]
compile_error!(
    "the client needs TLS: enable one of its features `rustls`, `native-tls` or \
     `rustls-no-provider`"
);

mod auth;
pub use auth::{AccessToken, AuthStyle, ClientCredentials, TokenSource};
#[cfg(feature = "private-key-jwt")]
pub use auth::{PemSigner, Signer};
mod call;
pub use call::CallOptions;
mod client;
pub use client::{Client, ClientBuilder, Environment, GeneratedClient};
#[doc(hidden)]
pub mod codegen;
mod decode;
pub use decode::{Decimal, ResponseValue, Unknown};
mod error;
pub use error::{Error, ErrorKind, Problem, RejectedValue};
#[cfg(test)]
mod fixture;
mod future;
pub use future::BoxFuture;
mod transport;
pub use transport::HttpTransport;
mod json;
mod listing;
pub use listing::{
    Change, Checkpoint, Follow, FollowCheckpoint, Following, Id, Items, Pages, Record, Timed,
};
mod lock;
mod operation;
pub use operation::Operation;
mod raw_response;
mod retry;
pub use retry::Retry;
#[cfg(feature = "sandbox")]
pub mod sandbox;
mod validate;

// Re-exported, because public signatures contain types from these crates.
pub use ::http;
pub use {chrono, reqwest, serde_json, tower_layer, tower_service, uuid};
