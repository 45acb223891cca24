//! The client, and its builder.

mod builder;
pub use builder::ClientBuilder;
mod environment;
pub use environment::from_env;
mod newtype;

use std::{fmt, sync::Arc};

use crate::{CallOptions, TokenSource, call::Sender};

/// Sends calls. A generated client wraps this client and has a method for each operation.
///
/// A clone is cheap and shares connections, tokens, rate limits and the retry budget.
#[derive(Clone)]
pub struct Client {
    pub(crate) sender: Sender,
}

impl Client {
    /// Returns a client whose calls have these options. The new client shares everything else with
    /// the current one. It costs one allocation more than a clone, and a copy of the headers.
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self { sender: self.sender.with_options(options) }
    }

    /// Returns a client for the same service with other credentials, for programs that serve
    /// several tenants. The new client shares connections and settings with the current one, but
    /// has its own tokens, rate limits, waits after a 429 and retry budget.
    ///
    /// This costs a few allocations and reads no certificates. The source isn't checked here: if
    /// the source is misconfigured, every call fails.
    #[must_use]
    pub fn with_credentials(&self, source: impl TokenSource + 'static) -> Self {
        Self { sender: self.sender.with_source(Arc::new(source)) }
    }

    /// Releases the operations that a 429 holds back, for this client and all its clones. Waiting
    /// calls are sent at once.
    ///
    /// A 429 holds its operation back for as long as `Retry-After` says, at most 5 minutes. Without
    /// `Retry-After`, the hold doubles with each hold in a row ([`Retry`](crate::Retry)). After the
    /// hold, one call is sent first. The other calls follow unless the first call gets a 429 as
    /// well. This method doesn't end the pause after a failed token request.
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
