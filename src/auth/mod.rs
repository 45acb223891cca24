//! Access tokens: who fetches one, and how long it is kept.

pub(crate) mod answer;
mod client_credentials;
pub use client_credentials::{AuthStyle, ClientCredentials};
mod flight;
mod kept;
mod pace;
pub(crate) mod source;
pub use source::{AccessToken, BoxFuture, TokenSource};
mod tokens;
pub(crate) use tokens::Tokens;
mod trouble;
