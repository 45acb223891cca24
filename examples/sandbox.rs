//! Serves the sandbox until Ctrl-C, and prints what points a client of any language at it.

#![allow(clippy::print_stdout)]

use std::{env, error::Error, io, time::Duration};

use digital_assets::sandbox::Sandbox;
use tokio::signal::ctrl_c;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use uuid::uuid;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let executions = number("EXECUTIONS", 5_000)?;
    let lifetime = Duration::from_secs(number("TOKEN_LIFETIME", 3_600)?);
    let port = number("PORT", 0)?.try_into()?;
    let sandbox = Sandbox::builder().executions(executions).token_lifetime(lifetime).port(port);
    let sandbox = sandbox.start().await?;

    println!("export DIGITAL_ASSETS_BASE_URL={}", sandbox.base_url());
    println!("export DIGITAL_ASSETS_AUTH_URL={}", sandbox.token_url());
    println!("export DIGITAL_ASSETS_CLIENT_ID={}", sandbox.client_id());
    println!("export DIGITAL_ASSETS_CLIENT_SECRET={}", sandbox.client_secret());
    println!("export DIGITAL_ASSETS_PROFILE_ID={}", sandbox.profile_id());
    println!("export DIGITAL_ASSETS_INSTITUTION_ID={}", sandbox.institution_id());
    println!("export DIGITAL_ASSETS_IDENTITY_ID={}", uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"));

    stopped().await?;
    Ok(())
}

/// Waits for Ctrl-C, or to be asked to end.
#[cfg(unix)]
async fn stopped() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn stopped() -> io::Result<()> {
    ctrl_c().await
}

/// A setting of the environment, `SANDBOX_…`.
fn number(name: &str, default: u64) -> Result<u64, Box<dyn Error>> {
    match env::var(format!("SANDBOX_{name}")) {
        Ok(value) => Ok(value.parse().map_err(|_| format!("SANDBOX_{name} is not a number"))?),
        Err(_) => Ok(default),
    }
}
