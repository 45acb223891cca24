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
//!
//! Many of these types are the same for every service. The examples in their docs call an example
//! service that delivers parcels, with operations such as `list_parcels`. The operations of this
//! crate are called in the same way.
//!
//! The directory `examples` of the repository has programs for common tasks: an export that can be
//! resumed, a daily round, a web handler, a journal of POST requests, many tenants, tests with a
//! paused clock, and OpenTelemetry.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `rustls` (default) | TLS with rustls |
//! | `native-tls` | TLS with the platform's library |
//! | `rustls-no-provider` | TLS with rustls, and the crypto provider that the program installs |
//! | `http2` | HTTP/2, if the service supports it |
//! | `pattern` | checks of the keyword `pattern` in the OpenAPI description |
//! | `schemars` | a JSON Schema for every type in [`types`] |
//! | `sandbox` | the in-memory version of the service |
//! | `private-key-jwt` | authentication with a private key (RFC 7523) |
//! | `rust_decimal`, `bigdecimal` | exact conversions and sums of [`types::Decimal`] |
//!
//! One of the three TLS features is required.
//!
//! # Retries
//!
//! The client makes up to three attempts for a GET that fails temporarily, such as with a 503 or a
//! lost connection. It waits between them, at least as long as `Retry-After` says. It repeats a POST
//! only if the service certainly didn't apply it. See [`Retry`], and
//! [`Error::may_have_been_applied`] for the POST requests whose outcome is unknown.
//!
//! # Deadlines
//!
//! A call takes at most 60 s, with all its attempts and waits, and one attempt at most 15 s. Each
//! page of a listing is a call of its own. [`ClientBuilder::call_timeout`] and
//! [`CallOptions::call_timeout`] set other limits, for a client or for a single call.
//!
//! # Following
//!
//! [`Items::follow`] returns the records of a listing, and then polls for records that are new, late
//! or changed. A [`FollowCheckpoint`] continues in another process. See [`Follow`] and
//! [`Following`].
//!
//! # Tracing
//!
//! The client records a span for each call, each attempt and each token request, and events such as
//! `retrying`. [The docs of `Client`](Client#tracing) list all of them, with their fields and levels.
//!
//! # Re-exported crates
//!
//! The crate re-exports the crates whose types it uses. They have only the features that the client
//! needs. For `chrono::Utc::now`, for example, add `chrono` to your own dependencies, with its
//! feature `now`.

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
