//! Literal text from the interface specification: the request and the response of each operation,
//! exactly as they are sent. A new operation needs a row in `OPERATIONS`.

use std::{future::Future, pin::Pin};

use chrono::{DateTime, Utc};
use digital_assets::{Client, Error, ResponseValue, types::AddInstitutionMembersRequest};
use serde::Serialize;
use serde_json::{Map, Value};

/// An operation from section 4 of the specification, with its scope from section 5, point 3.
pub(crate) struct Shown {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) scope: &'static str,
    /// Calls the operation with every parameter except the cursor. Returns the response as JSON.
    pub(crate) call: fn(&Client) -> Called,
    /// The path and the query that are sent.
    pub(crate) target: &'static str,
    pub(crate) body: &'static str,
    /// Returns a response with every field.
    pub(crate) response: fn() -> String,
}

pub(crate) const OPERATIONS: &[Shown] = &[
    Shown {
        method: "GET",
        path: "/v2/profiles/{profile_id}/quote-executions",
        scope: "exchange:read_quote_execution",
        call: |client| {
            let call = client.list_quote_executions().profile_id(PROFILE);
            let call = call.side("BUY").market("BTCUSD").status("SETTLED");
            let call = call.created_at_begin(time("2025-01-01T00:00:00Z"));
            let call = call.created_at_end(time("2025-12-31T23:59:59.123456789Z"));
            called(call.limit(25).order("ASC").order_by("CREATED_AT").send())
        },
        target: "/v2/profiles/7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10/quote-executions\
            ?side=BUY&market=BTCUSD&status=SETTLED&created_at.begin=2025-01-01T00%3A00%3A00Z\
            &created_at.end=2025-12-31T23%3A59%3A59.123456789Z&limit=25&order=ASC\
            &order_by=CREATED_AT",
        body: "",
        response: || with(&items(&[QUOTE_EXECUTION], "next"), "total_count", "1"),
    },
    Shown {
        method: "GET",
        path: "/v2/rewards/monitor/address",
        scope: "rewards:read_monitoring_address",
        call: |client| {
            let call = client.list_monitoring_addresses();
            let call = call.address("0x52908400098527886E0F7030069857D2E4169EE7");
            called(call.crypto_network("ETHEREUM").limit(1000).order("DESC").send())
        },
        target: "/v2/rewards/monitor/address?address=0x52908400098527886E0F7030069857D2E4169EE7\
            &crypto_network=ETHEREUM&limit=1000&order=DESC",
        body: "",
        response: || addresses(&[MONITORING_ADDRESS], "next"),
    },
    Shown {
        method: "GET",
        path: "/v2/transfer/deposit-addresses",
        scope: "transfer:read_deposit_address",
        call: |client| {
            let call = client.list_deposit_addresses().profile_ids(["p-1", "p-2"]);
            let call = call.identity_ids(["i-1"]).account_ids(["a-1", "a-2", "a-3"]);
            let call = call.ids([uuid::uuid!("5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05")]);
            let call = call.ref_ids(["a b/c&d=é"]).networks(["SOLANA", "BITCOIN_CASH"]);
            let call = call.created_at_lt(time("2025-01-01T00:00:01Z"));
            let call = call.created_at_lte(time("2025-01-01T00:00:02Z"));
            let call = call.created_at_eq(time("2025-01-01T00:00:03Z"));
            let call = call.created_at_gte(time("2025-01-01T00:00:04Z"));
            let call = call.created_at_gt(time("2025-01-01T00:00:05Z"));
            called(call.limit(100).order("ASC").order_by("CREATED_AT").send())
        },
        target: "/v2/transfer/deposit-addresses?profile_ids=p-1&profile_ids=p-2&identity_ids=i-1\
            &account_ids=a-1&account_ids=a-2&account_ids=a-3\
            &ids=5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05&ref_ids=a+b%2Fc%26d%3D%C3%A9\
            &networks=SOLANA&networks=BITCOIN_CASH&created_at.lt=2025-01-01T00%3A00%3A01Z\
            &created_at.lte=2025-01-01T00%3A00%3A02Z&created_at.eq=2025-01-01T00%3A00%3A03Z\
            &created_at.gte=2025-01-01T00%3A00%3A04Z&created_at.gt=2025-01-01T00%3A00%3A05Z\
            &limit=100&order=ASC&order_by=CREATED_AT",
        body: "",
        response: || items(&[DEPOSIT_ADDRESS], "next"),
    },
    Shown {
        method: "POST",
        path: "/v2/identity/institution-members",
        scope: "identity:write_identity",
        call: |client| called(client.add_institution_members().body(new_members()).send()),
        target: "/v2/identity/institution-members",
        body: NEW_MEMBERS,
        response: || MEMBERS.to_owned(),
    },
];

/// The profile in the examples.
pub(crate) const PROFILE: &str = "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10";

