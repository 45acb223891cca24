//! Sends a call, and retries it until an attempt succeeds or no further retry is allowed.

use std::pin::pin;

use reqwest::{StatusCode, header::HeaderValue};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, field::Empty};

use super::{
    Call, Sender,
    attempt::attempt,
    deadline_in,
    options::CALL_TIMEOUT,
    rate_limit::Turn,
    span::{host, record},
};
use crate::{
    Error, ErrorKind, ResponseValue, Retry,
    decode::{self, MayBeRounded},
    operation::Token,
    raw_response::RawResponse,
    retry::Schedule,
    transport::Connections,
};

const NO_CREDENTIALS: &str = "the client has no credentials: set `credentials` or `bearer_token`, or use \
                              a client made by `with_credentials`";

/// The state of a call across its attempts.
#[allow(clippy::struct_excessive_bools, reason = "the flags are independent of each other")]
struct Attempts<'a> {
    sender: &'a Sender,
    call: &'a Call,
    deadline: Instant,
    retry: Retry,
    /// The waits before the remaining retries.
    waits: Schedule,
    made: u32,
    /// Whether one of the attempts so far may have had an effect on the service.
    may_have_been_applied: bool,
    /// Whether repeating the request has no further effect on the service.
    is_idempotent: bool,
    /// The number of tokens that this call's retries have taken from the retry budget.
    spent: u32,
    /// Whether the request was already retried because the service reported that the request wasn't
    /// processed. This retry takes no tokens from the retry budget.
    was_unprocessed: bool,
    /// Whether the call has replaced its access token after a 401.
    has_new_token: bool,
    connections: Connections,
}

impl Sender {
    pub(crate) async fn call<T: DeserializeOwned + MayBeRounded>(
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
            self.options.check()?;
            let mut attempts = Attempts::new(self, call);
            let response = attempts.send().await?;
            decode::read::<T>(operation, response, attempts.deadline)
                .map_err(|error| attempts.made_before(error))
        };
        let result =
            sending.instrument(span.clone()).await.map_err(|error| error.with_operation(operation));
        record(&span, result.as_ref().map(ResponseValue::status));
        result
    }
}

impl<'a> Attempts<'a> {
    fn new(sender: &'a Sender, call: &'a Call) -> Self {
        let retry = sender.options.retry.unwrap_or_default();
        Self {
            sender,
            call,
            deadline: deadline_in(sender.options.call_timeout.unwrap_or(CALL_TIMEOUT)),
            waits: retry.schedule(),
            retry,
            made: 0,
            may_have_been_applied: false,
            is_idempotent: sender.options.idempotent.unwrap_or(call.operation.details.idempotent),
            spent: 0,
            was_unprocessed: false,
            has_new_token: false,
            connections: Connections::Kept,
        }
    }

    /// Sends the request, and retries it until an attempt succeeds or no further retry is allowed.
    async fn send(&mut self) -> Result<RawResponse, Error> {
        let (operation, shared) = (self.call.operation, &*self.sender.shared);
        loop {
            let ready = self.ready_to_send().await;
            let (token, turn) = ready.map_err(|error| self.made_before(error).without_effect())?;

            let result = {
                let attempt = pin!(self.attempt(token.as_ref()));
                turn.attempt(attempt).await
            };
            let status = result.as_ref().map_or_else(Error::status, |it| Some(it.status));
            // Any result other than a 429 completes the turn. After a 429, `pause` uses the turn to
            // hold back the operation's calls.
            let held_turn = if status == Some(StatusCode::TOO_MANY_REQUESTS) {
                Some(turn)
            } else {
                turn.complete();
                None
            };
            match result {
                Ok(response) => {
                    shared.budget.refund(self.spent);
                    if let Some(token) = &token {
                        shared.tokens.accept(operation, token);
                    }
                    return Ok(response);
                }
                Err(error) => self.recover(error, token, held_turn).await?,
            }
        }
    }

