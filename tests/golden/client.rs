use oas_client::codegen;
/// The operations as constants, which can be used in patterns.
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
pub mod operation {
    #[allow(unused_imports)]
    use super::{builder, codegen};
    /// `GET /v2/profiles/{profile_id}/quote-executions`
    pub const LIST_QUOTE_EXECUTIONS: codegen::Operation = codegen::operation(
        &codegen::Details {
            index: 0usize,
            id: "listQuoteExecutions",
            method: codegen::Method::GET,
            path: "/v2/profiles/{profile_id}/quote-executions",
            scopes: &["exchange:read_quote_execution"],
            token: codegen::Token::Always,
            api_keys: &[],
            idempotent: false,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: codegen::BodyKind::Page(
                &[("items", &["items", "next_page_cursor", "total_count"])],
            ),
            listing: Some(builder::ListQuoteExecutions::LISTING),
            fields: super::FIELDS,
        },
    );
    /// `GET /v2/rewards/monitor/address`
    pub const LIST_MONITORING_ADDRESSES: codegen::Operation = codegen::operation(
        &codegen::Details {
            index: 1usize,
            id: "listMonitoringAddresses",
            method: codegen::Method::GET,
            path: "/v2/rewards/monitor/address",
            scopes: &["rewards:read_monitoring_address"],
            token: codegen::Token::Always,
            api_keys: &[],
            idempotent: false,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: codegen::BodyKind::Page(
                &[("addresses", &["addresses", "next_page_cursor"])],
            ),
            listing: Some(builder::ListMonitoringAddresses::LISTING),
            fields: super::FIELDS,
        },
    );
    /// `GET /v2/transfer/deposit-addresses`
    pub const LIST_DEPOSIT_ADDRESSES: codegen::Operation = codegen::operation(
        &codegen::Details {
            index: 2usize,
            id: "listDepositAddresses",
            method: codegen::Method::GET,
            path: "/v2/transfer/deposit-addresses",
            scopes: &["transfer:read_deposit_address"],
            token: codegen::Token::Always,
            api_keys: &[],
            idempotent: false,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: codegen::BodyKind::Page(&[("items", &["items", "next_page_cursor"])]),
            listing: Some(builder::ListDepositAddresses::LISTING),
            fields: super::FIELDS,
        },
    );
    /// `POST /v2/identity/institution-members`
    pub const ADD_INSTITUTION_MEMBERS: codegen::Operation = codegen::operation(
        &codegen::Details {
            index: 3usize,
            id: "addInstitutionMembers",
            method: codegen::Method::POST,
            path: "/v2/identity/institution-members",
            scopes: &["identity:write_identity"],
            token: codegen::Token::Always,
            api_keys: &[],
            idempotent: false,
            content_type: "application/json",
            accept: "application/json",
            successes: &[(200u16, 200u16)],
            body: codegen::BodyKind::Json(&["institution_id", "members"]),
            listing: None,
            fields: super::FIELDS,
        },
    );
    /// All operations in the OpenAPI description.
    pub const ALL: &[codegen::Operation] = &[
        LIST_QUOTE_EXECUTIONS,
        LIST_MONITORING_ADDRESSES,
        LIST_DEPOSIT_ADDRESSES,
        ADD_INSTITUTION_MEMBERS,
    ];
}
/// The JSON names of all fields in the OpenAPI description. Error messages hide all other
/// keys in a response.
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
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
/// The types in the OpenAPI description: records and enums.
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
pub mod types {
    #[allow(unused_imports)]
    use super::codegen;
    #[doc(inline)]
    pub use super::codegen::{Decimal, Unknown};
    codegen::open_enums! {
        /// Status of a quote execution. `CREATED`: the execution exists and isn't settled yet. `SETTLED`:
        /// the execution is settled, and `settled_at` is the time of settlement.
        pub enum QuoteExecutionStatus {
            /// `CREATED`
            Created = "CREATED",
            /// `SETTLED`
            Settled = "SETTLED",
        }
        /// Side of the trade. Whether it is the client's side or the counterparty's is not specified.
        pub enum Side {
            /// `BUY`
            Buy = "BUY",
            /// `SELL`
            Sell = "SELL",
        }
        /// Trading pair of a quote execution.
        pub enum Market {
            /// `ETHEUR`
            EthEur = "ETHEUR",
            /// `ETHSGD`
            EthSgd = "ETHSGD",
            /// `ETHUSD`
            EthUsd = "ETHUSD",
            /// `BTCEUR`
            BtcEur = "BTCEUR",
            /// `BTCSGD`
            BtcSgd = "BTCSGD",
            /// `BTCUSD`
            BtcUsd = "BTCUSD",
            /// `PAXGUSD`
            PaxgUsd = "PAXGUSD",
            /// `BCHUSD`
            BchUsd = "BCHUSD",
            /// `LTCUSD`
            LtcUsd = "LTCUSD",
            /// `USDPUSD`
            UsdpUsd = "USDPUSD",
            /// `LINKUSD`
            LinkUsd = "LINKUSD",
            /// `MATICUSD`
            MaticUsd = "MATICUSD",
            /// `AAVEUSD`
            AaveUsd = "AAVEUSD",
            /// `UNIUSD`
            UniUsd = "UNIUSD",
            /// `PEPEUSD`
            PepeUsd = "PEPEUSD",
            /// `TRUMPUSD`
            TrumpUsd = "TRUMPUSD",
            /// `SHIBUSD`
            ShibUsd = "SHIBUSD",
            /// `ARBUSD`
            ArbUsd = "ARBUSD",
            /// `BONKUSD`
            BonkUsd = "BONKUSD",
            /// `ENAUSD`
            EnaUsd = "ENAUSD",
            /// `MNTUSD`
            MntUsd = "MNTUSD",
            /// `ONDOUSD`
            OndoUsd = "ONDOUSD",
            /// `PENGUUSD`
            PenguUsd = "PENGUUSD",
            /// `QNTUSD`
            QntUsd = "QNTUSD",
            /// `RENDERUSD`
            RenderUsd = "RENDERUSD",
            /// `SKYUSD`
            SkyUsd = "SKYUSD",
            /// `WIFUSD`
            WifUsd = "WIFUSD",
            /// `WLDUSD`
            WldUsd = "WLDUSD",
        }
        /// Crypto network of an address.
        pub enum CryptoNetwork {
            /// `BITCOIN`
            Bitcoin = "BITCOIN",
            /// `ETHEREUM`
            Ethereum = "ETHEREUM",
            /// `BITCOIN_CASH`
            BitcoinCash = "BITCOIN_CASH",
            /// `LITECOIN`
            Litecoin = "LITECOIN",
            /// `SOLANA`
            Solana = "SOLANA",
            /// `POLYGON_POS`
            PolygonPos = "POLYGON_POS",
            /// `BASE`
            Base = "BASE",
            /// `ARBITRUM_ONE`
            ArbitrumOne = "ARBITRUM_ONE",
            /// `STELLAR`
            Stellar = "STELLAR",
            /// `INK`
            Ink = "INK",
            /// `XLAYER`
            Xlayer = "XLAYER",
        }
        /// Sort direction, by creation time. `DESC` lists the newest records first.
        pub enum Order {
            /// `DESC`
            Desc = "DESC",
            /// `ASC`
            Asc = "ASC",
        }
        /// Sort key. The only value is `CREATED_AT`.
        pub enum OrderBy {
            /// `CREATED_AT`
            CreatedAt = "CREATED_AT",
        }
    }
    codegen::records! {
        #[request(AddInstitutionMembersRequestBuilder)]
        /// An institution and the members to add to it.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct AddInstitutionMembersRequest {
            #[required]
            /// The institution identity that receives the members.
            pub institution_id: ::uuid::Uuid,
            #[optional]
            /// The members to add. At least one.
            #[serde(default, deserialize_with = "codegen::or_empty")]
            pub members: ::std::vec::Vec<InstitutionMemberToAdd>,
        }
        #[response(AddInstitutionMembersResponseBuilder)]
        /// An institution and the members that were added to it.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct AddInstitutionMembersResponse {
            #[required]
            /// The institution that the members were added to.
            pub institution_id: ::uuid::Uuid,
            #[optional]
            /// The added members, each with its new `id`, and with the `identity_id` and `roles` from the
            /// request.
            #[serde(default, deserialize_with = "codegen::or_empty")]
            pub members: ::std::vec::Vec<InstitutionMember>,
        }
        #[response(DepositAddressBuilder)]
        /// A crypto address for deposits, bound to a profile or an identity.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct DepositAddress {
            #[required]
            /// The on-chain deposit address.
            pub address: ::std::string::String,
            #[optional]
            /// Networks that the address is compatible with. How the address can be used on these networks
            /// is not specified.
            #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
            #[serde(deserialize_with = "codegen::or_empty")]
            pub compatible_crypto_networks: ::std::vec::Vec<crate::types::CryptoNetwork>,
            #[optional]
            /// Code of the asset into which deposits are converted.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            pub conversion_target_asset: ::std::option::Option<::std::string::String>,
            #[required]
            /// Time of creation.
            #[serde(deserialize_with = "codegen::time")]
            pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
            #[required]
            /// Crypto network of an address.
            pub crypto_network: crate::types::CryptoNetwork,
            #[optional]
            /// The associated customer.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub customer_id: ::std::option::Option<::uuid::Uuid>,
            #[required]
            /// Identifier of the deposit address.
            pub id: ::uuid::Uuid,
            #[optional]
            /// The associated identity.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub identity_id: ::std::option::Option<::uuid::Uuid>,
            #[optional]
            /// The client's own key/value pairs. The types of the values are not specified.
            ///
            /// Every number is exact. A number that neither a 64-bit integer nor a 64-bit float represents
            /// exactly, such as `1e999` or one with 20 digits, is a string with the characters that the service
            /// sent. An unpaired surrogate becomes the text of its escape sequence.
            #[serde(default, skip_serializing_if = "::serde_json::Map::is_empty")]
            #[serde(deserialize_with = "codegen::or_empty")]
            pub metadata: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
            #[optional]
            /// The associated profile.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub profile_id: ::std::option::Option<::uuid::Uuid>,
            #[optional]
            /// The identifier that the client specified at creation.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            pub ref_id: ::std::option::Option<::std::string::String>,
        }
        #[response(DepositAddressPageBuilder)]
        /// A page of deposit addresses.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
        pub struct DepositAddressPage {
            #[optional]
            /// The records of this page.
            #[serde(default, deserialize_with = "codegen::or_empty")]
            pub items: ::std::vec::Vec<DepositAddress>,
            #[optional]
            /// Opaque token for the next page. To request that page, send the token as `page_cursor`.
            /// Present if there are further results.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub next_page_cursor: ::std::option::Option<::std::string::String>,
        }
        #[response(InstitutionMemberBuilder)]
        /// A member of an institution.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct InstitutionMember {
            #[required]
            /// Identifier of the membership.
            pub id: ::uuid::Uuid,
            #[required]
            /// The identity that became a member.
            pub identity_id: ::uuid::Uuid,
            #[optional]
            /// The role names from the request. The possible values are not specified. The field may be
            /// absent.
            #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
            #[serde(deserialize_with = "codegen::or_empty")]
            pub roles: ::std::vec::Vec<::std::string::String>,
        }
        #[request(InstitutionMemberToAddBuilder)]
        /// An identity that becomes a member.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct InstitutionMemberToAdd {
            #[required]
            /// The identity that becomes a member.
            pub identity_id: ::uuid::Uuid,
            #[optional]
            /// One or more role names. A single role is sent as an array with one entry. The possible values are not specified.
            #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
            #[serde(deserialize_with = "codegen::or_empty")]
            pub roles: ::std::vec::Vec<::std::string::String>,
        }
        #[response(MonitoringAddressBuilder)]
        /// An on-chain address that is monitored for eligible reward activity.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct MonitoringAddress {
            #[required]
            /// The monitored address, valid for its network. On `SOLANA` it is the wallet account itself,
            /// not a derived account such as an associated token account.
            pub address: ::std::string::String,
            #[required]
            /// Time of creation.
            #[serde(deserialize_with = "codegen::time")]
            pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
            #[required]
            /// Crypto network of an address.
            pub crypto_network: crate::types::CryptoNetwork,
            #[required]
            /// Identifier of the monitoring address.
            pub id: ::uuid::Uuid,
            #[optional]
            /// Name of the address. The field may be absent.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            pub name: ::std::option::Option<::std::string::String>,
        }
        #[response(MonitoringAddressPageBuilder)]
        /// A page of monitoring addresses.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
        pub struct MonitoringAddressPage {
            #[optional]
            /// The records of this page.
            #[serde(default, deserialize_with = "codegen::or_empty")]
            pub addresses: ::std::vec::Vec<MonitoringAddress>,
            #[optional]
            /// Opaque token for the next page. To request that page, send the token as `page_cursor`.
            /// Present if there are further results.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub next_page_cursor: ::std::option::Option<::std::string::String>,
        }
        #[response(QuoteExecutionBuilder)]
        /// A trade executed against a quote.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        pub struct QuoteExecution {
            #[required]
            /// Amount of the base asset. A decimal number in a string.
            pub base_amount: crate::types::Decimal,
            #[required]
            /// Code of the asset on the base side.
            pub base_asset: ::std::string::String,
            #[required]
            /// Time of creation.
            #[serde(deserialize_with = "codegen::time")]
            pub created_at: ::chrono::DateTime<::chrono::offset::Utc>,
            #[required]
            /// Identifier of the execution.
            pub id: ::uuid::Uuid,
            #[required]
            /// Trading pair of a quote execution.
            pub market: crate::types::Market,
            #[optional]
            /// The client's own key/value pairs. The types of the values are not specified.
            ///
            /// Every number is exact. A number that neither a 64-bit integer nor a 64-bit float represents
            /// exactly, such as `1e999` or one with 20 digits, is a string with the characters that the service
            /// sent. An unpaired surrogate becomes the text of its escape sequence.
            #[serde(default, skip_serializing_if = "::serde_json::Map::is_empty")]
            #[serde(deserialize_with = "codegen::or_empty")]
            pub metadata: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
            #[required]
            /// Price of the execution. A decimal number in a string.
            pub price: crate::types::Decimal,
            #[required]
            /// The profile that owns the execution.
            pub profile_id: ::uuid::Uuid,
            #[required]
            /// Amount of the quote asset. A decimal number in a string.
            pub quote_amount: crate::types::Decimal,
            #[required]
            /// Code of the asset on the quote side.
            pub quote_asset: ::std::string::String,
            #[required]
            /// The quote that was executed.
            pub quote_id: ::uuid::Uuid,
            #[optional]
            /// Time of settlement. Present once the status is `SETTLED`.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank_time")]
            pub settled_at: ::std::option::Option<::chrono::DateTime<::chrono::offset::Utc>>,
            #[required]
            /// Side of the trade. Whether it is the client's side or the counterparty's is not specified.
            pub side: crate::types::Side,
            #[required]
            /// Status of a quote execution. `CREATED`: the execution exists and isn't settled yet. `SETTLED`:
            /// the execution is settled, and `settled_at` is the time of settlement.
            pub status: crate::types::QuoteExecutionStatus,
        }
        #[response(QuoteExecutionPageBuilder)]
        /// A page of quote executions.
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[derive(::serde::Serialize, Clone, Debug, Default, PartialEq)]
        pub struct QuoteExecutionPage {
            #[optional]
            /// The records of this page.
            #[serde(default, deserialize_with = "codegen::or_empty")]
            pub items: ::std::vec::Vec<QuoteExecution>,
            #[optional]
            /// Opaque token for the next page. To request that page, send the token as `page_cursor`.
            /// Present if there are further results.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_blank")]
            pub next_page_cursor: ::std::option::Option<::std::string::String>,
            #[optional]
            /// Number of records. Whether this is the size of the page or of the whole listing is not
            /// specified.
            #[serde(skip_serializing_if = "::std::option::Option::is_none")]
            #[serde(default, deserialize_with = "codegen::or_whole")]
            pub total_count: ::std::option::Option<i32>,
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
    /// Builders for the request types, as an alternative to struct literals. The feature
    /// `sandbox` adds builders for the response types, for use in your tests.
    ///
    /// Converting a builder to its type fails if a required field isn't set or a value
    /// can't be converted. The bounds are checked later, by `send()`.
    ///
    /// - Required arrays are an exception: an array that isn't set is empty.
    /// - A required field that may be null must still be set. For null, set it to `None`.
    pub mod builder {
        pub use super::AddInstitutionMembersRequestBuilder as AddInstitutionMembersRequest;
        #[cfg(feature = "sandbox")]
        pub use super::AddInstitutionMembersResponseBuilder as AddInstitutionMembersResponse;
        #[cfg(feature = "sandbox")]
        pub use super::DepositAddressBuilder as DepositAddress;
        #[cfg(feature = "sandbox")]
        pub use super::DepositAddressPageBuilder as DepositAddressPage;
        #[cfg(feature = "sandbox")]
        pub use super::InstitutionMemberBuilder as InstitutionMember;
        pub use super::InstitutionMemberToAddBuilder as InstitutionMemberToAdd;
        #[cfg(feature = "sandbox")]
        pub use super::MonitoringAddressBuilder as MonitoringAddress;
        #[cfg(feature = "sandbox")]
        pub use super::MonitoringAddressPageBuilder as MonitoringAddressPage;
        #[cfg(feature = "sandbox")]
        pub use super::QuoteExecutionBuilder as QuoteExecution;
        #[cfg(feature = "sandbox")]
        pub use super::QuoteExecutionPageBuilder as QuoteExecutionPage;
    }
    /// Returns the JSON Schema of every type. The keys are the names of the types.
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
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl Client {
    /// The service that the client is generated for.
    pub(crate) const SERVICE: &'static codegen::Service = &codegen::Service {
        user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")),
        operations: operation::ALL,
    };
    /// List quote executions
    ///
    /// The executions of one profile, in pages. The newest executions come first unless `order` is
    /// `ASC`.
    ///
    /// Not specified: how filters are combined, how long a cursor is valid, which rate limits apply,
    /// and how a deprecation is announced.
    ///
    /// Sends a `GET` request to `/v2/profiles/{profile_id}/quote-executions`.
    ///
    /// Needs the scope `exchange:read_quote_execution`.
    pub fn list_quote_executions(&self) -> builder::ListQuoteExecutions {
        builder::ListQuoteExecutions::new(codegen::sender(&self.0))
    }
    /// List monitoring addresses
    ///
    /// The on-chain addresses that are monitored for eligible reward activity, in pages. The newest
    /// addresses come first unless `order` is `ASC`. This listing supports the networks `ETHEREUM`,
    /// `SOLANA`, `INK` and `XLAYER`.
    ///
    /// Not specified: how filters are combined, how long a cursor is valid, which rate limits apply,
    /// and how a deprecation is announced.
    ///
    /// Sends a `GET` request to `/v2/rewards/monitor/address`.
    ///
    /// Needs the scope `rewards:read_monitoring_address`.
    pub fn list_monitoring_addresses(&self) -> builder::ListMonitoringAddresses {
        builder::ListMonitoringAddresses::new(codegen::sender(&self.0))
    }
    /// List deposit addresses
    ///
    /// Deposit addresses, in pages. The newest addresses come first unless `order` is `ASC`. An array
    /// filter has at most 100 entries.
    ///
    /// Not specified: how an array filter is sent, how filters and the entries of one filter are
    /// combined, how long a cursor is valid, which rate limits apply, and how a deprecation is
    /// announced.
    ///
    /// Sends a `GET` request to `/v2/transfer/deposit-addresses`.
    ///
    /// Needs the scope `transfer:read_deposit_address`.
    pub fn list_deposit_addresses(&self) -> builder::ListDepositAddresses {
        builder::ListDepositAddresses::new(codegen::sender(&self.0))
    }
    /// Add institution members
    ///
    /// Adds one or more identities, each with one or more roles, to an institution. The response
    /// contains each added member, with the `identity_id` and `roles` from the request, and with a
    /// membership `id`.
    ///
    /// Not specified: whether the same request may be sent twice, what happens if an identity is
    /// already a member, which rate limits apply, and how a deprecation is announced. Don't repeat a
    /// request that may have been applied.
    ///
    /// Sends a `POST` request to `/v2/identity/institution-members`.
    ///
    /// Needs the scope `identity:write_identity`.
    pub fn add_institution_members(&self) -> builder::AddInstitutionMembers {
        builder::AddInstitutionMembers::new(codegen::sender(&self.0))
    }
}
/// The builders for calls, one per operation. Set the parameters, then call `send`, or
/// `items` for a listing.
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
pub mod builder {
    #[allow(unused_imports)]
    use super::{codegen, operation, types};
    /// The builder that [`Client::list_quote_executions`](crate::Client::list_quote_executions) returns.
    ///
    /// ```no_run
    #[doc = concat!(
        " # async fn example(client: ", env!("CARGO_CRATE_NAME"),
        "::Client) -> Result<(), Box<dyn std::error::Error>> {"
    )]
    /// let mut items = client
    ///     .list_quote_executions()
    ///     .profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10")
    ///     .items();
    /// while let Some(item) = items.next().await {
    ///     let item = item?;
    ///     println!("{item:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListQuoteExecutions {
        draft: codegen::Draft,
    }
    /// Omits the parameters, because they are the caller's data.
    impl std::fmt::Debug for ListQuoteExecutions {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListQuoteExecutions)).finish_non_exhaustive()
        }
    }
    impl ListQuoteExecutions {
        /// The parameters of the operation, with the rules for their values.
        pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[
            codegen::Parameter::path("profile_id", codegen::Kind::Text),
            codegen::Parameter::query("created_at.begin", codegen::Kind::Time),
            codegen::Parameter::query("created_at.end", codegen::Kind::Time),
            codegen::Parameter::query("limit", codegen::Kind::Int32),
            codegen::Parameter::query("market", codegen::Kind::Text),
            codegen::Parameter::query("order", codegen::Kind::Text),
            codegen::Parameter::query("order_by", codegen::Kind::Text),
            codegen::Parameter::query("page_cursor", codegen::Kind::Text),
            codegen::Parameter::query("side", codegen::Kind::Text),
            codegen::Parameter::query("status", codegen::Kind::Text),
        ];
        pub(crate) fn new(sender: codegen::Sender) -> Self {
            Self {
                draft: codegen::Draft::new(sender),
            }
        }
        /// The profile that the executions belong to.
        ///
        /// Sent as `profile_id`.
        pub fn profile_id(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(0usize, value.try_into().ok());
            self
        }
        /// Only executions created at or after this time (inclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.begin`.
        pub fn created_at_begin(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(1usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only executions created at or before this time (inclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.end`.
        pub fn created_at_end(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(2usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Number of results per page. It doesn't limit the total number of results, because a listing
        /// continues on further pages. The default and the maximum are not specified. `limit` must not
        /// be sent together with `page_cursor`.
        ///
        /// Sent as `limit`. The client omits it from requests with a `page_cursor`.
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(3usize, value.try_into().ok());
            self
        }
        /// Only executions of this trading pair.
        ///
        /// Sent as `market`.
        pub fn market(mut self, value: impl TryInto<types::Market>) -> Self {
            self.draft.set(4usize, value.try_into().ok());
            self
        }
        /// Sort direction. By default, the newest records come first.
        ///
        /// Sent as `order`.
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(5usize, value.try_into().ok());
            self
        }
        /// Sort key. The only value is `CREATED_AT`.
        ///
        /// Sent as `order_by`.
        pub fn order_by(mut self, value: impl TryInto<types::OrderBy>) -> Self {
            self.draft.set(6usize, value.try_into().ok());
            self
        }
        /// The unchanged `next_page_cursor` from the previous page. It must not be sent together with
        /// `limit` or an offset.
        ///
        /// Sent as `page_cursor`.
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(7usize, value.try_into().ok());
            self
        }
        /// Only executions on this side.
        ///
        /// Sent as `side`.
        pub fn side(mut self, value: impl TryInto<types::Side>) -> Self {
            self.draft.set(8usize, value.try_into().ok());
            self
        }
        /// Only executions with this status.
        ///
        /// Sent as `status`.
        pub fn status(
            mut self,
            value: impl TryInto<types::QuoteExecutionStatus>,
        ) -> Self {
            self.draft.set(9usize, value.try_into().ok());
            self
        }
        fn __prepare(
            self,
            mode: codegen::Mode,
        ) -> Result<codegen::PreparedCall, codegen::Error> {
            self.draft.prepare(operation::LIST_QUOTE_EXECUTIONS, Self::PARAMETERS, mode)
        }
        /// Sets the options of this call or listing, which override the client's options.
        pub fn options(mut self, options: codegen::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if `value` is `Some`: `.maybe(page_cursor, Self::page_cursor)`.
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
        /// Checks the request as `send` does, without sending it.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, in the same cases as `send`.
        pub fn check(&self) -> Result<(), codegen::Error> {
            self.clone().__prepare(codegen::Mode::Send)?.check()
        }
        /// Sends the request and reads the response.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, can't be
        /// converted or violates the OpenAPI description. An array in the query must not be
        /// empty, because the service would read it as "no filter". For other errors, see
        /// [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<codegen::ResponseValue<types::QuoteExecutionPage>, codegen::Error> {
            self.__prepare(codegen::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static codegen::Listing = &codegen::Listing {
            cursor: "page_cursor",
            not_with_cursor: &["limit"],
            filters: &[],
            size: Some(codegen::PageSize {
                parameter: "limit",
                smallest: Some("1"),
            }),
            time: Some("created_at"),
            order: Some(codegen::Order {
                parameter: "order",
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: Some(codegen::OrderKey {
                    parameter: "order_by",
                    by_time: "CREATED_AT",
                    is_default: true,
                }),
            }),
            time_range: Some(codegen::TimeRange {
                from: "created_at.begin",
                until: "created_at.end",
                until_inclusive: true,
            }),
        };
        /// Returns a stream of the listing's pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> codegen::Pages<types::QuoteExecutionPage> {
            codegen::pages::<Self>(self.__prepare(codegen::Mode::Pages))
        }
        /// Returns a stream of all records of the listing, across its pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size. `.limit(10).items()` returns the whole listing, ten records per page.
        ///
        /// With [`concurrency`](crate::Items::concurrency), the stream sends several requests at once.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> codegen::Items<types::QuoteExecution> {
            codegen::items::<Self>(Self::LISTING, self.__prepare(codegen::Mode::Items))
        }
    }
    /// The builder that [`Client::list_monitoring_addresses`](crate::Client::list_monitoring_addresses) returns.
    ///
    /// ```no_run
    #[doc = concat!(
        " # async fn example(client: ", env!("CARGO_CRATE_NAME"),
        "::Client) -> Result<(), Box<dyn std::error::Error>> {"
    )]
    /// let mut items = client.list_monitoring_addresses().items();
    /// while let Some(item) = items.next().await {
    ///     let item = item?;
    ///     println!("{item:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListMonitoringAddresses {
        draft: codegen::Draft,
    }
    /// Omits the parameters, because they are the caller's data.
    impl std::fmt::Debug for ListMonitoringAddresses {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListMonitoringAddresses)).finish_non_exhaustive()
        }
    }
    impl ListMonitoringAddresses {
        /// The parameters of the operation, with the rules for their values.
        pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[
            codegen::Parameter::query("address", codegen::Kind::Text),
            codegen::Parameter::query("crypto_network", codegen::Kind::Text),
            codegen::Parameter::query("limit", codegen::Kind::Int32)
                .within({
                    static RULE: codegen::Rule = codegen::Rule::Integer {
                        least: None,
                        most: Some(1000),
                        multiple_of: None,
                    };
                    &RULE
                }),
            codegen::Parameter::query("order", codegen::Kind::Text),
            codegen::Parameter::query("page_cursor", codegen::Kind::Text),
        ];
        pub(crate) fn new(sender: codegen::Sender) -> Self {
            Self {
                draft: codegen::Draft::new(sender),
            }
        }
        /// Only this monitored address. It must be valid for the given network.
        ///
        /// Sent as `address`.
        pub fn address(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(0usize, value.try_into().ok());
            self
        }
        /// Only addresses on this network. This listing supports `ETHEREUM`, `SOLANA`, `INK` and
        /// `XLAYER`.
        ///
        /// Sent as `crypto_network`.
        pub fn crypto_network(
            mut self,
            value: impl TryInto<types::CryptoNetwork>,
        ) -> Self {
            self.draft.set(1usize, value.try_into().ok());
            self
        }
        /// Number of results per page: 100 by default, at most 1000. It doesn't limit the total number of
        /// results, because a listing continues on further pages.
        ///
        /// Sent as `limit`.
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(2usize, value.try_into().ok());
            self
        }
        /// Sort direction. By default, the newest records come first.
        ///
        /// Sent as `order`.
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(3usize, value.try_into().ok());
            self
        }
        /// The unchanged `next_page_cursor` from the previous page.
        ///
        /// Sent as `page_cursor`.
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(4usize, value.try_into().ok());
            self
        }
        fn __prepare(
            self,
            mode: codegen::Mode,
        ) -> Result<codegen::PreparedCall, codegen::Error> {
            self.draft
                .prepare(operation::LIST_MONITORING_ADDRESSES, Self::PARAMETERS, mode)
        }
        /// Sets the options of this call or listing, which override the client's options.
        pub fn options(mut self, options: codegen::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if `value` is `Some`: `.maybe(page_cursor, Self::page_cursor)`.
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
        /// Checks the request as `send` does, without sending it.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, in the same cases as `send`.
        pub fn check(&self) -> Result<(), codegen::Error> {
            self.clone().__prepare(codegen::Mode::Send)?.check()
        }
        /// Sends the request and reads the response.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, can't be
        /// converted or violates the OpenAPI description. An array in the query must not be
        /// empty, because the service would read it as "no filter". For other errors, see
        /// [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<
            codegen::ResponseValue<types::MonitoringAddressPage>,
            codegen::Error,
        > {
            self.__prepare(codegen::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static codegen::Listing = &codegen::Listing {
            cursor: "page_cursor",
            not_with_cursor: &[],
            filters: &[],
            size: Some(codegen::PageSize {
                parameter: "limit",
                smallest: Some("1"),
            }),
            time: Some("created_at"),
            order: Some(codegen::Order {
                parameter: "order",
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: None,
            }),
            time_range: None,
        };
        /// Returns a stream of the listing's pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> codegen::Pages<types::MonitoringAddressPage> {
            codegen::pages::<Self>(self.__prepare(codegen::Mode::Pages))
        }
        /// Returns a stream of all records of the listing, across its pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size. `.limit(10).items()` returns the whole listing, ten records per page.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> codegen::Items<types::MonitoringAddress> {
            codegen::items::<Self>(Self::LISTING, self.__prepare(codegen::Mode::Items))
        }
    }
    /// The builder that [`Client::list_deposit_addresses`](crate::Client::list_deposit_addresses) returns.
    ///
    /// ```no_run
    #[doc = concat!(
        " # async fn example(client: ", env!("CARGO_CRATE_NAME"),
        "::Client) -> Result<(), Box<dyn std::error::Error>> {"
    )]
    /// let mut items = client.list_deposit_addresses().items();
    /// while let Some(item) = items.next().await {
    ///     let item = item?;
    ///     println!("{item:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct ListDepositAddresses {
        draft: codegen::Draft,
    }
    /// Omits the parameters, because they are the caller's data.
    impl std::fmt::Debug for ListDepositAddresses {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(ListDepositAddresses)).finish_non_exhaustive()
        }
    }
    impl ListDepositAddresses {
        /// The parameters of the operation, with the rules for their values.
        pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[
            codegen::Parameter::query("account_ids", codegen::Kind::Text)
                .entries(0usize, Some(100usize), false),
            codegen::Parameter::query("created_at.eq", codegen::Kind::Time),
            codegen::Parameter::query("created_at.gt", codegen::Kind::Time),
            codegen::Parameter::query("created_at.gte", codegen::Kind::Time),
            codegen::Parameter::query("created_at.lt", codegen::Kind::Time),
            codegen::Parameter::query("created_at.lte", codegen::Kind::Time),
            codegen::Parameter::query("identity_ids", codegen::Kind::Text)
                .entries(0usize, Some(100usize), false),
            codegen::Parameter::query("ids", codegen::Kind::Uuid)
                .entries(0usize, Some(100usize), false),
            codegen::Parameter::query("limit", codegen::Kind::Int32)
                .within({
                    static RULE: codegen::Rule = codegen::Rule::Integer {
                        least: None,
                        most: Some(1000),
                        multiple_of: None,
                    };
                    &RULE
                }),
            codegen::Parameter::query("networks", codegen::Kind::Text)
                .entries(0usize, Some(100usize), false),
            codegen::Parameter::query("order", codegen::Kind::Text),
            codegen::Parameter::query("order_by", codegen::Kind::Text),
            codegen::Parameter::query("page_cursor", codegen::Kind::Text),
            codegen::Parameter::query("profile_ids", codegen::Kind::Text)
                .entries(0usize, Some(100usize), false),
            codegen::Parameter::query("ref_ids", codegen::Kind::Text)
                .entries(0usize, Some(100usize), false),
        ];
        pub(crate) fn new(sender: codegen::Sender) -> Self {
            Self {
                draft: codegen::Draft::new(sender),
            }
        }
        /// Only addresses of these accounts. At most 100 entries.
        ///
        /// Sent as `account_ids`.
        pub fn account_ids(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<String>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(0usize, entries);
            self
        }
        /// Only addresses created at exactly this time.
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.eq`.
        pub fn created_at_eq(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(1usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only addresses created after this time (exclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.gt`.
        pub fn created_at_gt(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(2usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only addresses created at or after this time (inclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.gte`.
        pub fn created_at_gte(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(3usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only addresses created before this time (exclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.lt`.
        pub fn created_at_lt(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(4usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only addresses created at or before this time (inclusive).
        ///
        /// Accepts a [`DateTime`](chrono::DateTime) with any offset, or a [`SystemTime`](std::time::SystemTime). Sent as `created_at.lte`.
        pub fn created_at_lte(
            mut self,
            value: impl TryInto<chrono::DateTime<chrono::Utc>>,
        ) -> Self {
            self.draft
                .set(5usize, value.try_into().ok().map(|time| codegen::rfc3339(&time)));
            self
        }
        /// Only addresses of these identities. At most 100 entries.
        ///
        /// Sent as `identity_ids`.
        pub fn identity_ids(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<String>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(6usize, entries);
            self
        }
        /// Only the deposit addresses with these identifiers. At most 100 entries.
        ///
        /// Sent as `ids`.
        pub fn ids(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<uuid::Uuid>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(7usize, entries);
            self
        }
        /// Number of results per page: 100 by default, at most 1000. It doesn't limit the total number of
        /// results, because a listing continues on further pages.
        ///
        /// Sent as `limit`.
        pub fn limit(mut self, value: impl TryInto<i32>) -> Self {
            self.draft.set(8usize, value.try_into().ok());
            self
        }
        /// Only addresses on these networks. At most 100 entries.
        ///
        /// Sent as `networks`.
        pub fn networks(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<types::CryptoNetwork>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(9usize, entries);
            self
        }
        /// Sort direction. By default, the newest records come first.
        ///
        /// Sent as `order`.
        pub fn order(mut self, value: impl TryInto<types::Order>) -> Self {
            self.draft.set(10usize, value.try_into().ok());
            self
        }
        /// Sort key. The only value is `CREATED_AT`.
        ///
        /// Sent as `order_by`.
        pub fn order_by(mut self, value: impl TryInto<types::OrderBy>) -> Self {
            self.draft.set(11usize, value.try_into().ok());
            self
        }
        /// The unchanged `next_page_cursor` from the previous page.
        ///
        /// Sent as `page_cursor`.
        pub fn page_cursor(mut self, value: impl TryInto<String>) -> Self {
            self.draft.set(12usize, value.try_into().ok());
            self
        }
        /// Only addresses of these profiles. At most 100 entries.
        ///
        /// Sent as `profile_ids`.
        pub fn profile_ids(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<String>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(13usize, entries);
            self
        }
        /// Only addresses created with these client-specified identifiers. At most 100 entries.
        ///
        /// Sent as `ref_ids`.
        pub fn ref_ids(
            mut self,
            entries: impl IntoIterator<Item = impl TryInto<String>>,
        ) -> Self {
            let entries = entries.into_iter().map(|entry| entry.try_into().ok());
            self.draft.set_all(14usize, entries);
            self
        }
        fn __prepare(
            self,
            mode: codegen::Mode,
        ) -> Result<codegen::PreparedCall, codegen::Error> {
            self.draft.prepare(operation::LIST_DEPOSIT_ADDRESSES, Self::PARAMETERS, mode)
        }
        /// Sets the options of this call or listing, which override the client's options.
        pub fn options(mut self, options: codegen::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if `value` is `Some`: `.maybe(page_cursor, Self::page_cursor)`.
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
        /// Checks the request as `send` does, without sending it.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, in the same cases as `send`.
        pub fn check(&self) -> Result<(), codegen::Error> {
            self.clone().__prepare(codegen::Mode::Send)?.check()
        }
        /// Sends the request and reads the response.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, can't be
        /// converted or violates the OpenAPI description. An array in the query must not be
        /// empty, because the service would read it as "no filter". For other errors, see
        /// [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<codegen::ResponseValue<types::DepositAddressPage>, codegen::Error> {
            self.__prepare(codegen::Mode::Send)?.send().await
        }
        pub(crate) const LISTING: &'static codegen::Listing = &codegen::Listing {
            cursor: "page_cursor",
            not_with_cursor: &[],
            filters: &[
                ("profile_ids", 100usize),
                ("identity_ids", 100usize),
                ("account_ids", 100usize),
                ("ids", 100usize),
                ("ref_ids", 100usize),
                ("networks", 100usize),
            ],
            size: Some(codegen::PageSize {
                parameter: "limit",
                smallest: Some("1"),
            }),
            time: Some("created_at"),
            order: Some(codegen::Order {
                parameter: "order",
                ascending: "ASC",
                descending: "DESC",
                ascending_by_default: Some(false),
                key: Some(codegen::OrderKey {
                    parameter: "order_by",
                    by_time: "CREATED_AT",
                    is_default: true,
                }),
            }),
            time_range: Some(codegen::TimeRange {
                from: "created_at.gte",
                until: "created_at.lte",
                until_inclusive: true,
            }),
        };
        /// Returns a stream of the listing's pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> codegen::Pages<types::DepositAddressPage> {
            codegen::pages::<Self>(self.__prepare(codegen::Mode::Pages))
        }
        /// Returns a stream of all records of the listing, across its pages.
        ///
        /// Nothing is sent before the first poll. If a filter array is empty, the stream is empty and sends no request.
        ///
        /// [`limit`](Self::limit) sets the page size. `.limit(10).items()` returns the whole listing, ten records per page.
        ///
        /// If a filter has too many entries for one request, the filter is split over several requests, and the records are merged in order.
        ///
        /// With [`concurrency`](crate::Items::concurrency), the stream sends several requests at once.
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> codegen::Items<types::DepositAddress> {
            codegen::items::<Self>(Self::LISTING, self.__prepare(codegen::Mode::Items))
        }
    }
    /// The builder that [`Client::add_institution_members`](crate::Client::add_institution_members) returns.
    ///
    /// ```no_run
    #[doc = concat!(
        " # async fn example(client: ", env!("CARGO_CRATE_NAME"),
        "::Client) -> Result<(), Box<dyn std::error::Error>> {"
    )]
    #[doc = concat!(" use ", env!("CARGO_CRATE_NAME"), "::types;")]
    ///
    /// let response = client
    ///     .add_institution_members()
    ///     .body(types::AddInstitutionMembersRequest {
    ///         institution_id: "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409".parse()?,
    ///         members: Vec::from([
    ///             types::InstitutionMemberToAdd {
    ///                 identity_id: "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06".parse()?,
    ///                 roles: Vec::from(["ROLE_NAME".into()]),
    ///             },
    ///         ]),
    ///     })
    ///     .send()
    ///     .await?
    ///     .into_inner();
    /// println!("{response:?}");
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone)]
    #[must_use = "a call does nothing until it is sent or listed"]
    pub struct AddInstitutionMembers {
        draft: codegen::Draft,
        body: Option<Result<types::builder::AddInstitutionMembersRequest, String>>,
    }
    /// Omits the parameters, because they are the caller's data.
    impl std::fmt::Debug for AddInstitutionMembers {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct(stringify!(AddInstitutionMembers)).finish_non_exhaustive()
        }
    }
    impl AddInstitutionMembers {
        /// The parameters of the operation, with the rules for their values.
        pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[];
        pub(crate) fn new(sender: codegen::Sender) -> Self {
            Self {
                draft: codegen::Draft::new(sender),
                body: Some(Ok(Default::default())),
            }
        }
        /// The bounds of the body in the OpenAPI description.
        pub(crate) const BODY: Option<&'static codegen::Rule> = Some(
            &super::rules::AddInstitutionMembersRequest,
        );
        /// The request body.
        ///
        /// The institution and its new members.
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
            mode: codegen::Mode,
        ) -> Result<codegen::PreparedCall, codegen::Error> {
            self.draft
                .prepare(operation::ADD_INSTITUTION_MEMBERS, Self::PARAMETERS, mode)
                .and_then(|start| {
                    start
                        .with_body::<
                            types::AddInstitutionMembersRequest,
                            _,
                        >(self.body, true, Self::BODY)
                })
        }
        /// Sets the options of this call or listing, which override the client's options.
        pub fn options(mut self, options: codegen::CallOptions) -> Self {
            self.draft.options(options);
            self
        }
        /// Calls a setter if `value` is `Some`.
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
        /// Checks the request as `send` does, without sending it.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, in the same cases as `send`.
        pub fn check(&self) -> Result<(), codegen::Error> {
            self.clone().__prepare(codegen::Mode::Send)?.check()
        }
        /// Sends the request and reads the response.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, if a parameter is missing, can't be
        /// converted or violates the OpenAPI description. An array in the query must not be
        /// empty, because the service would read it as "no filter". For other errors, see
        /// [`ErrorKind`](crate::ErrorKind).
        #[inline]
        pub async fn send(
            self,
        ) -> Result<
            codegen::ResponseValue<types::AddInstitutionMembersResponse>,
            codegen::Error,
        > {
            self.__prepare(codegen::Mode::Send)?.send().await
        }
    }
}
/// The rules for the schemas that are used in requests.
#[allow(dead_code, non_upper_case_globals)]
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
mod rules {
    use oas_client::codegen::{self, Rule};
    pub(super) static AddInstitutionMembersRequest: Rule = codegen::Rule::Object {
        least: 0usize,
        most: None,
        properties: &[
            (
                "members",
                &codegen::Rule::Array {
                    least: 1usize,
                    most: None,
                    unique: false,
                    items: Some(&InstitutionMemberToAdd),
                },
            ),
        ],
        values: None,
    };
    pub(super) static InstitutionMemberToAdd: Rule = codegen::Rule::Object {
        least: 0usize,
        most: None,
        properties: &[
            (
                "roles",
                &codegen::Rule::Array {
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
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Paging for builder::ListQuoteExecutions {
    type Page = types::QuoteExecutionPage;
    type Item = types::QuoteExecution;
    fn cursor(page: &Self::Page) -> Option<String> {
        page.next_page_cursor.as_ref().map(ToString::to_string)
    }
    fn records(page: Self::Page) -> Vec<Self::Item> {
        page.items
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Paging for builder::ListMonitoringAddresses {
    type Page = types::MonitoringAddressPage;
    type Item = types::MonitoringAddress;
    fn cursor(page: &Self::Page) -> Option<String> {
        page.next_page_cursor.as_ref().map(ToString::to_string)
    }
    fn records(page: Self::Page) -> Vec<Self::Item> {
        page.addresses
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Paging for builder::ListDepositAddresses {
    type Page = types::DepositAddressPage;
    type Item = types::DepositAddress;
    fn cursor(page: &Self::Page) -> Option<String> {
        page.next_page_cursor.as_ref().map(ToString::to_string)
    }
    fn records(page: Self::Page) -> Vec<Self::Item> {
        page.items
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::sealed::Record for types::DepositAddress {}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Record for types::DepositAddress {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<codegen::Id> {
        Some(self.id.into())
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::sealed::Record for types::MonitoringAddress {}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Record for types::MonitoringAddress {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<codegen::Id> {
        Some(self.id.into())
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::sealed::Record for types::QuoteExecution {}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Record for types::QuoteExecution {
    fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        Some(self.created_at)
    }
    fn id(&self) -> Option<codegen::Id> {
        Some(self.id.into())
    }
    fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "CREATED")
    }
}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Timed for types::DepositAddress {}
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
impl codegen::Timed for types::QuoteExecution {}
/// The example identifiers in the OpenAPI description. An entry contains the name of the
/// schema, the name of the property, and the identifier.
#[allow(dead_code)]
#[cfg(feature = "sandbox")]
#[allow(
    deprecated,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unused_mut,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
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
