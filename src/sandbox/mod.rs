//! An in-memory version of the service, for tests and examples.
//!
//! A [`Sandbox`] has a token endpoint with client credentials and scopes. It supports all
//! operations, with the filters, bounds, defaults and orders from the specification. It generates
//! its records from a seed. Whatever the filters, the pages of a listing together contain exactly
//! the matching records, in order. Records with equal times have a fixed order, which is reversed
//! if the order is `DESC`. If a request violates the specification, the sandbox responds with 400
//! and a problem document (RFC 7807). A test can make requests fail: see [`Fault`].
//!
//! With [`SandboxBuilder::start`], the sandbox listens on 127.0.0.1 for clients in any language.
//! Tests in any language can inject faults and insert records through its control routes under
//! `/sandbox`, which [`CONTROL_YAML`] describes.
//!
//! With [`SandboxBuilder::build`], the sandbox has no port, and this crate's client calls it
//! directly. While Tokio's clock is paused, waits take no time.
//!
//! ```
//! use digital_assets::{operation, sandbox::{Fault, Sandbox, Times}};
//!
//! # async fn example() -> Result<(), digital_assets::Error> {
//! let sandbox = Sandbox::builder().executions(1_000_000).times(Times::Skewed).start().await?;
//! sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(503));
//! // … calls to sandbox.base_url() …
//! for request in sandbox.requests() {
//!     assert!(request.path.starts_with("/v2/"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A sandbox without a port, with a paused clock, a fault, and an OAuth client with only one scope:
//!
//! ```
//! use std::time::Duration;
//!
//! use digital_assets::{
//!     ClientCredentials, ErrorKind, operation,
//!     sandbox::{Fault, Sandbox},
//! };
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), digital_assets::Error> {
//! let scopes = ["transfer:read_deposit_address"];
//! let sandbox = Sandbox::builder().client("reports", "sesame", scopes).build();
//! let wait = Some(Duration::from_secs(20));
//! sandbox.fault(operation::LIST_DEPOSIT_ADDRESSES, Fault::TooManyRequests { retry_after: wait });
//! let credentials = ClientCredentials::new(sandbox.token_url(), "reports", "sesame")
//!     .http_service(sandbox.http_service());
//! let client = sandbox.client_builder().credentials(credentials).build()?;
//!
//! let page = client.list_deposit_addresses().limit(5).send().await?;
//!
//! assert_eq!(page.items.len(), 5);
//! assert_eq!(sandbox.request_count(operation::LIST_DEPOSIT_ADDRESSES), 2);
//! let error = client.list_monitoring_addresses().send().await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Token); // `invalid_scope`
//! # Ok(())
//! # }
//! ```
//!
//! # Choices
//!
//! If the specification says nothing about a case, the sandbox behaves as described in this table.
//! The real service may behave differently.
//!
//! | about | choice |
//! |---|---|
//! | an error response | is a problem document; `meta.parameter` names the invalid parameter |
//! | an unknown or repeated parameter | is rejected, so that typos are noticed |
//! | an unknown side, market, status or network in a filter | is accepted but matches no record, because the service may add new values |
//! | an unknown `order` or `order_by` | is rejected |
//! | the newest records | depend only on the seed, not on the number of records |
//! | an inserted record | is listed at its `created_at`; cursors stay valid |
//! | an execution that a control route settles | gets the sandbox's "now" as `settled_at`, or its `created_at` if that is later |
//! | `limit` below 1 | is rejected |
//! | `limit` of quote executions | is 100 by default; a value above 10,000 counts as 10,000 |
//! | the page for a cursor, if `limit` is missing | has the size of the previous page |
//! | a cursor | is valid only with the operation, filters and order that it was issued for |
//! | the last page | has no `next_page_cursor` |
//! | `total_count` | is the number of matching records when the first page was requested |
//! | array filters | are sent as repeated parameters; an unknown entry matches no record |
//! | a network that contains a comma | is rejected, because the client has probably joined several networks with commas |
//! | `account_ids` | is compared with `customer_id` |
//! | `networks` | is compared with `crypto_network`, not with the compatible networks |
//! | an address filter | is compared as a string; if the request has a `crypto_network`, the address must be valid for it |
//! | the first profile and identity, and the institution | have the ids from the examples in `openapi.yaml`, whatever the seed |
//! | a profile without executions | has an empty listing |
//! | an unknown profile or institution | leads to a 404 |
//! | any identity | can be added as a member, even several times |
//! | a member without roles | is added, and the response leaves `roles` out; [`Fault::WithoutOptionalFields`] leaves `roles` out for every member |
//! | a token request | needs a scope, and fails if it names a scope that the client doesn't have |
//! | a client's id and secret | are accepted in the body or in a Basic header, unless `auth_style` is set |
//! | a client that is registered for certificate authentication | needs no certificate here, because the sandbox has no TLS |
//! | a token | is opaque and expires after `expires_in` |
//! | an unknown or expired token | leads to a 401 |
//! | a token without the required scope | leads to a 403 |

mod address;
mod amount;
mod deposit_address;
mod execution;
mod handle;
mod member;
mod metadata;
mod monitoring_address;
mod options;
mod records;
mod routes;

#[doc(inline)]
pub use oas_client::sandbox::{Fault, Request, SandboxService, Times};

pub use self::{options::Options, records::Records, routes::CONTROL_YAML};

/// An in-memory version of the service, for tests. Its methods for the records of this service are
/// those of [`Records`].
pub type Sandbox = oas_client::sandbox::Sandbox<Records>;

/// A builder for a [`Sandbox`]. Its methods for the records of this service are those of
/// [`Options`].
pub type SandboxBuilder = oas_client::sandbox::SandboxBuilder<Records>;
