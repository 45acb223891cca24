//! Access tokens: how the client fetches them, and how long it keeps them.

#[cfg(feature = "private-key-jwt")]
mod assertion;
#[cfg(feature = "private-key-jwt")]
pub use assertion::Signer;
mod backoff;
mod cached_token;
pub(crate) use cached_token::bearer;
mod client_authentication;
pub use client_authentication::AuthStyle;
mod client_credentials;
pub use client_credentials::ClientCredentials;
mod entry;
mod in_flight;
#[cfg(feature = "private-key-jwt")]
mod pem_signer;
#[cfg(feature = "private-key-jwt")]
pub use pem_signer::PemSigner;
mod source;
pub use source::{AccessToken, TokenSource};
mod throttle;
mod token_cache;
pub(crate) use token_cache::{Credentials, TokenCache};
