//! Uses a proxy and a private certificate authority for the service and its token endpoint.
//!
//! ```console
//! cargo run -p integration-tests --example network
//! ```

#![allow(clippy::print_stdout)]

use std::{error::Error, fs, path::PathBuf, time::Duration};

use digital_assets::{
    Client, ClientCredentials,
    reqwest::{self, Certificate, Proxy, redirect::Policy},
    sandbox::Sandbox,
};

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) proxy: String,
    /// The path of a PEM file. Only the certificate authorities in this file are trusted.
    pub(crate) authorities: PathBuf,
}

impl Network {
    fn http_client(&self) -> Result<reqwest::Client, Failure> {
        let http = reqwest::Client::builder().redirect(Policy::none());
        let http = http.connect_timeout(Duration::from_secs(5)).proxy(Proxy::all(&self.proxy)?);
        let authorities = Certificate::from_pem_bundle(&fs::read(&self.authorities)?)?;
        Ok(http.tls_certs_only(authorities).build()?)
    }

    /// Builds a client that reloads the authorities every hour, so that the file can be replaced.
    pub(crate) fn client(
        &self,
        base_url: &str,
        credentials: ClientCredentials,
    ) -> Result<Client, digital_assets::Error> {
        let (service, tokens, hour) = (self.clone(), self.clone(), Duration::from_secs(3_600));
        let credentials = credentials.http_client_from(move || tokens.http_client());
        Client::builder(base_url)
            .http_client_from(move || service.http_client())
            .connection_lifetime(hour)
            .credentials(credentials.connection_lifetime(hour))
            .build()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    // The sandbox also accepts requests that are addressed to a proxy, so it plays the proxy here.
    let (sandbox, authorities) = (Sandbox::start().await?, std::env::temp_dir().join("ca.pem"));
    fs::write(&authorities, rcgen::generate_simple_self_signed(["ca".to_owned()])?.cert.pem())?;
    let network = Network { proxy: sandbox.base_url().to_owned(), authorities };
    let client = network.client("http://127.0.0.1:9", sandbox.credentials())?;
    let page = client.list_deposit_addresses().limit(10).send().await?;
    println!("{} addresses", page.items.len());
    Ok(())
}
