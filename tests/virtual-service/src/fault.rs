//! Faults on demand, and how answers are made.

use std::{io, time::Duration};

use futures_util::stream;
use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use reqwest::{Body, Response};
use tokio::time::sleep;

/// What one request meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This status, and a `Retry-After` in seconds.
    Status(u16, Option<u64>),
    /// This status and this body, as JSON.
    Body(u16, String),
    /// No answer: the connection is reset.
    Reset,
    /// The answer so much later.
    Late(Duration),
    /// Half of the answer's body, and then a reset.
    Truncated,
    /// A page whose next cursor is the request's own; a page of its own if that has none.
    RepeatedCursor,
    /// An empty page that leads to the requested one.
    EmptyPage,
    /// Records with an enum value that nobody knows.
    UnknownValue,
}

/// An answer before it is sent.
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
