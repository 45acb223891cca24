//! The HTTP transport. It restricts the origins, sends requests through HTTP clients or services,
//! records whether a request has been sent, and reads responses.

mod clock;
pub(crate) use clock::ServiceClock;
mod date;
pub(crate) use date::http_date;
mod layers;
pub(crate) use layers::HttpServices;
pub use layers::HttpTransport;
mod origin;
pub(crate) use origin::{Connections, Origin};
mod read_body;
pub(crate) use read_body::{ERROR_BODY_TIMEOUT, GZIP, has_no_length, read_start, read_whole};
mod renewing;
mod send_guard;
pub(crate) use send_guard::SendGuard;
mod service;
pub(crate) use service::HttpService;
mod source;
pub(crate) use source::HttpSource;
// If `native-tls` is enabled, reqwest uses the platform's TLS, even if rustls is enabled too.
#[cfg_attr(
    any(feature = "native-tls", not(any(feature = "rustls", feature = "rustls-no-provider"))),
    path = "platform_tls.rs"
)]
mod tls;
pub(crate) use tls::Tls;
