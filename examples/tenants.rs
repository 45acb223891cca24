//! Serves many tenants. Each tenant has its own credentials and tokens, and all tenants share the
//! connections of one client.
//!
//! ```console
//! cargo run -p integration-tests --example tenants
//! ```

#![allow(clippy::print_stdout)]

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use digital_assets::{Client, ClientCredentials, Error, sandbox::Sandbox};

pub(crate) struct Tenants {
    shared: Client,
    token_url: String,
    clients: Mutex<HashMap<String, Client>>,
}

impl Tenants {
    pub(crate) fn new(base_url: &str, token_url: &str) -> Result<Self, Error> {
        let shared = Client::builder(base_url).build()?;
        Ok(Self { shared, token_url: token_url.to_owned(), clients: Mutex::default() })
    }

    /// Returns the tenant's client. Later calls with the same `id` return a clone of this client,
    /// so the tenant's tokens are reused.
    pub(crate) fn client(&self, id: &str, secret: impl FnOnce() -> String) -> Client {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let credentials = ClientCredentials::new(&self.token_url, id, secret());
            self.shared.with_credentials(credentials)
        };
        clients.entry(id.to_owned()).or_insert_with(new).clone()
    }

    /// Removes a tenant together with its tokens.
    pub(crate) fn remove(&self, id: &str) {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let scopes = ["transfer:read_deposit_address"];
    let sandbox = Sandbox::builder().client("north", "sesame", scopes);
    let sandbox = sandbox.client("south", "barley", scopes).start().await?;
    let tenants = Tenants::new(sandbox.base_url(), sandbox.token_url())?;
    for (id, secret) in [("north", "sesame"), ("south", "barley"), ("north", "sesame")] {
        let client = tenants.client(id, || secret.to_owned());
        let page = client.list_deposit_addresses().limit(10).send().await?;
        println!("{id}: {} addresses", page.items.len());
    }
    println!("{} tokens", sandbox.token_requests());
    tenants.remove("south");
    Ok(())
}
