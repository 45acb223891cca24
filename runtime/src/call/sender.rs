//! What the calls of a client share: settings, connections, tokens, rate limits and the retry
//! budget.

use std::sync::Arc;

use reqwest::{Url, header::HeaderMap};

use super::{CallOptions, rate_limit::Limits};
use crate::{
    TokenSource,
    auth::TokenCache,
    operation::Service,
    retry::Budget,
    transport::{HttpServices, ServiceClock},
};

/// The sender of a client's calls. A sender is cheap to clone.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "it holds tokens")]
pub struct Sender {
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: Arc<CallOptions>,
}

/// The state that a client shares with its clones.
pub(crate) struct Shared {
    pub service: &'static Service,
    pub base: Url,
    pub http: HttpServices,
    pub tokens: TokenCache,
    /// The API keys, by header.
    pub api_keys: HeaderMap,
    pub clock: ServiceClock,
    pub limits: Limits,
    pub budget: Budget,
}

impl Sender {
    /// Returns a sender with these options, which override the current options. The new sender
    /// shares everything else with the current sender.
    pub(crate) fn with_options(&self, options: CallOptions) -> Self {
        let options = Arc::new(self.options.with(options));
        Self { shared: Arc::clone(&self.shared), options }
    }

    /// Returns a sender that gets its access tokens from another source. The new sender has its own
    /// rate limits and retry budget.
    pub(crate) fn with_source(&self, source: Arc<dyn TokenSource>) -> Self {
        let Shared { service, base, http, tokens, api_keys, limits, .. } = &*self.shared;
        source.identify(service.user_agent);
        let shared = Shared {
            service,
            base: base.clone(),
            http: http.clone(),
            tokens: tokens.with_source(source),
            api_keys: api_keys.clone(),
            limits: limits.with_fresh_state(),
            budget: Budget::default(),
            clock: ServiceClock::default(),
        };
        Self { shared: Arc::new(shared), options: Arc::clone(&self.options) }
    }
}
