//! The service of the specification, in memory, for tests and examples.
//!
//! A [`Sandbox`] has a token endpoint with client credentials and scopes, and the operations
//! with every filter, bound, default and order that the specification shows. It generates its
//! records from a seed. They are consistent: whatever the filters, the pages together are exactly
//! the matching records, in order. Records with equal times have a fixed order, reversed in `DESC`.
//! The sandbox rejects what the specification forbids with 400 and a problem document (RFC 7807). It
//! fails on demand: see [`Fault`].
//!
//! With [`SandboxBuilder::start`], it listens on 127.0.0.1 for clients in any language. With
//! [`SandboxBuilder::build`], it has no port: this crate's client calls it directly, and while
//! Tokio's clock is paused, waits take no time. A listening sandbox has routes under `/sandbox`, with
//! which tests in any language inject faults and insert records. [`CONTROL_YAML`] describes them.
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
//! Where the specification says "not shown", the sandbox makes a choice. The real service may
//! choose otherwise.
//!
//! | about | the sandbox |
//! |---|---|
//! | errors | answers with a problem document; `meta.parameter` names the parameter at fault |
//! | an unknown or repeated parameter | rejects it, so that typos show |
//! | an unknown side, market, status or network in a filter | finds no records, because the lists grow |
//! | an unknown `order` or `order_by` | rejects it |
//! | the newest records | are the same for the same seed, however many there are |
//! | an inserted record | takes the place of its `created_at` in listings; cursors stay valid |
//! | a settled execution | has the sandbox's "now" as `settled_at` if a control route settled it |
//! | `limit` below 1 | rejects it |
//! | `limit` of quote executions | 100 by default; above 10,000 the page has 10,000 records |
//! | a page that follows a cursor, without `limit` | has the size of the page before |
//! | a cursor | belongs to its operation, filters and order; rejects it with others |
//! | the last page | has no `next_page_cursor` |
//! | `total_count` | counts the matching records once, when a listing begins |
//! | array filters | are repeated parameters; an unknown entry matches nothing |
//! | a network that contains a comma | rejects it, so that a client that joins entries with commas shows |
//! | `account_ids` | finds records by their `customer_id` |
//! | `networks` | finds records by their `crypto_network`, not by the compatible ones |
//! | an address filter | compares the text; it must be valid for `crypto_network` if that is given |
//! | the first profile and identity, and the institution | are those of the description's examples, for any seed |
//! | a profile without executions | has an empty listing; an unknown profile is 404 |
//! | an unknown institution | is 404; any identity can be added as a member, even several times |
//! | a member without roles | is added without roles; the answer leaves the field out, and on demand those of other members ([`Fault::WithoutOptionalFields`]) |
//! | token requests | need a scope, and get none if they ask for one that the client doesn't have; accept a client's id and secret in body or header, unless told otherwise |
//! | a client known by its certificate | is taken at its word: the sandbox has no TLS |
//! | a token | is opaque and expires after `expires_in`; 401 if unknown or expired, 403 without the scope |

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
