//! Sends a client's calls. Before each attempt, waits for an access token and for the operation's
//! rate limit.

use std::sync::Arc;

use reqwest::{
    Url,
    header::{HeaderMap, HeaderValue},
};
use tokio::time::{Instant, timeout_at};

use super::{
    CallOptions,
    rate_limit::{Limits, Turn},
};
use crate::{
    Error, ErrorKind, Operation, TokenSource,
    auth::TokenCache,
    operation::{Service, Token},
    retry::Budget,
    transport::{HttpServices, ServiceClock},
};

const NO_CREDENTIALS: &str = "the client has no credentials: set `credentials` or `bearer_token`, or use \
                              a client made by `with_credentials`";

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

    /// Waits until the request may be sent. Returns the access token, if the operation needs one,
    /// and the operation's turn.
    pub(super) async fn ready_to_send(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<(Option<HeaderValue>, Turn), Error> {
        let has_key = |header: &str| {
            self.shared.api_keys.contains_key(header) || self.options.headers.contains_key(header)
        };
        let mut keys = operation.details.api_keys.iter();
        if let Some((header, _)) = keys.find(|(header, required)| *required && !has_key(header)) {
            return Err(Error::configuration(format!(
                "the client has no API key for the header `{header}`: set `api_key`"
            )));
        }
        let limit = self.shared.limits.of(operation);
        let mut waited = false;
        loop {
            waited |= limit.ready(operation, deadline).await?;
            let token = match operation.details.token {
                Token::Never => None,
                Token::IfAny | Token::Always => {
                    let token = self.shared.tokens.token(operation, deadline);
                    let why = "the call's deadline passed while it waited for an access token";
                    let late = |_| Err(Error::new(ErrorKind::Timeout, why));
                    timeout_at(deadline, token).await.unwrap_or_else(late)?
                }
            };
            if token.is_none() && operation.details.token == Token::Always {
                return Err(Error::configuration(NO_CREDENTIALS));
            }
            if Instant::now() >= deadline {
                let why = "the call's deadline passed before the request could be sent";
                return Err(Error::new(ErrorKind::Timeout, why));
            }
            // The turn is taken only after the token has arrived. Otherwise, calls that waited for
            // the same token would all be sent at once.
            if let Some(turn) = limit.take(self.options.time_per_attempt(), waited) {
                return Ok((token, turn));
            }
        }
    }
}
