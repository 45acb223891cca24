//! The client for a parcel service, generated from its OpenAPI description.

mod generated {
    #![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::use_self)]
    #![allow(clippy::or_fun_call, elided_lifetimes_in_paths, unused_qualifications)]
    use crate::Client;

    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}
pub use generated::{builder, operation, types};
pub use oas_client::{
    CallOptions, ClientCredentials, Environment, Error, ErrorKind, Operation, Retry, chrono,
    serde_json, uuid,
};

oas_client::client! {
    /// A client of the parcel service.
    pub struct Client;
    const ENV_PREFIX = "PARCELS";
}
