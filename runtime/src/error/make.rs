//! Constructors for errors, and methods that add details to an error before it reaches the caller.

use std::{borrow::Cow, sync::Arc, time::Duration};

use reqwest::{
    StatusCode,
    header::{HeaderMap, HeaderValue},
};

use super::{BoxError, Effect, Error, ErrorKind, Inner, Problem, RetryHint, is_transient};
use crate::{Operation, raw_response::RawResponse};

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            operation: None,
            attempts: 0,
            status: None,
            headers: None,
            body: None,
            problem: None,
            retry_after: None,
            oauth_error: None,
            rejected_value: None,
            retry: RetryHint::Unknown,
            effect: Effect::Unknown,
            earlier_effect: false,
            idempotent: false,
            source: None,
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message.into())
    }

    /// Puts the name of the setting that is wrong before the message.
    pub(crate) fn in_setting(mut self, name: &str) -> Self {
        self.0.message = format!("{name}: {}", self.0.message).into();
        self
    }

    pub(crate) fn configuration(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Configuration, message)
    }

    /// Creates the error for a response with an unexpected status.
    pub(crate) fn from_response(response: RawResponse) -> Self {
        let mut error = Self::new(ErrorKind::Status, "the service responded with");
        error.0.problem = Problem::read(&response.body);
        error.with_response(response)
    }

    /// Replaces the request's secrets in the title and the detail of the problem, in case the
    /// service has echoed them. Each secret has the text that replaces it.
    pub(crate) fn without_secrets(mut self, secrets: &[(String, &str)]) -> Self {
        if let Some(problem) = &mut self.0.problem {
            for text in [&mut problem.title, &mut problem.detail].into_iter().flatten() {
                for (secret, label) in secrets {
                    *text = text.replace(secret, label);
                }
            }
        }
        self
    }

    pub(crate) fn with_operation(mut self, operation: Operation) -> Self {
        self.0.operation = Some(operation);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Sets whether an earlier attempt may have had an effect, and whether repeating the request
    /// has no further effect.
    pub(crate) fn with_repetition(mut self, earlier_effect: bool, idempotent: bool) -> Self {
        self.0.earlier_effect = earlier_effect;
        self.0.idempotent = idempotent;
        self
    }

    pub(crate) fn with_response(self, response: RawResponse) -> Self {
        let mut error = self.with_head(response.status, response.headers);
        error.0.body = Some(response.body);
        error
    }

    /// Adds the status and the headers of a response, but not the body.
    pub(crate) fn with_head(mut self, status: StatusCode, headers: HeaderMap) -> Self {
        self.0.headers = Some(headers);
        self.with_status(status)
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Sets the cause. If the cause is a reqwest error, its URL is removed, because it may contain
    /// filters or a key.
    pub(crate) fn caused_by(mut self, source: impl Into<BoxError>) -> Self {
        let source = match source.into().downcast::<reqwest::Error>() {
            Ok(error) => error.without_url().into(),
            Err(error) => error,
        };
        self.0.source = Some(Arc::from(source));
        self
    }

    pub(crate) fn retry_in(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    pub(crate) fn with_oauth_code(mut self, code: Option<String>) -> Self {
        self.0.oauth_error = code;
        self
    }

    /// Sets whether a retry may succeed, regardless of the error's kind.
    pub(crate) fn with_transient(mut self, transient: bool) -> Self {
        self.0.retry = if transient { RetryHint::MaySucceed } else { RetryHint::Fails };
        self
    }

    /// Converts the error into a `Configuration` error with the same cause.
    pub(crate) fn into_configuration(mut self) -> Self {
        self.0.kind = ErrorKind::Configuration;
        self
    }

    /// Converts the error of a failed token request into a `Token` error with the same cause.
    /// `message` is put before the original message.
    pub(crate) fn into_token(mut self, message: &'static str) -> Self {
        let transient = self.is_transient();
        self.0.kind = ErrorKind::Token;
        self.0.message = format!("{message}: {}", self.0.message).into();
        self.with_transient(transient)
    }

    /// Returns true if the token endpoint rejected the request and would reject it again.
    pub(crate) fn is_permanent(&self) -> bool {
        self.0.kind == ErrorKind::Token && self.0.status.is_some() && !self.is_transient()
    }

    /// Returns whether the client retries the token request that failed with this error.
    pub(crate) fn retries_token(&self) -> bool {
        self.0.retry == RetryHint::OfToken
    }

    /// Records that the request can't have had any effect, regardless of the error's kind.
    pub(crate) fn without_effect(mut self) -> Self {
        if self.0.effect == Effect::Unknown {
            self.0.effect = Effect::None;
        }
        self
    }

    /// Records that the service didn't process the request. Such a request can be sent again
    /// without a pause.
    pub(crate) fn with_unprocessed(mut self) -> Self {
        self.0.effect = Effect::Unprocessed;
        self
    }

    pub(crate) fn is_unprocessed(&self) -> bool {
        self.0.effect == Effect::Unprocessed
    }

    /// Returns whether the failure may be temporary, even if it isn't safe to repeat the request.
    pub(crate) fn is_transient(&self) -> bool {
        match self.0.retry {
            RetryHint::Fails => false,
            RetryHint::MaySucceed | RetryHint::OfToken => true,
            RetryHint::Unknown => match self.0.kind {
                ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Transport => true,
                ErrorKind::Status => self.status().is_some_and(is_transient),
                _ => false,
            },
        }
    }

    /// Returns whether the service rejected the request because of its content. This is true for
    /// any 4xx except 401 and 403, which concern the token, and 408 and 429, which are temporary.
    pub(crate) fn is_refusal(&self) -> bool {
        let of_token = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        self.0.kind == ErrorKind::Status
            && !self.is_transient()
            && self.status().is_some_and(|it| it.is_client_error() && !of_token.contains(&it))
    }
}

/// Returns the token in an `Authorization` header.
pub(crate) fn token(authorization: &HeaderValue) -> Option<&str> {
    authorization.to_str().ok()?.split_once(' ').map(|(_, token)| token)
}
