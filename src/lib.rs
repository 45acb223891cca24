#![doc = include_str!("../README.md")]

#[cfg(not(any(feature = "rustls", feature = "native-tls", feature = "rustls-no-provider")))]
compile_error!(
    "digital-assets needs TLS: enable one of the features `rustls`, `native-tls` and \
     `rustls-no-provider`"
);

mod call;
mod check;
mod checkpoint;
pub use checkpoint::Checkpoint;
mod client;
pub use client::{Client, ClientBuilder};
mod credentials;
pub use credentials::{AccessToken, AuthStyle, BoxFuture, ClientCredentials, TokenSource};
mod decimal;
mod decode;
mod error;
pub use error::{Error, ErrorKind};
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod generated;
pub use generated::{Operation, builder, types};
mod items;
pub use items::Items;
mod limit;
mod listing;
mod merge;
mod open_enum;
mod page;
pub use page::{Id, Page, Pages, Record, Timed};
mod path;
mod problem;
pub use problem::Problem;
mod retry;
pub use retry::Retry;
#[cfg(feature = "sandbox")]
pub mod sandbox;
mod split;
mod strand;
mod sweep;
mod token;
mod tolerant;
mod walk;

pub use progenitor_client::ResponseValue;

/// The description as published, OpenAPI 3.0.3 in YAML.
pub const OPENAPI_YAML: &str = include_str!("../openapi.yaml");