/// The markets in section 2.5 of the specification.
pub(crate) const MARKETS: &str = "ETHEUR, ETHSGD, ETHUSD, BTCEUR, BTCSGD, BTCUSD, PAXGUSD, BCHUSD, \
    LTCUSD, USDPUSD, LINKUSD, MATICUSD, AAVEUSD, UNIUSD, PEPEUSD, TRUMPUSD, SHIBUSD, ARBUSD, \
    BONKUSD, ENAUSD, MNTUSD, ONDOUSD, PENGUUSD, QNTUSD, RENDERUSD, SKYUSD, WIFUSD, WLDUSD";

/// The networks in section 2.6 of the specification.
pub(crate) const NETWORKS: &str = "BITCOIN, ETHEREUM, BITCOIN_CASH, LITECOIN, SOLANA, POLYGON_POS, \
    BASE, ARBITRUM_ONE, STELLAR, INK, XLAYER";

/// A quote execution with every field, as in section 2.1 of the specification.
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

/// A monitoring address with every field, as in section 2.2 of the specification.
pub(crate) const MONITORING_ADDRESS: &str = r#"{
    "address": "0x52908400098527886E0F7030069857D2E4169EE7",
    "id": "2e9a6d14-70b3-4c8f-9e21-8b4c5d6e7f04",
    "crypto_network": "ETHEREUM",
    "name": "Treasury",
    "created_at": "2025-06-01T12:00:00Z"
}"#;

/// A deposit address with every field, as in section 2.3 of the specification.
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

/// The request body in section 4.4 of the specification.
pub(crate) const NEW_MEMBERS: &str = r#"{
    "institution_id": "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    "members": [
        {"identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"]},
        {"identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"]}
    ]
}"#;

/// Section 4.4 of the specification, rule 1: each member repeats its fields from the request and
/// adds an `id`.
pub(crate) const MEMBERS: &str = r#"{
    "institution_id": "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    "members": [
        {"identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"],
         "id": "e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a"},
        {"identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
         "id": "f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b"}
    ]
}"#;

/// Returns a response as in section 4.1 or 4.3 of the specification.
pub(crate) fn items(records: &[&str], next_page_cursor: &str) -> String {
    page("items", records, next_page_cursor)
}

/// Returns a response as in section 4.2 of the specification.
pub(crate) fn addresses(records: &[&str], next_page_cursor: &str) -> String {
    page("addresses", records, next_page_cursor)
}

fn page(array: &str, records: &[&str], next_page_cursor: &str) -> String {
    let records = records.join(",");
    format!(r#"{{"{array}":[{records}],"next_page_cursor":"{next_page_cursor}"}}"#)
}

impl Shown {
    /// Returns whether this request line, without its query, belongs to the operation.
    pub(crate) fn is_of(&self, line: &str) -> bool {
        let segments = |path: &'static str| path.split('/');
        let (method, path) = line.split_once(' ').unwrap_or_default();
        let is_same = |(sent, shown): (&str, &str)| shown.starts_with('{') || sent == shown;
        method == self.method
            && path.split('/').count() == segments(self.path).count()
            && std::iter::zip(path.split('/'), segments(self.path)).all(is_same)
    }
}

/// Returns the scopes of all operations, each once.
pub(crate) fn scopes() -> Vec<&'static str> {
    let mut scopes = Vec::new();
    for shown in OPERATIONS {
        if !scopes.contains(&shown.scope) {
            scopes.push(shown.scope);
        }
    }
    scopes
}

pub(crate) type Called = Pin<Box<dyn Future<Output = Result<Value, Error>> + Send>>;

/// Makes a call, and converts its response back to JSON.
fn called<T: Serialize + Send + 'static>(
    call: impl Future<Output = Result<ResponseValue<T>, Error>> + Send + 'static,
) -> Called {
    Box::pin(async { Ok(serde_json::to_value(call.await?.into_inner()).expect("JSON")) })
}

/// Returns the record with another value, given as JSON, for one field.
pub(crate) fn with(record: &str, field: &str, value: &str) -> String {
    let mut fields = fields(record);
    fields.insert(field.to_owned(), value.parse().expect("JSON"));
    Value::Object(fields).to_string()
}

/// Returns the record without one field.
pub(crate) fn without(record: &str, field: &str) -> String {
    let mut fields = fields(record);
    assert!(fields.remove(field).is_some(), "{record} has no {field}");
    Value::Object(fields).to_string()
}

pub(crate) fn fields(record: &str) -> Map<String, Value> {
    serde_json::from_str(record).expect("an object")
}

pub(crate) fn new_members() -> AddInstitutionMembersRequest {
    serde_json::from_str(NEW_MEMBERS).expect("the specification's body")
}

/// Parses a timestamp. Section 2 of the specification: timestamps follow RFC 3339.
pub(crate) fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a timestamp")
}
