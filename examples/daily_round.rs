//! Runs once a day. Each run returns the records that are new, have arrived late, or have changed
//! since the last run.
//!
//! ```console
//! cargo run -p integration-tests --example daily_round
//! ```

#![allow(clippy::print_stdout)]

use std::{error::Error, fs, io::ErrorKind, path::Path, time::Duration};

use digital_assets::{Change, Client, Follow, sandbox::Sandbox, types::QuoteExecution};

/// How long a record may take to become visible in the listing. Executions that aren't settled are
/// requested again, however old they are.
const OVERLAP: Duration = Duration::from_secs(3_600);

pub(crate) async fn round(
    client: &Client,
    profile: &str,
    kept: &Path,
) -> Result<Vec<Change<QuoteExecution>>, Box<dyn Error>> {
    let executions = client.list_quote_executions().profile_id(profile).limit(1_000).items();
    let mut changes = executions.follow(Follow::once().overlap(OVERLAP));
    match fs::read(kept) {
        Ok(checkpoint) => changes = changes.resume(serde_json::from_slice(&checkpoint)?),
        // Without a checkpoint, the round returns all records.
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let mut round = Vec::new();
    while let Some(change) = changes.next().await {
        // If a round fails, no checkpoint is saved, so the next run returns the same records again.
        round.push(change?);
    }
    // With a database, commit the records and the checkpoint in one transaction.
    fs::write(kept.with_extension("new"), serde_json::to_vec(&changes.checkpoint())?)?;
    fs::rename(kept.with_extension("new"), kept)?;
    Ok(round)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start().await?;
    let profile = sandbox.profile_id().to_string();
    for change in round(&sandbox.client()?, &profile, Path::new("daily-round.json")).await? {
        match change {
            Change::New(execution) => println!("new      {}", execution.id),
            Change::Changed(execution) => {
                println!("changed  {} {}", execution.id, execution.status);
            }
        }
    }
    Ok(())
}
