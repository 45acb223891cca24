#![doc = include_str!("../README.md")]

mod client;
pub use client::{Client, ClientBuilder};
mod generated;
pub use generated::{builder, operation, types};
#[cfg(feature = "sandbox")]
pub mod sandbox;

// What runs is the same for every service.
#[doc(inline)]
pub use oas_client::{
    AccessToken, AuthStyle, BoxFuture, CallOptions, Change, Checkpoint, ClientCredentials, Error,
    ErrorKind, Follow, FollowCheckpoint, Following, HttpTransport, Id, Items, Operation, Page,
    Pages, Problem, Record, ResponseValue, Retry, Timed, TokenSource,
};
#[cfg(feature = "private-key-jwt")]
#[doc(inline)]
pub use oas_client::{PemSigner, Signer};

// Their types are in the crate's own signatures.
pub use oas_client::{chrono, http, reqwest, serde_json, tower_layer, tower_service, uuid};

/// The description as published, OpenAPI 3.0.3 in YAML.
pub const OPENAPI_YAML: &str = include_str!("../openapi.yaml");
