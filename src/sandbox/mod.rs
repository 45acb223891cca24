//! The service of the specification, in memory, for tests and examples.
//!
//! A [`Sandbox`] has a token endpoint with client credentials and scopes, and the operations
//! with every filter, bound, default and order that the specification shows. It generates its
//! records from a seed. They are consistent: whatever the filters, the pages together are exactly
//! the matching records, in order. Records with equal times have a fixed order, reversed in `DESC`.
//! The sandbox rejects a request that violates the specification with 400 and a problem document
//! (RFC 7807). A test can make it fail: see [`Fault`].
//!
//! With [`SandboxBuilder::start`], the sandbox listens on 127.0.0.1 for clients in any language.
//! With [`SandboxBuilder::build`], it has no port: this crate's client calls it directly, and while
//! Tokio's clock is paused, waits take no time. A listening sandbox has routes under `/sandbox`,
//! with which tests in any language inject faults and insert records. [`CONTROL_YAML`] describes
//! them.
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
//! Without a port, under a paused clock, with a fault, and with a client that has a single scope:
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
//! If the specification says "not shown", the sandbox makes a choice. The real service may differ.
//!
//! | about | choice |
//! |---|---|
//! | errors | a problem document; `meta.parameter` names the parameter at fault |
//! | an unknown or repeated parameter | is rejected, so that typos are noticed |
//! | an unknown side, market, status or network in a filter | matches no record, because the lists grow |
//! | an unknown `order` or `order_by` | is rejected |
//! | the newest records | are the same for the same seed, however many there are |
//! | an inserted record | is listed at its `created_at`; cursors stay valid |
//! | a settled execution | has the sandbox's "now" as `settled_at` if a control route settled it |
//! | `limit` below 1 | is rejected |
//! | `limit` of quote executions | is 100 by default; above 10,000, the page has 10,000 records |
//! | a page after a cursor, without `limit` | has the size of the previous page |
//! | a cursor | is valid only with the operation, filters and order that it was issued for |
//! | the last page | has no `next_page_cursor` |
//! | `total_count` | is the number of matching records when the listing started |
//! | array filters | are repeated parameters; an unknown entry matches no record |
//! | a network that contains a comma | is rejected, because a client has joined entries with commas |
//! | `account_ids` | is compared with `customer_id` |
//! | `networks` | is compared with `crypto_network`, not with the compatible networks |
//! | an address filter | compares the string; it must be valid for `crypto_network` if that is given |
//! | the first profile and identity, and the institution | are those of the description's examples, for any seed |
//! | a profile without executions | has an empty listing |
//! | an unknown profile or institution | returns 404 |
//! | any identity | can be added as a member, even several times |
//! | a member without roles | is added without roles, and the response leaves the field out; [`Fault::WithoutOptionalFields`] leaves it out for every member |
//! | a token request | needs a scope, and fails if it names a scope that the client doesn't have |
//! | a client's id and secret | are accepted in the body or the header, unless `auth_style` is set |
//! | a client known by its certificate | needs no certificate, because the sandbox has no TLS |
//! | a token | is opaque and expires after `expires_in` |
//! | an unknown or expired token | returns 401; a token without the scope returns 403 |

mod address;
mod amount;
mod deposit_address;
mod execution;
mod handle;
mod member;
mod metadata;
mod monitoring_address;
mod records;
mod routes;

#[doc(inline)]
pub use oas_client::sandbox::{Fault, Request, SandboxService, Times};

pub use self::{
    handle::{Sandbox, SandboxBuilder},
    routes::CONTROL_YAML,
};
