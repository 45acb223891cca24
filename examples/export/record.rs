//! A record as a row of cells.

use digital_assets::{
    Record,
    types::{DepositAddress, MonitoringAddress, QuoteExecution},
};
use serde::Serialize;
use serde_json::Value;

use super::Result;

pub(crate) trait Exported: Record + Serialize {
    /// The service's names of the fields, in the order of the CSV columns.
    const COLUMNS: &'static [&'static str];

    /// Text as it is, lists and maps as JSON; empty where the record has no such field.
    fn cells(&self) -> Result<Vec<String>> {
        let record = serde_json::to_value(self)?;
        let cell = |name: &&str| match record.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        Ok(Self::COLUMNS.iter().map(cell).collect())
    }
}

impl Exported for QuoteExecution {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "profile_id",
        "quote_id",
        "status",
        "market",
        "side",
        "price",
        "base_amount",
        "base_asset",
        "quote_amount",
        "quote_asset",
        "created_at",
        "settled_at",
        "metadata",
    ];
}

impl Exported for DepositAddress {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "profile_id",
        "customer_id",
        "identity_id",
        "ref_id",
        "crypto_network",
        "address",
        "conversion_target_asset",
        "compatible_crypto_networks",
        "metadata",
        "created_at",
    ];
}

impl Exported for MonitoringAddress {
    const COLUMNS: &'static [&'static str] =
        &["id", "address", "crypto_network", "name", "created_at"];
}
