//! Shows all operations, either on a sandbox or on the service that is configured in the
//! `DIGITAL_ASSETS_*` environment variables.

#![allow(clippy::print_stdout)]

mod table;

use std::{env, error::Error};

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::{
    Client, operation,
    sandbox::{Fault, Sandbox},
    serde_json,
    types::{
        self, AddInstitutionMembersRequest, CryptoNetwork, InstitutionMemberToAdd, Market,
        QuoteExecution, QuoteExecutionStatus,
    },
};
use rust_decimal::Decimal;
use table::{Table, at, short};
use uuid::{Uuid, uuid};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The maximum number of rows that are printed for a table. Further rows are only counted.
const SHOWN: usize = 5;

#[tokio::main]
async fn main() -> Result<()> {
    let place = Place::find().await?;
    println!("{}", place.name);

    let newest = newest_execution(&place).await?;
    if let Some(newest) = newest {
        quote_executions(&place, newest).await?;
    } else {
        println!("\nThe profile has no quote executions.");
    }
    monitoring_addresses(&place.client).await?;
    deposit_addresses(&place.client).await?;
    institution_members(&place).await?;
    refused_call(&place).await?;
    retried_call(&place).await
}

/// The service that the tour calls, and the profile whose records it shows.
struct Place {
    name: String,
    client: Client,
    profile: String,
    /// An institution, and an identity to add to it as a member. If `None`, the tour adds no
    /// members.
    members: Option<(Uuid, Uuid)>,
    /// The sandbox, which stops when this handle is dropped.
    sandbox: Option<Sandbox>,
}

impl Place {
    async fn find() -> Result<Self> {
        let variable = |name: &str| env::var(format!("DIGITAL_ASSETS_{name}")).ok();
        if env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with("DIGITAL_ASSETS_")) {
            let client = Client::from_env()?;
            let base_url = variable("BASE_URL").unwrap_or_default();
            let members = match (variable("INSTITUTION_ID"), variable("IDENTITY_ID")) {
                (Some(institution), Some(identity)) => {
                    Some((institution.parse()?, identity.parse()?))
                }
                _ => None,
            };
            return Ok(Self {
                name: format!("The service at {base_url}"),
                client,
                profile: variable("PROFILE_ID").ok_or("DIGITAL_ASSETS_PROFILE_ID is not set")?,
                members,
                sandbox: None,
            });
        }
        let sandbox = Sandbox::start().await?;
        Ok(Self {
            name: format!("A new sandbox at {}", sandbox.base_url()),
            client: sandbox.client()?,
            profile: sandbox.profile_id().to_string(),
            members: Some((
                sandbox.institution_id(),
                uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"),
            )),
            sandbox: Some(sandbox),
        })
    }
}

/// Returns the creation time of the newest execution. The newest execution is listed first, so one
/// page is enough.
async fn newest_execution(place: &Place) -> Result<Option<DateTime<Utc>>> {
    let mut items = place.client.list_quote_executions().profile_id(&*place.profile).items();
    Ok(items.next().await.transpose()?.map(|execution: QuoteExecution| execution.created_at))
}

async fn quote_executions(place: &Place, newest: DateTime<Utc>) -> Result<()> {
    let half_a_year_before = newest - TimeDelta::days(182);
    let mut executions = place
        .client
        .list_quote_executions()
        .profile_id(&*place.profile)
        .market(Market::BtcUsd)
        .status(QuoteExecutionStatus::Settled)
        .created_at_begin(half_a_year_before)
        .limit(25)
        .items();

    let mut table = Table::new(
        format!("Quote executions: BTCUSD, SETTLED, since {}", at(half_a_year_before)),
        ["created", "side", ">price", ">base amount", ">quote amount"],
    );
    let (mut base, mut quote) = (Decimal::ZERO, Decimal::ZERO);
    while let Some(execution) = executions.next().await {
        let execution = execution?;
        base = exact_sum(base, &execution.base_amount)?;
        quote = exact_sum(quote, &execution.quote_amount)?;
        table.row([
            at(execution.created_at),
            execution.side.to_string(),
            execution.price.to_string(),
            format!("{} {}", execution.base_amount, execution.base_asset),
            format!("{} {}", execution.quote_amount, execution.quote_asset),
        ]);
    }
    table.total(["total", "", "", &format!("{base} BTC"), &format!("{quote} USD")]);
    table.print(SHOWN);
    Ok(())
}

