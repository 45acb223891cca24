//! A client for the parcel service.

mod generated {
    use crate::Client;

    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}
pub use generated::{builder, operation, types};

oas_client::client! {
    /// A client for the parcel service.
    pub struct Client;
    const ENV_PREFIX = "PARCELS";
}

#[cfg(feature = "sandbox")]
pub mod sandbox;

// The types of the runtime that programs name.
pub use oas_client::{
    AccessToken, AuthStyle, BoxFuture, CallOptions, Change, Checkpoint, ClientCredentials,
    Environment, Error, ErrorKind, Follow, FollowCheckpoint, Following, HttpTransport, Id, Items,
    Operation, Pages, Problem, Record, RejectedValue, ResponseValue, Retry, Timed, TokenSource,
};
#[cfg(feature = "private-key-jwt")]
pub use oas_client::{PemSigner, Signer};
pub use oas_client::{chrono, http, reqwest, serde_json, tower_layer, tower_service, uuid};
