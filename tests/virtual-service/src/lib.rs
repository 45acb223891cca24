//! An in-memory service with listings, for tests. Its settings make it as unusual as a test needs.
//!
//! A test passes the service to a client's `http_service`, so its requests go through the whole
//! client. The service uses tokio's clock. If that clock is paused, waiting takes no real time:
//!
//! ```no_run
//! use virtual_service::{BEGIN, Bounds, MILLISECOND, Record, Rounding, SECOND, Service, URL};
//!
//! let records = (0..300).map(|n| Record::at(BEGIN + n * 20 * MILLISECOND)).collect();
//! let bounds = Bounds::Read(Rounding::Nearest(SECOND));
//! let endpoint = Service { records, bounds, page: 40, ..Service::default() }.serve();
//! // Client::builder(URL).bearer_token("word").http_service(endpoint.clone())
//! assert_eq!(endpoint.listed("order=ASC").len(), 300);
//! assert_eq!(endpoint.count(), 0);
//! # let _ = URL;
//! ```
//!
//! A record's number is its index in [`Service::records`]; [`id`] returns the identifier for a
//! number. The service has the listings in the specification and in `examples/parcels`. Each listing
//! contains all records. The response to a request with a parameter that its listing doesn't have
//! is a 400.

mod endpoint;
mod fault;
mod listing;
mod order;
mod page;
mod query;
mod record;
mod service;
mod shapes;
mod time;

pub use endpoint::{Asked, Endpoint};
pub use fault::Fault;
pub use order::Ties;
pub use record::{Record, id, number};
pub use service::{End, Service, URL};
pub use shapes::{SHAPES, times};
pub use time::{BEGIN, Bounds, DAY, HOUR, MILLISECOND, MINUTE, Rounding, SECOND, UNITS, nanos};