/// Adds an amount exactly. Returns an error if a `Decimal` can't hold all digits of the sum.
fn exact_sum(sum: Decimal, amount: &types::Decimal) -> Result<Decimal> {
    let amount = Decimal::try_from(amount)?;
    let next = sum.checked_add(amount).filter(|next| next.checked_sub(amount) == Some(sum));
    Ok(next.ok_or("the total has more digits than a `Decimal` can hold")?)
}

async fn monitoring_addresses(client: &Client) -> Result<()> {
    let mut addresses =
        client.list_monitoring_addresses().crypto_network(CryptoNetwork::Ethereum).items();

    let mut table =
        Table::new("Monitoring addresses: ETHEREUM", ["created", "network", "address", "name"]);
    while let Some(address) = addresses.next().await {
        let address = address?;
        table.row([
            at(address.created_at),
            address.crypto_network.to_string(),
            address.address,
            address.name.unwrap_or_default(),
        ]);
    }
    table.print(SHOWN);
    Ok(())
}

/// Reads a listing in two parts. The checkpoint between them could be kept in a file, and the second
/// part could be read by another process.
async fn deposit_addresses(client: &Client) -> Result<()> {
    let networks = [CryptoNetwork::Solana, CryptoNetwork::Base];
    let list = || client.list_deposit_addresses().networks(networks.clone()).items();
    let mut first = list();
    let mut addresses = first.next_batch(SHOWN).await.transpose()?.unwrap_or_default();
    let checkpoint = serde_json::to_string(&first.checkpoint())?;
    drop(first);
    let (shown, bytes) = (addresses.len(), checkpoint.len());

    let mut second = list().resume(serde_json::from_str(&checkpoint)?);
    while let Some(address) = second.next().await {
        addresses.push(address?);
    }

    let mut table = Table::new(
        "Deposit addresses: SOLANA and BASE",
        ["created", "network", "address", "converted to", "reference"],
    );
    for address in addresses {
        table.row([
            at(address.created_at),
            address.crypto_network.to_string(),
            address.address,
            address.conversion_target_asset.unwrap_or_default(),
            address.ref_id.unwrap_or_default(),
        ]);
    }
    table.print(SHOWN);
    println!("  resumed after {shown} addresses, from a checkpoint of {bytes} bytes");
    Ok(())
}

async fn institution_members(place: &Place) -> Result<()> {
    let Some((institution_id, identity_id)) = place.members else {
        println!(
            "\nNo members were added. To add one, set DIGITAL_ASSETS_INSTITUTION_ID and \
             DIGITAL_ASSETS_IDENTITY_ID."
        );
        return Ok(());
    };
    let roles = vec!["TRUSTEE".to_owned(), "BENEFICIAL_OWNER".to_owned()];
    let members = vec![InstitutionMemberToAdd { identity_id, roles }];
    let added = place
        .client
        .add_institution_members()
        .body(AddInstitutionMembersRequest { institution_id, members })
        .send()
        .await?;

    let mut table = Table::new(
        format!("Members added to institution {}", short(added.institution_id)),
        ["membership", "identity", "roles"],
    );
    for member in &added.members {
        table.row([short(member.id), short(member.identity_id), member.roles.join(", ")]);
    }
    table.print(SHOWN);
    Ok(())
}

/// Shows the error for an invalid call, which is rejected before anything is sent.
async fn refused_call(place: &Place) -> Result<()> {
    let refused = place.client.list_monitoring_addresses().limit(5_000).send().await;

    println!("\nA call that the client rejects");
    match refused {
        Ok(_) => Err("a page size of 5,000 was not rejected".into()),
        Err(error) => {
            println!("  list_monitoring_addresses().limit(5_000).send()");
            println!("  {error}");
            println!("  requests sent: {}", error.attempts());
            Ok(())
        }
    }
}

/// Shows a call that succeeds although the service fails at first. Only a sandbox can be made to
/// fail.
async fn retried_call(place: &Place) -> Result<()> {
    let Some(sandbox) = &place.sandbox else { return Ok(()) };
    let operation = operation::LIST_MONITORING_ADDRESSES;
    let before = sandbox.request_count(operation);
    sandbox.fault(operation, Fault::Status(503));

    let page = place.client.list_monitoring_addresses().limit(5).send().await?;

    println!("\nA call that the client retries after a 503");
    println!("  list_monitoring_addresses().limit(5).send()");
    println!("  status: {}", page.status());
    println!("  requests sent: {}", sandbox.request_count(operation) - before);
    Ok(())
}
