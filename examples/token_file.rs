//! Reads the token from a file that another program keeps up to date.
//!
//! ```console
//! cargo run -p integration-tests --example token_file
//! ```

#![allow(clippy::print_stdout)]

use std::{fs, path::PathBuf, time::Duration};

use digital_assets::{
    AccessToken, BoxFuture, Client, Error, TokenSource, reqwest, sandbox::Sandbox, serde_json,
};

/// How long the client uses a token before it reads the file again. After a 401, the client reads
/// the file at once.
const READ_AGAIN: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct TokenFile(pub(crate) PathBuf);

impl TokenSource for TokenFile {
    /// Ignores the scopes, because the program that writes the file has already chosen them. If the
    /// file is missing or empty, calls retry until their deadline.
    fn token<'a>(&'a self, _scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            let token = fs::read_to_string(&self.0).map_err(Error::token_from);
            match token.map_err(Error::retryable)?.trim() {
                "" => Err(Error::token("the token file is empty").retryable()),
                token => Ok(AccessToken::new(token).expires_in(READ_AGAIN)),
            }
        })
    }
}

/// Requests a token, as the other program would.
pub(crate) async fn new_token(sandbox: &Sandbox) -> Result<String, Box<dyn std::error::Error>> {
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", sandbox.client_id()),
        ("client_secret", sandbox.client_secret()),
        ("scope", "transfer:read_deposit_address"),
    ];
    let response = reqwest::Client::new().post(sandbox.token_url()).form(&form).send().await?;
    let grant: serde_json::Value = response.error_for_status()?.json().await?;
    Ok(grant["access_token"].as_str().ok_or("no token")?.to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start().await?;
    let file = std::env::temp_dir().join(format!("token-{}", std::process::id()));
    fs::write(&file, new_token(&sandbox).await?)?;
    let client =
        Client::builder(sandbox.base_url()).credentials(TokenFile(file.clone())).build()?;
    let page = client.list_deposit_addresses().limit(10).send().await?;
    println!("{} addresses", page.items.len());
    fs::remove_file(file)?;
    Ok(())
}
