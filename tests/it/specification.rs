//! Literal text of the interface specification.

use chrono::{DateTime, Utc};
use digital_assets::types::AddInstitutionMembersRequest;
use serde_json::{Map, Value};

/// Section 4 and section 5, point 3: operation, method, path, scope.
pub(crate) const OPERATIONS: [(&str, &str, &str); 4] = [
    ("GET", "/v2/profiles/{profile_id}/quote-executions", "exchange:read_quote_execution"),
    ("GET", "/v2/rewards/monitor/address", "rewards:read_monitoring_address"),
    ("GET", "/v2/transfer/deposit-addresses", "transfer:read_deposit_address"),
    ("POST", "/v2/identity/institution-members", "identity:write_identity"),
];

/// Section 2.5.
pub(crate) const MARKETS: &str = "ETHEUR, ETHSGD, ETHUSD, BTCEUR, BTCSGD, BTCUSD, PAXGUSD, BCHUSD, \
    LTCUSD, USDPUSD, LINKUSD, MATICUSD, AAVEUSD, UNIUSD, PEPEUSD, TRUMPUSD, SHIBUSD, ARBUSD, \
    BONKUSD, ENAUSD, MNTUSD, ONDOUSD, PENGUUSD, QNTUSD, RENDERUSD, SKYUSD, WIFUSD, WLDUSD";

/// Section 2.6.
pub(crate) const NETWORKS: &str = "BITCOIN, ETHEREUM, BITCOIN_CASH, LITECOIN, SOLANA, POLYGON_POS, \
    BASE, ARBITRUM_ONE, STELLAR, INK, XLAYER";

/// Section 2.1, every field.
pub(crate) const QUOTE_EXECUTION: &str = r#"{
    "id": "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01",
    "profile_id": "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10",
    "quote_id": "9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03",
    "status": "SETTLED",
    "market": "BTCUSD",
    "side": "BUY",
    "price": "64250.10",
    "base_amount": "0.016663334",
    "base_asset": "BTC",
    "quote_amount": "1070.62",
    "quote_asset": "USD",
    "created_at": "2025-06-01T12:00:00Z",
    "settled_at": "2025-06-01T12:00:05.250Z",
    "metadata": {"order": "A-1001"}
}"#;

/// Section 2.2, every field.
pub(crate) const MONITORING_ADDRESS: &str = r#"{
    "address": "0x52908400098527886E0F7030069857D2E4169EE7",
    "id": "2e9a6d14-70b3-4c8f-9e21-8b4c5d6e7f04",
    "crypto_network": "ETHEREUM",
    "name": "Treasury",
    "created_at": "2025-06-01T12:00:00Z"
}"#;

/// Section 2.3, every field.
pub(crate) const DEPOSIT_ADDRESS: &str = r#"{
    "id": "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05",
    "profile_id": "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10",
    "customer_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607",
    "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06",
    "ref_id": "customer-42",
    "crypto_network": "SOLANA",
    "address": "4Nd1mYvXhT9pQeRsJ7wKcZbUaGfLxD2Ek8Hn5MtVoPq3",
    "conversion_target_asset": "USD",
    "compatible_crypto_networks": ["SOLANA", "BASE"],
    "metadata": {"desk": "emea"},
    "created_at": "2025-06-01T12:00:00Z"
}"#;

/// Section 4.4, the request's body.
pub(crate) const NEW_MEMBERS: &str = r#"{
    "institution_id": "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    "members": [
        {"identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"]},
        {"identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"]}
    ]
}"#;

/// Section 4.4, rule 1: each member repeats its fields of the request and adds an `id`.
pub(crate) const MEMBERS: &str = r#"{
    "institution_id": "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    "members": [
        {"identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"],
         "id": "e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a"},
        {"identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
         "id": "f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b"}
    ]
}"#;

/// An answer of section 4.1 or 4.3.
pub(crate) fn items(records: &[&str], next_page_cursor: &str) -> String {
    page("items", records, next_page_cursor)
}

/// An answer of section 4.2.
pub(crate) fn addresses(records: &[&str], next_page_cursor: &str) -> String {
    page("addresses", records, next_page_cursor)
}

fn page(array: &str, records: &[&str], next_page_cursor: &str) -> String {
    let records = records.join(",");
    format!(r#"{{"{array}":[{records}],"next_page_cursor":"{next_page_cursor}"}}"#)
}

/// A record with another value, in JSON, of a field.
pub(crate) fn with(record: &str, field: &str, value: &str) -> String {
    let mut fields = fields(record);
    fields.insert(field.to_owned(), value.parse().expect("JSON"));
    Value::Object(fields).to_string()
}

/// A record that lacks a field.
pub(crate) fn without(record: &str, field: &str) -> String {
    let mut fields = fields(record);
    assert!(fields.remove(field).is_some(), "{field} stands in {record}");
    Value::Object(fields).to_string()
}

pub(crate) fn fields(record: &str) -> Map<String, Value> {
    serde_json::from_str(record).expect("an object")
}

pub(crate) fn new_members() -> AddInstitutionMembersRequest {
    serde_json::from_str(NEW_MEMBERS).expect("the specification's body")
}

/// Section 2: RFC 3339.
pub(crate) fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a timestamp")
}
