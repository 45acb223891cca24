impl Operation {
    ///`GET /v2/profiles/{profile_id}/quote-executions`
    pub const ListQuoteExecutions: Self = Self {
        details: &crate::operation::Details {
            index: 0usize,
            id: "listQuoteExecutions",
            method: reqwest::Method::GET,
            path: "/v2/profiles/{profile_id}/quote-executions",
            scopes: &["exchange:read_quote_execution"],
            token: crate::operation::Token::Always,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: crate::operation::BodyKind::Json(
                &["items", "next_page_cursor", "total_count"],
            ),
            listing: Some(builder::ListQuoteExecutions::LISTING),
            fields: FIELDS,
        },
    };
    ///`GET /v2/rewards/monitor/address`
    pub const ListMonitoringAddresses: Self = Self {
        details: &crate::operation::Details {
            index: 1usize,
            id: "listMonitoringAddresses",
            method: reqwest::Method::GET,
            path: "/v2/rewards/monitor/address",
            scopes: &["rewards:read_monitoring_address"],
            token: crate::operation::Token::Always,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: crate::operation::BodyKind::Json(&["addresses", "next_page_cursor"]),
            listing: Some(builder::ListMonitoringAddresses::LISTING),
            fields: FIELDS,
        },
    };
    ///`GET /v2/transfer/deposit-addresses`
    pub const ListDepositAddresses: Self = Self {
        details: &crate::operation::Details {
            index: 2usize,
            id: "listDepositAddresses",
            method: reqwest::Method::GET,
            path: "/v2/transfer/deposit-addresses",
            scopes: &["transfer:read_deposit_address"],
            token: crate::operation::Token::Always,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: crate::operation::BodyKind::Json(&["items", "next_page_cursor"]),
            listing: Some(builder::ListDepositAddresses::LISTING),
            fields: FIELDS,
        },
    };
    ///`POST /v2/identity/institution-members`
    pub const AddInstitutionMembers: Self = Self {
        details: &crate::operation::Details {
            index: 3usize,
            id: "addInstitutionMembers",
            method: reqwest::Method::POST,
            path: "/v2/identity/institution-members",
            scopes: &["identity:write_identity"],
            token: crate::operation::Token::Always,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: crate::operation::BodyKind::Json(&["institution_id", "members"]),
            listing: None,
            fields: FIELDS,
        },
    };
    /// Every operation of the description.
    pub const ALL: &'static [Self] = &[
        Self::ListQuoteExecutions,
        Self::ListMonitoringAddresses,
        Self::ListDepositAddresses,
        Self::AddInstitutionMembers,
    ];
}
/// The names of all fields, which are safe to print; other keys are the service's data.
const FIELDS: &[&str] = &[
    "address",
    "addresses",
    "base_amount",
    "base_asset",
    "compatible_crypto_networks",
    "conversion_target_asset",
    "created_at",
    "crypto_network",
    "customer_id",
    "id",
    "identity_id",
    "institution_id",
    "items",
    "market",
    "members",
    "metadata",
    "name",
    "next_page_cursor",
    "price",
    "profile_id",
    "quote_amount",
    "quote_asset",
    "quote_id",
    "ref_id",
    "roles",
    "settled_at",
    "side",
    "status",
    "total_count",
];
/// The records, requests and values of the description.
pub mod types {
    pub use crate::decode::{decimal::Decimal, open_enum::Unknown};
    crate::decode::open_enum::open_enum! {
        #[doc =
        "State of a quote execution. `CREATED`: it exists and is not yet settled. `SETTLED`: it is\nsettled, and `settled_at` carries the time of settlement."]
        QuoteExecutionStatus { #[doc = "`CREATED`"] Created = "CREATED", #[doc =
        "`SETTLED`"] Settled = "SETTLED", }
    }
    crate::decode::open_enum::open_enum! {
        #[doc =
        "The side of a trade. Whose side it is, the client's or its counterparty's, is not specified."]
        Side { #[doc = "`BUY`"] Buy = "BUY", #[doc = "`SELL`"] Sell = "SELL", }
    }
    crate::decode::open_enum::open_enum! {
        #[doc = "Trading pair."] Market { #[doc = "`ETHEUR`"] EthEur = "ETHEUR", #[doc =
        "`ETHSGD`"] EthSgd = "ETHSGD", #[doc = "`ETHUSD`"] EthUsd = "ETHUSD", #[doc =
        "`BTCEUR`"] BtcEur = "BTCEUR", #[doc = "`BTCSGD`"] BtcSgd = "BTCSGD", #[doc =
        "`BTCUSD`"] BtcUsd = "BTCUSD", #[doc = "`PAXGUSD`"] PaxgUsd = "PAXGUSD", #[doc =
        "`BCHUSD`"] BchUsd = "BCHUSD", #[doc = "`LTCUSD`"] LtcUsd = "LTCUSD", #[doc =
        "`USDPUSD`"] UsdpUsd = "USDPUSD", #[doc = "`LINKUSD`"] LinkUsd = "LINKUSD", #[doc
        = "`MATICUSD`"] MaticUsd = "MATICUSD", #[doc = "`AAVEUSD`"] AaveUsd = "AAVEUSD",
        #[doc = "`UNIUSD`"] UniUsd = "UNIUSD", #[doc = "`PEPEUSD`"] PepeUsd = "PEPEUSD",
        #[doc = "`TRUMPUSD`"] TrumpUsd = "TRUMPUSD", #[doc = "`SHIBUSD`"] ShibUsd =
        "SHIBUSD", #[doc = "`ARBUSD`"] ArbUsd = "ARBUSD", #[doc = "`BONKUSD`"] BonkUsd =
        "BONKUSD", #[doc = "`ENAUSD`"] EnaUsd = "ENAUSD", #[doc = "`MNTUSD`"] MntUsd =
        "MNTUSD", #[doc = "`ONDOUSD`"] OndoUsd = "ONDOUSD", #[doc = "`PENGUUSD`"]
        PenguUsd = "PENGUUSD", #[doc = "`QNTUSD`"] QntUsd = "QNTUSD", #[doc =
        "`RENDERUSD`"] RenderUsd = "RENDERUSD", #[doc = "`SKYUSD`"] SkyUsd = "SKYUSD",
        #[doc = "`WIFUSD`"] WifUsd = "WIFUSD", #[doc = "`WLDUSD`"] WldUsd = "WLDUSD", }
    }
    crate::decode::open_enum::open_enum! {
        #[doc = "Crypto network."] CryptoNetwork { #[doc = "`BITCOIN`"] Bitcoin =
        "BITCOIN", #[doc = "`ETHEREUM`"] Ethereum = "ETHEREUM", #[doc = "`BITCOIN_CASH`"]
        BitcoinCash = "BITCOIN_CASH", #[doc = "`LITECOIN`"] Litecoin = "LITECOIN", #[doc
        = "`SOLANA`"] Solana = "SOLANA", #[doc = "`POLYGON_POS`"] PolygonPos =
        "POLYGON_POS", #[doc = "`BASE`"] Base = "BASE", #[doc = "`ARBITRUM_ONE`"]
        ArbitrumOne = "ARBITRUM_ONE", #[doc = "`STELLAR`"] Stellar = "STELLAR", #[doc =
        "`INK`"] Ink = "INK", #[doc = "`XLAYER`"] Xlayer = "XLAYER", }
    }
    crate::decode::open_enum::open_enum! {
        #[doc =
        "Sort direction by time of creation. `DESC` lists the newest records first."]
        Order { #[doc = "`DESC`"] Desc = "DESC", #[doc = "`ASC`"] Asc = "ASC", }
    }
    crate::decode::open_enum::open_enum! {
        #[doc = "Sort key. The only value is `CREATED_AT`."] OrderBy { #[doc =
        "`CREATED_AT`"] CreatedAt = "CREATED_AT", }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    ///An institution and the members to add to it.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct AddInstitutionMembersRequest {
        ///The institution identity that receives the members.
        pub institution_id: ::uuid::Uuid,
        ///The members to add. At least one.
        #[serde(default, deserialize_with = "crate::decode::lenient::or_empty")]
        pub members: ::std::vec::Vec<InstitutionMemberToAdd>,
    }
    crate::decode::lenient::from_object! {
        AddInstitutionMembersRequest { institution_id : ::uuid::Uuid, #[serde(default,
        deserialize_with = "crate::decode::lenient::or_empty")] members : ::std::vec::Vec
        < InstitutionMemberToAdd >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///An institution and the members that were added to it.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct AddInstitutionMembersResponse {
        ///The institution that the members were added to, that of the request.
        pub institution_id: ::uuid::Uuid,
        /**The added members, each with its assigned `id`. Each repeats its `identity_id` and `roles`
from the request.*/
        #[serde(default, deserialize_with = "crate::decode::lenient::or_empty")]
        pub members: ::std::vec::Vec<InstitutionMember>,
    }
    crate::decode::lenient::from_object! {
        AddInstitutionMembersResponse { institution_id : ::uuid::Uuid, #[serde(default,
        deserialize_with = "crate::decode::lenient::or_empty")] members : ::std::vec::Vec
        < InstitutionMember >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A crypto address for deposits, bound to a profile or an identity.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct DepositAddress {
        ///The on-chain deposit address.
        pub address: ::std::string::String,
        ///Compatible networks. What the address can be used for on them is not specified.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")]
        pub compatible_crypto_networks: ::std::vec::Vec<crate::types::CryptoNetwork>,
        ///Asset code into which deposits are converted.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub conversion_target_asset: ::std::option::Option<::std::string::String>,
        ///Time of creation.
        #[serde(deserialize_with = "crate::decode::time::time")]
        pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
        ///Crypto network.
        pub crypto_network: crate::types::CryptoNetwork,
        ///The associated customer.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub customer_id: ::std::option::Option<::uuid::Uuid>,
        ///Identifier of the deposit address.
        pub id: ::uuid::Uuid,
        ///The associated identity.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub identity_id: ::std::option::Option<::uuid::Uuid>,
        ///The client's own key/value pairs. The types of the values are not specified.
        #[serde(default, skip_serializing_if = "::serde_json::Map::is_empty")]
        /**

Integers of up to 64 bits are exact; other numbers are 64-bit floats, of some 15 digits. What Rust can't hold (`1e999`, half of a surrogate pair) is a string of the characters that the service sent.*/
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")]
        pub metadata: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
        ///The associated profile.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub profile_id: ::std::option::Option<::uuid::Uuid>,
        ///The identifier that the client specified at creation.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub ref_id: ::std::option::Option<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        DepositAddress { address : ::std::string::String, #[serde(default,
        skip_serializing_if = "::std::vec::Vec::is_empty")] #[serde(deserialize_with =
        "crate::decode::lenient::or_empty")] compatible_crypto_networks : ::std::vec::Vec
        < crate ::types::CryptoNetwork >, #[serde(skip_serializing_if =
        "::std::option::Option::is_none")] conversion_target_asset :
        ::std::option::Option < ::std::string::String >, #[serde(deserialize_with =
        "crate::decode::time::time")] created_at : ::chrono::DateTime <
        ::chrono::offset::Utc >, crypto_network : crate ::types::CryptoNetwork,
        #[serde(skip_serializing_if = "::std::option::Option::is_none")] #[serde(default,
        deserialize_with = "crate::decode::lenient::or_blank")] customer_id :
        ::std::option::Option < ::uuid::Uuid >, id : ::uuid::Uuid,
        #[serde(skip_serializing_if = "::std::option::Option::is_none")] #[serde(default,
        deserialize_with = "crate::decode::lenient::or_blank")] identity_id :
        ::std::option::Option < ::uuid::Uuid >, #[serde(default, skip_serializing_if =
        "::serde_json::Map::is_empty")] #[serde(deserialize_with =
        "crate::decode::lenient::or_empty")] metadata : ::serde_json::Map <
        ::std::string::String, ::serde_json::Value >, #[serde(skip_serializing_if =
        "::std::option::Option::is_none")] #[serde(default, deserialize_with =
        "crate::decode::lenient::or_blank")] profile_id : ::std::option::Option <
        ::uuid::Uuid >, #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        ref_id : ::std::option::Option < ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A page of deposit addresses.
    #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
    pub struct DepositAddressPage {
        ///The records of this page.
        #[serde(default, deserialize_with = "crate::decode::lenient::or_empty")]
        pub items: ::std::vec::Vec<DepositAddress>,
        /**Opaque token for fetching the next page, as its `page_cursor`. Present when there are
further results.*/
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub next_page_cursor: ::std::option::Option<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        DepositAddressPage { #[serde(default, deserialize_with =
        "crate::decode::lenient::or_empty")] items : ::std::vec::Vec < DepositAddress >,
        #[serde(skip_serializing_if = "::std::option::Option::is_none")] #[serde(default,
        deserialize_with = "crate::decode::lenient::or_blank")] next_page_cursor :
        ::std::option::Option < ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A member of an institution.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct InstitutionMember {
        ///Identifier of the membership.
        pub id: ::uuid::Uuid,
        ///The identity that became a member.
        pub identity_id: ::uuid::Uuid,
        /**One or more role names, those of the request. The values are not specified. It may be
absent.*/
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")]
        pub roles: ::std::vec::Vec<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        InstitutionMember { id : ::uuid::Uuid, identity_id : ::uuid::Uuid,
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")] roles :
        ::std::vec::Vec < ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    ///An identity that becomes a member.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct InstitutionMemberToAdd {
        ///The identity that becomes a member.
        pub identity_id: ::uuid::Uuid,
        ///One or more role names. A single role is an array of one. The values are not specified.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")]
        pub roles: ::std::vec::Vec<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        InstitutionMemberToAdd { identity_id : ::uuid::Uuid, #[serde(default,
        skip_serializing_if = "::std::vec::Vec::is_empty")] #[serde(deserialize_with =
        "crate::decode::lenient::or_empty")] roles : ::std::vec::Vec <
        ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///An on-chain address that is monitored for eligible reward activity.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct MonitoringAddress {
        /**The monitored address, valid for its network. On `SOLANA` it is the wallet account itself,
not a derived account such as an associated token account.*/
        pub address: ::std::string::String,
        ///Time of creation.
        #[serde(deserialize_with = "crate::decode::time::time")]
        pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
        ///Crypto network.
        pub crypto_network: crate::types::CryptoNetwork,
        ///Identifier of the record.
        pub id: ::uuid::Uuid,
        ///Name of the address. It may be absent.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub name: ::std::option::Option<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        MonitoringAddress { address : ::std::string::String, #[serde(deserialize_with =
        "crate::decode::time::time")] created_at : ::chrono::DateTime <
        ::chrono::offset::Utc >, crypto_network : crate ::types::CryptoNetwork, id :
        ::uuid::Uuid, #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        name : ::std::option::Option < ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A page of monitoring addresses.
    #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
    pub struct MonitoringAddressPage {
        ///The records of this page.
        #[serde(default, deserialize_with = "crate::decode::lenient::or_empty")]
        pub addresses: ::std::vec::Vec<MonitoringAddress>,
        /**Opaque token for fetching the next page, as its `page_cursor`. Present when there are
further results.*/
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub next_page_cursor: ::std::option::Option<::std::string::String>,
    }
    crate::decode::lenient::from_object! {
        MonitoringAddressPage { #[serde(default, deserialize_with =
        "crate::decode::lenient::or_empty")] addresses : ::std::vec::Vec <
        MonitoringAddress >, #[serde(skip_serializing_if =
        "::std::option::Option::is_none")] #[serde(default, deserialize_with =
        "crate::decode::lenient::or_blank")] next_page_cursor : ::std::option::Option <
        ::std::string::String >, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A trade executed against a quote.
    #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
    pub struct QuoteExecution {
        ///Amount of the base asset. A decimal number carried as text.
        pub base_amount: crate::types::Decimal,
        ///Asset code of the base side.
        pub base_asset: ::std::string::String,
        ///Time of creation.
        #[serde(deserialize_with = "crate::decode::time::time")]
        pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
        ///Identifier of the execution.
        pub id: ::uuid::Uuid,
        ///Trading pair.
        pub market: crate::types::Market,
        ///The client's own key/value pairs. The types of the values are not specified.
        #[serde(default, skip_serializing_if = "::serde_json::Map::is_empty")]
        /**

Integers of up to 64 bits are exact; other numbers are 64-bit floats, of some 15 digits. What Rust can't hold (`1e999`, half of a surrogate pair) is a string of the characters that the service sent.*/
        #[serde(deserialize_with = "crate::decode::lenient::or_empty")]
        pub metadata: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
        ///Price of the execution. A decimal number carried as text.
        pub price: crate::types::Decimal,
        ///The profile that owns the execution.
        pub profile_id: ::uuid::Uuid,
        ///Amount of the quote asset. A decimal number carried as text.
        pub quote_amount: crate::types::Decimal,
        ///Asset code of the quote side.
        pub quote_asset: ::std::string::String,
        ///The quote that was executed.
        pub quote_id: ::uuid::Uuid,
        ///Time of settlement. Present once the status is `SETTLED`.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::time::or_blank_time")]
        pub settled_at: ::std::option::Option<::chrono::DateTime<::chrono::offset::Utc>>,
        ///The side of a trade. Whose side it is, the client's or its counterparty's, is not specified.
        pub side: crate::types::Side,
        /**State of a quote execution. `CREATED`: it exists and is not yet settled. `SETTLED`: it is
settled, and `settled_at` carries the time of settlement.*/
        pub status: crate::types::QuoteExecutionStatus,
    }
    crate::decode::lenient::from_object! {
        QuoteExecution { base_amount : crate ::types::Decimal, base_asset :
        ::std::string::String, #[serde(deserialize_with = "crate::decode::time::time")]
        created_at : ::chrono::DateTime < ::chrono::offset::Utc >, id : ::uuid::Uuid,
        market : crate ::types::Market, #[serde(default, skip_serializing_if =
        "::serde_json::Map::is_empty")] #[serde(deserialize_with =
        "crate::decode::lenient::or_empty")] metadata : ::serde_json::Map <
        ::std::string::String, ::serde_json::Value >, price : crate ::types::Decimal,
        profile_id : ::uuid::Uuid, quote_amount : crate ::types::Decimal, quote_asset :
        ::std::string::String, quote_id : ::uuid::Uuid, #[serde(skip_serializing_if =
        "::std::option::Option::is_none")] #[serde(default, deserialize_with =
        "crate::decode::time::or_blank_time")] settled_at : ::std::option::Option <
        ::chrono::DateTime < ::chrono::offset::Utc > >, side : crate ::types::Side,
        status : crate ::types::QuoteExecutionStatus, }
    }
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    ///A page of quote executions.
    #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
    pub struct QuoteExecutionPage {
        ///The records of this page.
        #[serde(default, deserialize_with = "crate::decode::lenient::or_empty")]
        pub items: ::std::vec::Vec<QuoteExecution>,
        /**Opaque token for fetching the next page, as its `page_cursor`. Present when there are
further results.*/
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        #[serde(default, deserialize_with = "crate::decode::lenient::or_blank")]
        pub next_page_cursor: ::std::option::Option<::std::string::String>,
        ///A number of records. Whether it counts those of this page or of the listing is not specified.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub total_count: ::std::option::Option<i32>,
    }
    crate::decode::lenient::from_object! {
        QuoteExecutionPage { #[serde(default, deserialize_with =
        "crate::decode::lenient::or_empty")] items : ::std::vec::Vec < QuoteExecution >,
        #[serde(skip_serializing_if = "::std::option::Option::is_none")] #[serde(default,
        deserialize_with = "crate::decode::lenient::or_blank")] next_page_cursor :
        ::std::option::Option < ::std::string::String >, #[serde(skip_serializing_if =
        "::std::option::Option::is_none")] total_count : ::std::option::Option < i32 >, }
    }
    /// Builders of the request types, for those who prefer them to struct literals. With the
    /// feature `sandbox`, also of response types, for your own tests.
    ///
    /// The conversion into the type fails if a required field wasn't set or another value
    /// couldn't be converted. A required array that wasn't set is empty; a required field that may
    /// be null has to be set, to `None` for null. Bounds are checked by `send()`.
    #[allow(missing_docs)]
    pub mod builder {
        crate::value_builder::value_builder! {
            AddInstitutionMembersRequest { required institution_id : ::uuid::Uuid,
            optional members : ::std::vec::Vec < super::InstitutionMemberToAdd >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            AddInstitutionMembersResponse { required institution_id : ::uuid::Uuid,
            optional members : ::std::vec::Vec < super::InstitutionMember >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            DepositAddress { required address : ::std::string::String, optional
            compatible_crypto_networks : ::std::vec::Vec < crate ::types::CryptoNetwork
            >, optional conversion_target_asset : ::std::option::Option <
            ::std::string::String >, required created_at : ::chrono::DateTime <
            ::chrono::offset::Utc >, required crypto_network : crate
            ::types::CryptoNetwork, optional customer_id : ::std::option::Option <
            ::uuid::Uuid >, required id : ::uuid::Uuid, optional identity_id :
            ::std::option::Option < ::uuid::Uuid >, optional metadata : ::serde_json::Map
            < ::std::string::String, ::serde_json::Value >, optional profile_id :
            ::std::option::Option < ::uuid::Uuid >, optional ref_id :
            ::std::option::Option < ::std::string::String >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            DepositAddressPage { optional items : ::std::vec::Vec < super::DepositAddress
            >, optional next_page_cursor : ::std::option::Option < ::std::string::String
            >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            InstitutionMember { required id : ::uuid::Uuid, required identity_id :
            ::uuid::Uuid, optional roles : ::std::vec::Vec < ::std::string::String >, }
        }
        crate::value_builder::value_builder! {
            InstitutionMemberToAdd { required identity_id : ::uuid::Uuid, optional roles
            : ::std::vec::Vec < ::std::string::String >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            MonitoringAddress { required address : ::std::string::String, required
            created_at : ::chrono::DateTime < ::chrono::offset::Utc >, required
            crypto_network : crate ::types::CryptoNetwork, required id : ::uuid::Uuid,
            optional name : ::std::option::Option < ::std::string::String >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            MonitoringAddressPage { optional addresses : ::std::vec::Vec <
            super::MonitoringAddress >, optional next_page_cursor : ::std::option::Option
            < ::std::string::String >, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            QuoteExecution { required base_amount : crate ::types::Decimal, required
            base_asset : ::std::string::String, required created_at : ::chrono::DateTime
            < ::chrono::offset::Utc >, required id : ::uuid::Uuid, required market :
            crate ::types::Market, optional metadata : ::serde_json::Map <
            ::std::string::String, ::serde_json::Value >, required price : crate
            ::types::Decimal, required profile_id : ::uuid::Uuid, required quote_amount :
            crate ::types::Decimal, required quote_asset : ::std::string::String,
            required quote_id : ::uuid::Uuid, optional settled_at : ::std::option::Option
            < ::chrono::DateTime < ::chrono::offset::Utc > >, required side : crate
            ::types::Side, required status : crate ::types::QuoteExecutionStatus, }
        }
        #[cfg(feature = "sandbox")]
        crate::value_builder::value_builder! {
            QuoteExecutionPage { optional items : ::std::vec::Vec < super::QuoteExecution
            >, optional next_page_cursor : ::std::option::Option < ::std::string::String
            >, optional total_count : ::std::option::Option < i32 >, }
        }
    }
    /// Error types.
    pub mod error {
        /// Error from a `TryFrom` or `FromStr` implementation.
        pub struct ConversionError(::std::borrow::Cow<'static, str>);
        impl ::std::error::Error for ConversionError {}
        impl ::std::fmt::Display for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Debug for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl From<&'static str> for ConversionError {
            fn from(value: &'static str) -> Self {
                Self(value.into())
            }
        }
        impl From<String> for ConversionError {
            fn from(value: String) -> Self {
                Self(value.into())
            }
        }
    }
    /// The JSON Schema of every type, by its name in the description.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn schemas() -> std::collections::BTreeMap<&'static str, schemars::Schema> {
        [
            ("QuoteExecution", schemars::schema_for!(QuoteExecution)),
            ("QuoteExecutionPage", schemars::schema_for!(QuoteExecutionPage)),
            ("MonitoringAddress", schemars::schema_for!(MonitoringAddress)),
            ("MonitoringAddressPage", schemars::schema_for!(MonitoringAddressPage)),
            ("DepositAddress", schemars::schema_for!(DepositAddress)),
            ("DepositAddressPage", schemars::schema_for!(DepositAddressPage)),
            (
                "AddInstitutionMembersRequest",
                schemars::schema_for!(AddInstitutionMembersRequest),
            ),
            ("InstitutionMemberToAdd", schemars::schema_for!(InstitutionMemberToAdd)),
            (
                "AddInstitutionMembersResponse",
                schemars::schema_for!(AddInstitutionMembersResponse),
            ),
            ("InstitutionMember", schemars::schema_for!(InstitutionMember)),
            ("QuoteExecutionStatus", schemars::schema_for!(QuoteExecutionStatus)),
            ("Side", schemars::schema_for!(Side)),
            ("Market", schemars::schema_for!(Market)),
            ("CryptoNetwork", schemars::schema_for!(CryptoNetwork)),
            ("Order", schemars::schema_for!(Order)),
            ("OrderBy", schemars::schema_for!(OrderBy)),
        ]
            .into()
    }
}
impl Client {
    /**List quote executions

The executions of one profile, page by page, the newest first unless `order` says otherwise.

Not specified: how filters combine, how long a cursor is valid, how many requests are allowed
in which time, and when something here is deprecated.

Sends a `GET` request to `/v2/profiles/{profile_id}/quote-executions`.

Needs the scope `exchange:read_quote_execution`.*/
    pub fn list_quote_executions(&self) -> builder::ListQuoteExecutions {
        builder::ListQuoteExecutions::new(self.sender.clone())
    }
    /**List monitoring addresses

The on-chain addresses that are monitored for eligible reward activity, page by page, the
newest first unless `order` says otherwise. Supported networks: `ETHEREUM`, `SOLANA`, `INK`
and `XLAYER`.

Not specified: how filters combine, how long a cursor is valid, how many requests are allowed
in which time, and when something here is deprecated.

Sends a `GET` request to `/v2/rewards/monitor/address`.

Needs the scope `rewards:read_monitoring_address`.*/
    pub fn list_monitoring_addresses(&self) -> builder::ListMonitoringAddresses {
        builder::ListMonitoringAddresses::new(self.sender.clone())
    }
    /**List deposit addresses

Deposit addresses, page by page, the newest first unless `order` says otherwise. An array
filter has at most 100 entries.

Not specified: how an array filter is sent, how filters combine, and the entries of one
filter, how long a cursor is valid, how many requests are allowed in which time, and when
something here is deprecated.

Sends a `GET` request to `/v2/transfer/deposit-addresses`.

Needs the scope `transfer:read_deposit_address`.*/
    pub fn list_deposit_addresses(&self) -> builder::ListDepositAddresses {
        builder::ListDepositAddresses::new(self.sender.clone())
    }
    /**Add institution members

Adds one or more identities, each with one or more roles, to an institution. When the request
succeeds, each returned member repeats its `identity_id` and `roles` from the request and adds
a membership `id`.

Not specified: whether the same request may be sent twice, what becomes of an identity that is
a member already, how many requests are allowed in which time, and when something here is
deprecated. So don't repeat a request that may have been applied.

Sends a `POST` request to `/v2/identity/institution-members`.

Needs the scope `identity:write_identity`.*/
    pub fn add_institution_members(&self) -> builder::AddInstitutionMembers {
        builder::AddInstitutionMembers::new(self.sender.clone())
    }
}
/// One builder per operation: set its parameters, then `send` it or list its pages.
pub mod builder {
    use super::types;
    /**The call that [`Client::list_quote_executions`](crate::Client::list_quote_executions) begins.

```no_run
# async fn example(client: digital_assets::Client) -> Result<(), Box<dyn std::error::Error>> {
let mut items = client
    .list_quote_executions()
    .profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10")
    .items();
while let Some(item) = items.next().await {
    let item = item?;
    println!("{item:?}");
}
# Ok(())
# }
```*/
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListQuoteExecutions {
        draft: crate::call::Draft,
    }
    /// Prints no parameters: they are the caller's data.
    impl std::fmt::Debug for ListQuoteExecutions {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListQuoteExecutions)).finish_non_exhaustive()
        }
    }
    impl ListQuoteExecutions {
        /// What the description says of each parameter.
        pub(crate) const PARAMETERS: &'static [crate::call::Parameter] = &[
            crate::call::Parameter::path("profile_id", "a string"),
            crate::call::Parameter::query("created_at.begin", "a time"),
            crate::call::Parameter::query("created_at.end", "a time"),
            crate::call::Parameter::query("limit", "a 32-bit integer"),
            crate::call::Parameter::query("market", "a string"),
            crate::call::Parameter::query("order", "a string"),
            crate::call::Parameter::query("order_by", "a string"),
            crate::call::Parameter::query("page_cursor", "a string"),
            crate::call::Parameter::query("side", "a string"),
            crate::call::Parameter::query("status", "a string"),
        ];
        pub(crate) fn new(sender: crate::call::Sender) -> Self {
            Self {
                draft: crate::call::Draft::new(sender),
            }
        }
        /**The profile that the executions belong to.

Sent as `profile_id`.*/
        pub fn profile_id(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(0usize, value.try_into().ok());
            self
        }
        /**Only executions created at or after this time (inclusive).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.begin`.*/
        pub fn created_at_begin(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    1usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only executions created at or before this time (inclusive).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.end`.*/
        pub fn created_at_end(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    2usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Number of results in a page. It doesn't bound the number of results in all: a listing has
further pages. Its default and its maximum are not specified. It must not be used together
with `page_cursor`.

Sent as `limit`, but not beside a `page_cursor`: the client leaves it out there.*/
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(3usize, value.try_into().ok());
            self
        }
        /**Only executions of this trading pair.

Sent as `market`.*/
        pub fn market(mut self, value: impl TryInto<types::Market>) -> Self {
            self.draft.set(4usize, value.try_into().ok());
            self
        }
        /**Sort direction. Without it the newest records come first.

Sent as `order`.*/
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(5usize, value.try_into().ok());
            self
        }
        /**Sort key. The only value is `CREATED_AT`.

Sent as `order_by`.*/
        pub fn order_by(mut self, value: impl TryInto<types::OrderBy>) -> Self {
            self.draft.set(6usize, value.try_into().ok());
            self
        }
        /**The `next_page_cursor` of the page before, as it came: it is opaque. When it is used, the
pagination limit and offset fields must not be used.

Sent as `page_cursor`.*/
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(7usize, value.try_into().ok());
            self
        }
        /**Only executions of this side.

Sent as `side`.*/
        pub fn side(mut self, value: impl TryInto<types::Side>) -> Self {
            self.draft.set(8usize, value.try_into().ok());
            self
        }
        /**Only executions in this status.

Sent as `status`.*/
        pub fn status(
            mut self,
            value: impl TryInto<types::QuoteExecutionStatus>,
        ) -> Self {
            self.draft.set(9usize, value.try_into().ok());
            self
        }
        fn __prepare(
            self,
            mode: crate::validate::Mode,
        ) -> Result<crate::call::PreparedCall, crate::Error> {
            let operation = crate::Operation::ListQuoteExecutions;
            self.draft
                .prepare(operation, Self::PARAMETERS, mode)
                .map_err(|error| error.of(operation))
        }
        /// Options of this call or listing. What they name overrides the client's.
        pub fn options(mut self, options: crate::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if there is a value: `.maybe(limit, Self::limit)`.
        pub fn maybe<V>(
            self,
            value: Option<V>,
            set: impl FnOnce(Self, V) -> Self,
        ) -> Self {
            match value {
                Some(value) => set(self, value),
                None => self,
            }
        }
        /// Checks what `send` checks before it sends, and sends nothing.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, as that of `send`.
        pub fn check(&self) -> Result<(), crate::Error> {
            self.clone().__prepare(crate::validate::Mode::Send)?.check()
        }
        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, couldn't be
        /// converted or is outside the description's bounds, or if an array of the query is empty,
        /// which would be no filter at all; otherwise see [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<crate::ResponseValue<types::QuoteExecutionPage>, crate::Error> {
            self.__prepare(crate::validate::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static crate::operation::Listing = &crate::operation::Listing {
            not_with_cursor: &["limit"],
            filters: &[],
            smallest_page: Some("1"),
            order: Some(crate::operation::Order {
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: Some(crate::operation::OrderKey {
                    by_time: "CREATED_AT",
                    is_default: true,
                }),
            }),
            time_range: Some(crate::operation::TimeRange {
                from: "created_at.begin",
                until: "created_at.end",
                until_inclusive: true,
            }),
        };
        /**The listing page by page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> crate::Pages<types::QuoteExecutionPage> {
            crate::Pages::new(self.__prepare(crate::validate::Mode::Pages))
        }
        /**Every record of the listing, from page to page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page. `.limit(10).items()` is the whole listing, ten records to a page.

With [`concurrency`](crate::Items::concurrency) many requests list it concurrently.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> crate::Items<types::QuoteExecution> {
            crate::Items::new::<
                types::QuoteExecutionPage,
            >(Self::LISTING, self.__prepare(crate::validate::Mode::Items))
        }
    }
    /**The call that [`Client::list_monitoring_addresses`](crate::Client::list_monitoring_addresses) begins.

```no_run
# async fn example(client: digital_assets::Client) -> Result<(), Box<dyn std::error::Error>> {
let mut items = client.list_monitoring_addresses().items();
while let Some(item) = items.next().await {
    let item = item?;
    println!("{item:?}");
}
# Ok(())
# }
```*/
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListMonitoringAddresses {
        draft: crate::call::Draft,
    }
    /// Prints no parameters: they are the caller's data.
    impl std::fmt::Debug for ListMonitoringAddresses {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListMonitoringAddresses)).finish_non_exhaustive()
        }
    }
    impl ListMonitoringAddresses {
        /// What the description says of each parameter.
        pub(crate) const PARAMETERS: &'static [crate::call::Parameter] = &[
            crate::call::Parameter::query("address", "a string"),
            crate::call::Parameter::query("crypto_network", "a string"),
            crate::call::Parameter::query("limit", "a 32-bit integer")
                .within({
                    static RULE: crate::validate::Rule = crate::validate::Rule::Integer {
                        least: None,
                        most: Some(1000),
                        multiple_of: None,
                    };
                    &RULE
                }),
            crate::call::Parameter::query("order", "a string"),
            crate::call::Parameter::query("page_cursor", "a string"),
        ];
        pub(crate) fn new(sender: crate::call::Sender) -> Self {
            Self {
                draft: crate::call::Draft::new(sender),
            }
        }
        /**Only this monitored address. It must be valid for the given network.

Sent as `address`.*/
        pub fn address(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(0usize, value.try_into().ok());
            self
        }
        /**Only addresses on this network. This listing supports `ETHEREUM`, `SOLANA`, `INK` and
`XLAYER`.

Sent as `crypto_network`.*/
        pub fn crypto_network(
            mut self,
            value: impl TryInto<types::CryptoNetwork>,
        ) -> Self {
            self.draft.set(1usize, value.try_into().ok());
            self
        }
        /**Number of results in a page, 100 by default, at most 1000. It doesn't bound the number of
results in all: a listing has further pages.

Sent as `limit`.*/
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(2usize, value.try_into().ok());
            self
        }
        /**Sort direction. Without it the newest records come first.

Sent as `order`.*/
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(3usize, value.try_into().ok());
            self
        }
        /**The `next_page_cursor` of the page before, as it came: it is opaque.

Sent as `page_cursor`.*/
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(4usize, value.try_into().ok());
            self
        }
        fn __prepare(
            self,
            mode: crate::validate::Mode,
        ) -> Result<crate::call::PreparedCall, crate::Error> {
            let operation = crate::Operation::ListMonitoringAddresses;
            self.draft
                .prepare(operation, Self::PARAMETERS, mode)
                .map_err(|error| error.of(operation))
        }
        /// Options of this call or listing. What they name overrides the client's.
        pub fn options(mut self, options: crate::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if there is a value: `.maybe(limit, Self::limit)`.
        pub fn maybe<V>(
            self,
            value: Option<V>,
            set: impl FnOnce(Self, V) -> Self,
        ) -> Self {
            match value {
                Some(value) => set(self, value),
                None => self,
            }
        }
        /// Checks what `send` checks before it sends, and sends nothing.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, as that of `send`.
        pub fn check(&self) -> Result<(), crate::Error> {
            self.clone().__prepare(crate::validate::Mode::Send)?.check()
        }
        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, couldn't be
        /// converted or is outside the description's bounds, or if an array of the query is empty,
        /// which would be no filter at all; otherwise see [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<crate::ResponseValue<types::MonitoringAddressPage>, crate::Error> {
            self.__prepare(crate::validate::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static crate::operation::Listing = &crate::operation::Listing {
            not_with_cursor: &[],
            filters: &[],
            smallest_page: Some("1"),
            order: Some(crate::operation::Order {
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: None,
            }),
            time_range: None,
        };
        /**The listing page by page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> crate::Pages<types::MonitoringAddressPage> {
            crate::Pages::new(self.__prepare(crate::validate::Mode::Pages))
        }
        /**Every record of the listing, from page to page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page. `.limit(10).items()` is the whole listing, ten records to a page.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> crate::Items<types::MonitoringAddress> {
            crate::Items::new::<
                types::MonitoringAddressPage,
            >(Self::LISTING, self.__prepare(crate::validate::Mode::Items))
        }
    }
    /**The call that [`Client::list_deposit_addresses`](crate::Client::list_deposit_addresses) begins.

```no_run
# async fn example(client: digital_assets::Client) -> Result<(), Box<dyn std::error::Error>> {
let mut items = client.list_deposit_addresses().items();
while let Some(item) = items.next().await {
    let item = item?;
    println!("{item:?}");
}
# Ok(())
# }
```*/
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListDepositAddresses {
        draft: crate::call::Draft,
    }
    /// Prints no parameters: they are the caller's data.
    impl std::fmt::Debug for ListDepositAddresses {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListDepositAddresses)).finish_non_exhaustive()
        }
    }
    impl ListDepositAddresses {
        /// What the description says of each parameter.
        pub(crate) const PARAMETERS: &'static [crate::call::Parameter] = &[
            crate::call::Parameter::query("account_ids", "a string")
                .entries(1usize, Some(100usize), false),
            crate::call::Parameter::query("created_at.eq", "a time"),
            crate::call::Parameter::query("created_at.gt", "a time"),
            crate::call::Parameter::query("created_at.gte", "a time"),
            crate::call::Parameter::query("created_at.lt", "a time"),
            crate::call::Parameter::query("created_at.lte", "a time"),
            crate::call::Parameter::query("identity_ids", "a string")
                .entries(1usize, Some(100usize), false),
            crate::call::Parameter::query("ids", "a UUID")
                .entries(1usize, Some(100usize), false),
            crate::call::Parameter::query("limit", "a 32-bit integer")
                .within({
                    static RULE: crate::validate::Rule = crate::validate::Rule::Integer {
                        least: None,
                        most: Some(1000),
                        multiple_of: None,
                    };
                    &RULE
                }),
            crate::call::Parameter::query("networks", "a string")
                .entries(1usize, Some(100usize), false),
            crate::call::Parameter::query("order", "a string"),
            crate::call::Parameter::query("order_by", "a string"),
            crate::call::Parameter::query("page_cursor", "a string"),
            crate::call::Parameter::query("profile_ids", "a string")
                .entries(1usize, Some(100usize), false),
            crate::call::Parameter::query("ref_ids", "a string")
                .entries(1usize, Some(100usize), false),
        ];
        pub(crate) fn new(sender: crate::call::Sender) -> Self {
            Self {
                draft: crate::call::Draft::new(sender),
            }
        }
        /**Only addresses of these accounts. At most 100 entries.

Sent as `account_ids`.*/
        pub fn account_ids(
            mut self,
            entries: impl IntoIterator<Item = impl Into<String>>,
        ) -> Self {
            self.draft.set_all(0usize, entries.into_iter().map(Into::<String>::into));
            self
        }
        /**Only addresses created at exactly this time.

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.eq`.*/
        pub fn created_at_eq(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    1usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only addresses created after this time (strictly greater than).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.gt`.*/
        pub fn created_at_gt(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    2usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only addresses created at or after this time (greater than or equal).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.gte`.*/
        pub fn created_at_gte(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    3usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only addresses created before this time (strictly less than).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.lt`.*/
        pub fn created_at_lt(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    4usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only addresses created at or before this time (less than or equal).

A [`DateTime`](chrono::DateTime) of any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.lte`.*/
        pub fn created_at_lte(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(
                    5usize,
                    value.try_into().ok().map(|time| crate::call::rfc3339(&time)),
                );
            self
        }
        /**Only addresses of these identities. At most 100 entries.

Sent as `identity_ids`.*/
        pub fn identity_ids(
            mut self,
            entries: impl IntoIterator<Item = impl Into<String>>,
        ) -> Self {
            self.draft.set_all(6usize, entries.into_iter().map(Into::<String>::into));
            self
        }
        /**Only the deposit addresses with these identifiers. At most 100 entries.

Sent as `ids`.*/
        pub fn ids(
            mut self,
            entries: impl IntoIterator<Item = impl Into<uuid::Uuid>>,
        ) -> Self {
            self.draft
                .set_all(7usize, entries.into_iter().map(Into::<uuid::Uuid>::into));
            self
        }
        /**Number of results in a page, 100 by default, at most 1000. It doesn't bound the number of
results in all: a listing has further pages.

Sent as `limit`.*/
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(8usize, value.try_into().ok());
            self
        }
        /**Only addresses on these networks. At most 100 entries.

Sent as `networks`.*/
        pub fn networks(
            mut self,
            entries: impl IntoIterator<Item = impl Into<types::CryptoNetwork>>,
        ) -> Self {
            self.draft
                .set_all(
                    9usize,
                    entries.into_iter().map(Into::<types::CryptoNetwork>::into),
                );
            self
        }
        /**Sort direction. Without it the newest records come first.

Sent as `order`.*/
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(10usize, value.try_into().ok());
            self
        }
        /**Sort key. The only value is `CREATED_AT`.

Sent as `order_by`.*/
        pub fn order_by(mut self, value: impl TryInto<types::OrderBy>) -> Self {
            self.draft.set(11usize, value.try_into().ok());
            self
        }
        /**The `next_page_cursor` of the page before, as it came: it is opaque.

Sent as `page_cursor`.*/
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(12usize, value.try_into().ok());
            self
        }
        /**Only addresses of these profiles. At most 100 entries.

Sent as `profile_ids`.*/
        pub fn profile_ids(
            mut self,
            entries: impl IntoIterator<Item = impl Into<String>>,
        ) -> Self {
            self.draft.set_all(13usize, entries.into_iter().map(Into::<String>::into));
            self
        }
        /**Only addresses created with these client-specified identifiers. At most 100 entries.

Sent as `ref_ids`.*/
        pub fn ref_ids(
            mut self,
            entries: impl IntoIterator<Item = impl Into<String>>,
        ) -> Self {
            self.draft.set_all(14usize, entries.into_iter().map(Into::<String>::into));
            self
        }
        fn __prepare(
            self,
            mode: crate::validate::Mode,
        ) -> Result<crate::call::PreparedCall, crate::Error> {
            let operation = crate::Operation::ListDepositAddresses;
            self.draft
                .prepare(operation, Self::PARAMETERS, mode)
                .map_err(|error| error.of(operation))
        }
        /// Options of this call or listing. What they name overrides the client's.
        pub fn options(mut self, options: crate::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if there is a value: `.maybe(limit, Self::limit)`.
        pub fn maybe<V>(
            self,
            value: Option<V>,
            set: impl FnOnce(Self, V) -> Self,
        ) -> Self {
            match value {
                Some(value) => set(self, value),
                None => self,
            }
        }
        /// Checks what `send` checks before it sends, and sends nothing.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, as that of `send`.
        pub fn check(&self) -> Result<(), crate::Error> {
            self.clone().__prepare(crate::validate::Mode::Send)?.check()
        }
        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, couldn't be
        /// converted or is outside the description's bounds, or if an array of the query is empty,
        /// which would be no filter at all; otherwise see [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<crate::ResponseValue<types::DepositAddressPage>, crate::Error> {
            self.__prepare(crate::validate::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static crate::operation::Listing = &crate::operation::Listing {
            not_with_cursor: &[],
            filters: &[
                ("profile_ids", 100usize),
                ("identity_ids", 100usize),
                ("account_ids", 100usize),
                ("ids", 100usize),
                ("ref_ids", 100usize),
                ("networks", 100usize),
            ],
            smallest_page: Some("1"),
            order: Some(crate::operation::Order {
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: Some(crate::operation::OrderKey {
                    by_time: "CREATED_AT",
                    is_default: true,
                }),
            }),
            time_range: Some(crate::operation::TimeRange {
                from: "created_at.gte",
                until: "created_at.lte",
                until_inclusive: true,
            }),
        };
        /**The listing page by page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> crate::Pages<types::DepositAddressPage> {
            crate::Pages::new(self.__prepare(crate::validate::Mode::Pages))
        }
        /**Every record of the listing, from page to page, as a stream.

Nothing is sent before the first poll. An empty filter array is an empty listing, without a request.

[`limit`](Self::limit) is the size of a page. `.limit(10).items()` is the whole listing, ten records to a page.

A filter with more entries than one request may carry is split over several, and their records are merged in order.

With [`concurrency`](crate::Items::concurrency) many requests list it concurrently.*/
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> crate::Items<types::DepositAddress> {
            crate::Items::new::<
                types::DepositAddressPage,
            >(Self::LISTING, self.__prepare(crate::validate::Mode::Items))
        }
    }
    /**The call that [`Client::add_institution_members`](crate::Client::add_institution_members) begins.

```no_run
# async fn example(client: digital_assets::Client) -> Result<(), Box<dyn std::error::Error>> {
use digital_assets::types;

let answer = client
    .add_institution_members()
    .body(types::AddInstitutionMembersRequest {
        institution_id: "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409".parse()?,
        members: Vec::from([
            types::InstitutionMemberToAdd {
                identity_id: "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06".parse()?,
                roles: Vec::from(["ROLE_NAME".into()]),
            },
        ]),
    })
    .send()
    .await?
    .into_inner();
println!("{answer:?}");
# Ok(())
# }
```*/
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct AddInstitutionMembers {
        draft: crate::call::Draft,
        body: Option<Result<types::builder::AddInstitutionMembersRequest, String>>,
    }
    /// Prints no parameters: they are the caller's data.
    impl std::fmt::Debug for AddInstitutionMembers {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(AddInstitutionMembers)).finish_non_exhaustive()
        }
    }
    impl AddInstitutionMembers {
        /// What the description says of each parameter.
        pub(crate) const PARAMETERS: &'static [crate::call::Parameter] = &[];
        pub(crate) fn new(sender: crate::call::Sender) -> Self {
            Self {
                draft: crate::call::Draft::new(sender),
                body: Some(Ok(Default::default())),
            }
        }
        /// The description's rules for the body.
        pub(crate) const BODY: Option<&'static crate::validate::Rule> = Some(
            &super::rules::AddInstitutionMembersRequest,
        );
        /**The request's body.

The institution and its new members.*/
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: TryInto<types::AddInstitutionMembersRequest>,
            V::Error: std::fmt::Display,
        {
            let body = value.try_into().map(From::from);
            self.body = Some(
                body.map_err(|e| format!("`body` can't be converted: {e}")),
            );
            self
        }
        fn __prepare(
            self,
            mode: crate::validate::Mode,
        ) -> Result<crate::call::PreparedCall, crate::Error> {
            let operation = crate::Operation::AddInstitutionMembers;
            self.draft
                .prepare(operation, Self::PARAMETERS, mode)
                .and_then(|start| {
                    start
                        .with_body::<
                            types::AddInstitutionMembersRequest,
                            _,
                        >(self.body, true, Self::BODY)
                })
                .map_err(|error| error.of(operation))
        }
        /// Options of this call or listing. What they name overrides the client's.
        pub fn options(mut self, options: crate::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if there is a value: `.maybe(limit, Self::limit)`.
        pub fn maybe<V>(
            self,
            value: Option<V>,
            set: impl FnOnce(Self, V) -> Self,
        ) -> Self {
            match value {
                Some(value) => set(self, value),
                None => self,
            }
        }
        /// Checks what `send` checks before it sends, and sends nothing.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, as that of `send`.
        pub fn check(&self) -> Result<(), crate::Error> {
            self.clone().__prepare(crate::validate::Mode::Send)?.check()
        }
        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, couldn't be
        /// converted or is outside the description's bounds, or if an array of the query is empty,
        /// which would be no filter at all; otherwise see [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<
            crate::ResponseValue<types::AddInstitutionMembersResponse>,
            crate::Error,
        > {
            self.__prepare(crate::validate::Mode::Send)?.send().await
        }
    }
}
/// The bounds of the requests.
#[allow(non_upper_case_globals)]
mod rules {
    use crate::validate::Rule;
    pub(super) static AddInstitutionMembersRequest: Rule = crate::validate::Rule::Object {
        least: 0usize,
        most: None,
        properties: &[
            (
                "members",
                &crate::validate::Rule::Array {
                    least: 1usize,
                    most: None,
                    unique: false,
                    items: Some(&InstitutionMemberToAdd),
                },
            ),
        ],
        values: None,
    };
    pub(super) static InstitutionMemberToAdd: Rule = crate::validate::Rule::Object {
        least: 0usize,
        most: None,
        properties: &[
            (
                "roles",
                &crate::validate::Rule::Array {
                    least: 1usize,
                    most: None,
                    unique: false,
                    items: None,
                },
            ),
        ],
        values: None,
    };
}
impl crate::listing::sealed::Page for types::DepositAddressPage {}
impl crate::listing::Page for types::DepositAddressPage {
    type Item = types::DepositAddress;
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_cursor.as_deref()
    }
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
        (self.items, self.next_page_cursor)
    }
}
impl crate::listing::sealed::Page for types::MonitoringAddressPage {}
impl crate::listing::Page for types::MonitoringAddressPage {
    type Item = types::MonitoringAddress;
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_cursor.as_deref()
    }
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
        (self.addresses, self.next_page_cursor)
    }
}
impl crate::listing::sealed::Page for types::QuoteExecutionPage {}
impl crate::listing::Page for types::QuoteExecutionPage {
    type Item = types::QuoteExecution;
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_cursor.as_deref()
    }
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
        (self.items, self.next_page_cursor)
    }
}
impl crate::listing::sealed::Record for types::DepositAddress {}
impl crate::listing::Record for types::DepositAddress {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<crate::Id> {
        Some(self.id.into())
    }
}
impl crate::listing::sealed::Record for types::MonitoringAddress {}
impl crate::listing::Record for types::MonitoringAddress {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<crate::Id> {
        Some(self.id.into())
    }
}
impl crate::listing::sealed::Record for types::QuoteExecution {}
impl crate::listing::Record for types::QuoteExecution {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<crate::Id> {
        Some(self.id.into())
    }
    fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "CREATED")
    }
}
impl crate::listing::Timed for types::DepositAddress {}
impl crate::listing::Timed for types::QuoteExecution {}
/// The description's examples of identifiers, by schema and property.
#[cfg(feature = "sandbox")]
pub(crate) static EXAMPLE_IDS: &[(&str, &str, &str)] = &[
    (
        "AddInstitutionMembersRequest",
        "institution_id",
        "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    ),
    (
        "AddInstitutionMembersResponse",
        "institution_id",
        "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409",
    ),
    ("DepositAddress", "customer_id", "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607"),
    ("DepositAddress", "id", "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05"),
    ("DepositAddress", "identity_id", "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"),
    ("DepositAddress", "profile_id", "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"),
    ("InstitutionMember", "id", "e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a"),
    ("InstitutionMember", "identity_id", "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"),
    ("InstitutionMemberToAdd", "identity_id", "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"),
    ("MonitoringAddress", "id", "2e9a6d14-70b3-4c8f-9e21-8b4c5d6e7f04"),
    ("QuoteExecution", "id", "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01"),
    ("QuoteExecution", "profile_id", "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"),
    ("QuoteExecution", "quote_id", "9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03"),
];
