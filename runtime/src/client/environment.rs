//! Builds clients from environment variables.

use std::{env, iter};

use super::{Client, ClientBuilder};
use crate::{ClientCredentials, Error, operation::Service};

/// Builds a client from four environment variables, whose names are this prefix followed by
/// `_BASE_URL`, `_AUTH_URL` (the token endpoint), `_CLIENT_ID` and `_CLIENT_SECRET`.
///
/// # Errors
///
/// `Configuration` if a variable is missing or empty, or if [`build`](ClientBuilder::build) rejects
/// an address. The message names all missing and empty variables.
pub fn from_env<C: From<Client>>(service: &'static Service, prefix: &str) -> Result<C, Error> {
    let names = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"]
        .map(|name| format!("{prefix}_{name}"));
    let values = names.each_ref().map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
    let [Some(base_url), Some(auth_url), Some(id), Some(secret)] = values else {
        let missing: Vec<&str> = iter::zip(&names, &values)
            .filter_map(|(name, value)| value.is_none().then_some(name.as_str()))
            .collect();
        return Err(Error::configuration(format!(
            "missing environment variables: {}",
            missing.join(", ")
        )));
    };
    let credentials = ClientCredentials::new(auth_url, id, secret);
    ClientBuilder::new(service, base_url).credentials(credentials).build()
}
