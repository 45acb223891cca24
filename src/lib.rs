//! A client for a digital assets service, generated from its OpenAPI description.
//!
//! ```no_run
//! use digital_assets::{Client, Error};
//!
//! # async fn example() -> Result<(), Error> {
//! let client = Client::from_env()?;
//! let mut addresses = client.list_deposit_addresses().networks(["SOLANA"]).items();
//! while let Some(address) = addresses.next().await {
//!     println!("{}", address?.address);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Where to begin:
//!
//! - [`Client`] has a method for each operation. [`Client::builder`] and [`ClientBuilder`]
//!   configure it.
//! - [`builder`] has the parameters of each operation, and [`types`] its records and values.
//! - [`Items`] is a stream of a listing's records, and [`Pages`] is a stream of its pages.
//! - [`Error`] and [`ErrorKind`] say what went wrong and what to do.
//! - [`ClientCredentials`] lists the ways to authenticate.
//! - `sandbox` is an in-memory version of the service, for tests (feature `sandbox`).

mod client;
pub use client::{Client, ClientBuilder};
mod generated;
pub use generated::{builder, operation, types};
#[cfg(feature = "sandbox")]
pub mod sandbox;

// These types come from the runtime crate, which is the same for every service.
#[doc(inline)]
pub use oas_client::{
    AccessToken, AuthStyle, BoxFuture, CallOptions, Change, Checkpoint, ClientCredentials,
    Environment, Error, ErrorKind, Follow, FollowCheckpoint, Following, HttpTransport, Id, Items,
    Operation, Pages, Problem, Record, RejectedValue, ResponseValue, Retry, Timed, TokenSource,
};
#[cfg(feature = "private-key-jwt")]
#[doc(inline)]
pub use oas_client::{PemSigner, Signer};

// The public functions and types of this crate use types from these crates.
pub use oas_client::{chrono, http, reqwest, serde_json, tower_layer, tower_service, uuid};

/// The published OpenAPI 3.0.3 description of the service, in YAML.
pub const OPENAPI_YAML: &str = include_str!("../openapi.yaml");

/// Includes the README as documentation, so that the README's examples are compiled as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
