//! Faults that a test requests, and the responses that they change.

use std::{io, time::Duration};

use futures_util::stream;
use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use reqwest::{Body, Response};
use tokio::time::sleep;

/// A fault in the response to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A response with this status and, if given, a `Retry-After` in seconds.
    Status(u16, Option<u64>),
    /// A response with this status and this JSON body.
    Body(u16, String),
    /// The connection is reset before a response.
    Reset,
    /// The response is delayed by this time.
    Late(Duration),
    /// The connection is reset after half of the response's body.
    Truncated,
    /// The page's next cursor is the cursor from the request. A request without a cursor isn't
    /// affected.
    RepeatedCursor,
    /// The page is empty, and its next cursor leads to the records that were requested.
    EmptyPage,
    /// The records contain an enum value that isn't in the OpenAPI description.
    UnknownValue,
}

/// A response that hasn't been sent yet.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) date: Option<String>,
}

impl Answer {
    pub(crate) async fn send(mut self, fault: Option<Fault>) -> io::Result<Response> {
        let mut answer = http::Response::builder().header(CONTENT_TYPE, "application/json");
        if let Some(date) = &self.date {
            answer = answer.header(DATE, date);
        }
        let mut truncated = None;
        match fault {
            Some(Fault::Status(status, wait)) => {
                (self.status, self.body) = (status, "{}".to_owned());
                if let Some(wait) = wait {
                    answer = answer.header(RETRY_AFTER, wait);
                }
            }
            Some(Fault::Body(status, text)) => (self.status, self.body) = (status, text),
            Some(Fault::Reset) => return Err(io::ErrorKind::ConnectionReset.into()),
            Some(Fault::Late(time)) => sleep(time).await,
            Some(Fault::Truncated) => {
                let half = self.body.as_bytes()[..self.body.len() / 2].to_vec();
                let reset = io::Error::from(io::ErrorKind::ConnectionReset);
                truncated = Some(Body::wrap_stream(stream::iter([Ok(half), Err(reset)])));
            }
            Some(Fault::RepeatedCursor | Fault::EmptyPage | Fault::UnknownValue) | None => {}
        }
        let body = truncated.unwrap_or_else(|| self.body.into());
        let answer = answer.status(self.status).body(body);
        answer.map(Response::from).map_err(|error| io::Error::other(error.to_string()))
    }
}