    /// Waits until the request may be sent. Returns the access token, if the operation needs one,
    /// and the operation's turn.
    async fn ready_to_send(&self) -> Result<(Option<HeaderValue>, Turn), Error> {
        let (sender, operation, deadline) = (self.sender, self.call.operation, self.deadline);
        let has_key = |header: &str| {
            sender.shared.api_keys.contains_key(header)
                || sender.options.headers.contains_key(header)
        };
        let mut keys = operation.details.api_keys.iter();
        if let Some((header, _)) = keys.find(|(header, required)| *required && !has_key(header)) {
            return Err(Error::configuration(format!(
                "the client has no API key for the header `{header}`: set `api_key`"
            )));
        }
        let limit = sender.shared.limits.of(operation);
        let mut waited = false;
        loop {
            waited |= limit.ready(operation, deadline).await?;
            let token = match operation.details.token {
                Token::Never => None,
                Token::IfAny | Token::Always => {
                    let token = sender.shared.tokens.token(operation, deadline);
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
            if let Some(turn) = limit.take(sender.options.time_per_attempt(), waited) {
                return Ok((token, turn));
            }
        }
    }

    /// Records three facts in an error: the number of attempts so far, whether any of these
    /// attempts may have had an effect, and whether the request is idempotent.
    fn made_before(&self, error: Error) -> Error {
        let error = error.with_attempts(self.made);
        error.with_repetition(self.may_have_been_applied, self.is_idempotent)
    }

    async fn attempt(&mut self, token: Option<&HeaderValue>) -> Result<RawResponse, Error> {
        let Self { sender, call, made, connections, deadline, .. } = *self;
        let result = attempt(sender, call, token, made, connections, deadline).await;
        self.made += 1;
        result.map_err(|error| self.made_before(error).with_operation(call.operation))
    }

    /// After a failed attempt, waits until the request may be sent again. If the request must not
    /// be sent again, returns the error.
    async fn recover(
        &mut self,
        error: Error,
        token: Option<HeaderValue>,
        held_turn: Option<Turn>,
    ) -> Result<(), Error> {
        self.may_have_been_applied |= error.may_have_been_applied();
        let operation = self.call.operation;
        let is_in_time = Instant::now() < self.deadline;
        if error.is_unprocessed() && !self.was_unprocessed && is_in_time {
            self.was_unprocessed = true;
            tracing::debug!(operation = operation.id(), "the service didn't process the request");
            return Ok(());
        }
        if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Transport) {
            self.connections = Connections::Fresh;
        }
        match token {
            Some(token) if error.status() == Some(StatusCode::UNAUTHORIZED) => {
                self.replace(&token, error).await
            }
            _ => self.pause(error, held_turn).await,
        }
    }

    /// Replaces an access token that the service rejected. If the token can't be replaced, or if
    /// the call has already replaced a token, returns the error.
    async fn replace(&mut self, token: &HeaderValue, error: Error) -> Result<(), Error> {
        let operation = self.call.operation;
        let wait_until = if self.has_new_token { Instant::now() } else { self.deadline };
        let tokens = &self.sender.shared.tokens;
        let is_replaced = match tokens.replace(operation, token, wait_until).await {
            Ok(is_replaced) => is_replaced,
            Err(wait) => {
                let wait = wait.or_else(|| error.retry_after());
                return Err(error.retry_in(wait));
            }
        };
        if self.has_new_token || Instant::now() >= self.deadline {
            return Err(error);
        }
        tracing::debug!(
            operation = operation.id(),
            "the service rejected the token; requesting a new token"
        );
        self.has_new_token = is_replaced;
        Ok(())
    }

    /// Waits before a retry. If no retry is left or allowed, returns the error.
    async fn pause(&mut self, error: Error, held_turn: Option<Turn>) -> Result<(), Error> {
        let operation = self.call.operation;
        let wait = self.waits.next().filter(|_| error.is_retryable());
        let held =
            held_turn.map(|turn| turn.hold(operation, error.retry_after(), wait, &self.retry));
        let pause = error.retry_after().max(held).max(wait);
        let (Some(_), Some(pause)) = (wait, pause) else { return Err(error) };
        if Instant::now().checked_add(pause).is_none_or(|end| end >= self.deadline) {
            return Err(error);
        }
        let Some(cost) = self.sender.shared.budget.spend(&error) else { return Err(error) };
        self.spent += cost;
        tracing::debug!(operation = operation.id(), %error, ?pause, "retrying");
        // If the hold is the longest of the three waits, the call doesn't sleep here. Before its
        // next turn, the call waits for the end of the hold anyway.
        if held.is_none_or(|held| held < pause) {
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }
}
