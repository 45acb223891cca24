//! The service that is exported from.

use std::env;

use digital_assets::{Client, sandbox::Sandbox};

use super::Result;

pub(crate) struct Place {
    pub(crate) client: Client,
    /// Where the records come from, in an export's checkpoint.
    pub(crate) service: String,
    /// The profile to export where none is named.
    pub(crate) profile: Option<String>,
    /// Runs as long as it is held.
    _sandbox: Option<Sandbox>,
}

impl Place {
    /// The service that the environment names, or else a sandbox.
    pub(crate) async fn find() -> Result<Self> {
        let of_client = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"];
        let is_set = |name| env::var_os(format!("DIGITAL_ASSETS_{name}")).is_some();
        if of_client.into_iter().any(is_set) {
            let profile = env::var("DIGITAL_ASSETS_PROFILE_ID").ok();
            let (client, url) = (Client::from_env()?, env::var("DIGITAL_ASSETS_BASE_URL")?);
            let service = url.trim_end_matches('/').to_owned();
            return Ok(Self { client, service, profile, _sandbox: None });
        }
        eprintln!("no DIGITAL_ASSETS_* in the environment: this is a sandbox with made-up records");
        // The same records in every run, so that one can go on where another stopped.
        let sandbox = Sandbox::builder().executions(200_000).seed(1).start().await?;
        let profile = Some(sandbox.profile_id().to_string());
        let (client, service) = (sandbox.client()?, "the sandbox".to_owned());
        Ok(Self { client, service, profile, _sandbox: Some(sandbox) })
    }
}
