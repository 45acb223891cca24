//! A service of listings in memory, as odd as a test wants it, on tokio's clock.
//!
//! It answers through `http_service`, so a test asks it through the whole client, and under a
//! paused clock the time that it takes costs none:
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
//! A record is known by its number: its index in [`Service::records`], and as an identifier [`id`].
//! The listings of the specification and of `tests/second` are served, each with all records. A
//! parameter that a listing doesn't have is answered with 400.

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
