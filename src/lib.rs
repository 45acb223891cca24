#![doc = include_str!("../README.md")]
// `build.rs` sets this for a description that covers only part of a service.
#![cfg_attr(unused_parts, allow(dead_code, unused_imports, unused_macros))]

#[cfg(not(any(feature = "rustls", feature = "native-tls", feature = "rustls-no-provider")))]
compile_error!(
    "digital-assets needs TLS: enable one of the features `rustls`, `native-tls` and \
     `rustls-no-provider`"
);

mod auth;
pub use auth::{AccessToken, AuthStyle, ClientCredentials, TokenSource};
#[cfg(feature = "private-key-jwt")]
pub use auth::{PemSigner, Signer};
mod call;
pub use call::CallOptions;
mod client;
pub use client::{Client, ClientBuilder};
mod decode;
pub use decode::ResponseValue;
mod error;
pub use error::{Error, ErrorKind, Problem};
mod future;
pub use future::BoxFuture;
mod generated;
pub use generated::{builder, types};
mod http;
pub use http::HttpTransport;
mod json;
mod listing;
pub use listing::{
    Change, Checkpoint, Follow, FollowCheckpoint, Following, Id, Items, Page, Pages, Record, Timed,
};
mod lock;
mod operation;
pub use operation::Operation;
mod retry;
pub use retry::Retry;
#[cfg(feature = "sandbox")]
pub mod sandbox;
mod validate;
#[allow(dead_code, reason = "the description decides which fields there are")]
mod value_builder;

// Their types are in the crate's own signatures.
pub use chrono;
pub use reqwest;
pub use serde_json;
pub use uuid;

/// The description as published, OpenAPI 3.0.3 in YAML.
pub const OPENAPI_YAML: &str = include_str!("../openapi.yaml");
