//! The client, and its builder.

mod builder;
pub use builder::ClientBuilder;
mod environment;
pub use environment::Environment;
mod newtype;

use std::{fmt, sync::Arc};

use crate::{CallOptions, TokenSource, call::Sender, operation::Service};

/// A client that is generated from an OpenAPI description. [`client!`](crate::client) implements
/// this trait.
pub trait GeneratedClient: From<Client> {
    /// The operations of the service.
    #[doc(hidden)]
    const SERVICE: &'static Service;
}

/// The runtime's client, which sends calls. A generated client wraps this client and has a method
/// for each operation.
///
/// Cloning a client is cheap. The clone shares connections, tokens, rate limits and the retry
/// budget with the original.
#[derive(Clone)]
pub struct Client {
    pub(crate) sender: Sender,
}

impl Client {
    /// Returns a client with these options, which override the current client's options. The new
    /// client shares everything else with the current one.
    ///
    /// Compared to cloning the client, this method makes one more allocation and copies the
    /// headers.
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self { sender: self.sender.with_options(options) }
    }

    /// Returns a client for the same service with other credentials, for programs that serve
    /// several tenants.
    ///
    /// The new client shares connections and settings with the current one, but has its own tokens,
    /// rate limits, holds after a 429 and retry budget. API keys are settings: if each tenant has
    /// its own, set them with [`CallOptions::header`](crate::CallOptions::header).
    ///
    /// This method makes only a few allocations and reads no certificates. It doesn't check the
    /// credentials. If they are misconfigured, every call that needs a token fails.
    #[must_use]
    pub fn with_credentials(&self, source: impl TokenSource + 'static) -> Self {
        Self { sender: self.sender.with_source(Arc::new(source)) }
    }

    /// Ends all holds that were caused by a 429, for this client and all its clones. The calls that
    /// were held back continue immediately.
    ///
    /// After a 429, all calls of the same operation are held back for as long as `Retry-After`
    /// says, up to 5 minutes. Without `Retry-After`, the length of the hold roughly doubles with
    /// each consecutive hold (see [`Retry`](crate::Retry)). After the hold, one call is sent first.
    /// The other calls follow unless the first call also gets a 429. This method doesn't end the
    /// pause after a failed token request.
    pub fn release_holds(&self) {
        self.sender.shared.limits.release();
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.sender.shared.base.as_str())
            .finish_non_exhaustive()
    }
}
