//! Adds members safely: a request that may have been applied is never repeated, even after a crash.
//!
//! ```console
//! cargo run -p integration-tests --example add_members
//! ```

#![allow(clippy::print_stdout)]

use std::io::Write;

use digital_assets::{
    Client, Error,
    sandbox::Sandbox,
    types::{AddInstitutionMembersRequest, InstitutionMember, InstitutionMemberToAdd},
};

/// The result of a request to add members, as far as it is known.
#[derive(Debug)]
pub(crate) enum Outcome {
    Added(Vec<InstitutionMember>),
    /// Nothing was added. The same request can be sent again.
    Unchanged(Error),
    /// The members may have been added. Check with the service before you send the request again.
    Unknown(Error),
}

/// Adds members, and writes a line to the journal before and after the request. If the second line
/// is missing after a crash, the outcome is `Unknown`.
pub(crate) async fn add(
    client: &Client,
    (number, request): (u64, AddInstitutionMembersRequest),
    journal: &mut impl Write,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    // If the journal were a file, it would also be synced to disk here.
    writeln!(journal, "{number} {}", serde_json::to_string(&request)?)?;
    journal.flush()?;
    let outcome = match client.add_institution_members().body(request).send().await {
        Ok(response) => Outcome::Added(response.into_inner().members),
        Err(error) if error.may_have_been_applied() => Outcome::Unknown(error),
        Err(error) => Outcome::Unchanged(error),
    };
    match &outcome {
        Outcome::Added(members) => writeln!(journal, "{number} added {}", members.len())?,
        Outcome::Unchanged(error) => writeln!(journal, "{number} unchanged: {error}")?,
        Outcome::Unknown(error) => writeln!(journal, "{number} unknown: {error}")?,
    }
    Ok(outcome)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::builder().build();
    let roles = vec!["TRUSTEE".to_owned()];
    let members = vec![InstitutionMemberToAdd { identity_id: sandbox.identity_id(), roles }];
    let request =
        AddInstitutionMembersRequest { institution_id: sandbox.institution_id(), members };
    let outcome = add(&sandbox.client()?, (1, request), &mut std::io::stdout()).await?;
    println!("{outcome:?}");
    Ok(())
}
