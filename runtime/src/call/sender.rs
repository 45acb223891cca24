//! Sends a call: gets a token, waits for a turn, makes an attempt, and retries where that is safe.

use std::sync::Arc;

use reqwest::{StatusCode, Url, header::HeaderValue};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, field::Empty};

use super::{
    Call, CallOptions, after,
    options::CALL_TIMEOUT,
    rate_limit::{Limits, Turn},
    span::{host, record},
};
use crate::{
    Error, ErrorKind, Operation, ResponseValue, TokenSource,
    auth::TokenCache,
    decode,
    operation::{Service, Token},
    raw_response::RawResponse,
    retry::Budget,
    transport::{Connections, HttpServices, ServiceClock},
};

/// How often one call sends a request again at no cost that the service says it didn't process.
const MOST_UNPROCESSED: u32 = 5;

/// What sends the calls of a client. Cheap to clone.
#[derive(Clone)]
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
    pub clock: ServiceClock,
    pub limits: Limits,
    pub budget: Budget,
}

impl Sender {
    /// The same with these options. It shares everything else.
    pub(crate) fn with_options(&self, options: CallOptions) -> Self {
        let options = Arc::new(self.options.with(options));
        Self { shared: Arc::clone(&self.shared), options }
    }

    /// The same with tokens of another source, and limits and a budget of their own.
    pub(crate) fn with_source(&self, source: Arc<dyn TokenSource>) -> Self {
        let Shared { service, base, http, tokens, limits, .. } = &*self.shared;
        source.identify(service.user_agent);
        let shared = Shared {
            service,
            base: base.clone(),
            http: http.clone(),
            tokens: tokens.of_another(source),
            limits: limits.anew(),
            budget: Budget::default(),
            clock: ServiceClock::default(),
        };
        Self { shared: Arc::new(shared), options: Arc::clone(&self.options) }
    }

    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        call: &Call,
    ) -> Result<ResponseValue<T>, Error> {
        let (operation, base) = (call.operation, &self.shared.base);
        let span = tracing::info_span!(
            "call",
            otel.name = operation.id(),
            otel.kind = "internal",
            otel.status_code = Empty,
            operation = operation.id(),
            http.request.method = operation.method().as_str(),
            url.template = operation.path(),
            server.address = host(base),
            server.port = base.port_or_known_default().map(i64::from),
            http.response.status_code = Empty,
            error.type = Empty,
        );
        let sending = async {
            let (response, attempts) = self.send_with_retries(call).await?;
            decode::read::<T>(operation, response).map_err(|error| error.with_attempts(attempts))
        };
        let result =
            sending.instrument(span.clone()).await.map_err(|error| error.with_operation(operation));
        record(&span, result.as_ref().map(ResponseValue::status));
        result
    }

    /// Sends the request until it succeeds or must not be sent again.
    async fn send_with_retries(&self, call: &Call) -> Result<(RawResponse, u32), Error> {
        self.options.check()?;
        let (operation, shared) = (call.operation, &*self.shared);
        let deadline = after(self.options.call_timeout.unwrap_or(CALL_TIMEOUT));
        let retry = self.options.retry.clone().unwrap_or_default();
        let mut waits = retry.schedule();
        let (mut attempts, mut spent, mut unprocessed) = (0, 0, 0);
        let (mut renewed, mut connections) = (false, Connections::Kept);
        loop {
            let turn = self.turn(operation, deadline).await;
            let (token, turn) =
                turn.map_err(|error| error.with_attempts(attempts).without_effect())?;

            let result = self.attempt(call, token.as_ref(), attempts, connections, deadline).await;
            attempts += 1;
            let status =
                result.as_ref().map_or_else(Error::status, |response| Some(response.status));
            // A 429 doesn't show whether a hold is over.
            let held_turn = if status == Some(StatusCode::TOO_MANY_REQUESTS) {
                Some(turn)
            } else {
                turn.complete();
                None
            };
            let error = match result {
                Ok(response) => {
                    shared.budget.refund(spent);
                    if let Some(token) = &token {
                        shared.tokens.accept(operation, token);
                    }
                    return Ok((response, attempts));
                }
                Err(error) => error.with_attempts(attempts).with_operation(operation),
            };
            if error.is_unprocessed() && unprocessed < MOST_UNPROCESSED && Instant::now() < deadline
            {
                unprocessed += 1;
                tracing::debug!(
                    operation = operation.id(),
                    "the service didn't process the request"
                );
                continue;
            }
            if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Transport) {
                connections = Connections::Fresh;
            }

            if let Some(token) = token
                && status == Some(StatusCode::UNAUTHORIZED)
            {
                let patience = if renewed { Instant::now() } else { deadline };
                let replaced = shared.tokens.replace(operation, &token, patience).await;
                if let Err(wait) = replaced {
                    let wait = wait.or_else(|| error.retry_after());
                    return Err(error.retry_in(wait));
                }
                if renewed || Instant::now() >= deadline {
                    return Err(error);
                }
                tracing::debug!(
                    operation = operation.id(),
                    "the service rejected the token, fetching another"
                );
                renewed = true;
                continue;
            }
            let wait = waits.next().filter(|_| error.is_retryable());
            let held =
                held_turn.map(|turn| turn.hold(operation, error.retry_after(), wait, &retry));
            let pause = error.retry_after().or(held).or(wait);
            let (Some(_), Some(pause)) = (wait, pause) else { return Err(error) };
            if Instant::now().checked_add(pause).is_none_or(|end| end >= deadline) {
                return Err(error);
            }
            let Some(cost) = shared.budget.spend(&error) else { return Err(error) };
            spent += cost;
            tracing::debug!(operation = operation.id(), %error, ?pause, "retrying");
            // The next turn waits for a hold, and is released with the others.
            if held.is_none_or(|held| held < pause) {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Waits until the request may be sent, and for its token if it needs one.
    async fn turn(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<(Option<HeaderValue>, Turn), Error> {
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
            if Instant::now() >= deadline {
                let why = "the call's deadline passed before the request could be sent";
                return Err(Error::new(ErrorKind::Timeout, why));
            }
            // After the token: calls that waited for it together would otherwise go all at once.
            if let Some(turn) = limit.take(self.options.time_per_attempt(), waited) {
                return Ok((token, turn));
            }
        }
    }
}
