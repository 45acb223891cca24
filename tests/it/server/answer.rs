//! The test server's responses, and how they are sent.

use std::{future::pending, io, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use reqwest::Body;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Semaphore, watch},
    time::sleep,
};

use super::Log;
use crate::memory::Answered;

/// A response of the test server, or another reaction to a request.
#[derive(Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    gate: Option<Gate>,
    manner: Manner,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    /// Announces ten bytes more than it sends, and closes the connection.
    Truncated,
    /// Announces no length, and closes the connection at the end.
    Unmeasured,
    /// Sends one byte per second.
    Drip,
    Silent,
    Reset,
}

/// A gate that holds responses back until a test lets them through, one by one.
pub(crate) type Gate = Arc<Semaphore>;

pub(crate) fn gate() -> Gate {
    Arc::new(Semaphore::new(0))
}

pub(crate) fn status(status: u16) -> Answer {
    let (headers, body) = (Vec::new(), Vec::new());
    Answer { status, headers, body, gate: None, manner: Manner::Whole }
}

pub(crate) fn json(code: u16, body: impl Into<Vec<u8>>) -> Answer {
    status(code).header("content-type", "application/json").body(body)
}

/// Returns a 429 with this `Retry-After` in seconds.
pub(crate) fn throttled(retry_after: u64) -> Answer {
    let answer = json(429, r#"{"title":"Slow down"}"#);
    answer.header("retry-after", retry_after.to_string())
}

/// Returns an answer that makes the server read the request and reset the connection.
pub(crate) fn reset() -> Answer {
    Answer { manner: Manner::Reset, ..status(200) }
}

/// Returns an answer that makes the server read the request and never respond.
pub(crate) fn silent() -> Answer {
    Answer { manner: Manner::Silent, ..status(200) }
}

impl Answer {
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    pub(crate) fn truncated(self) -> Self {
        Self { manner: Manner::Truncated, ..self }
    }

    pub(crate) fn unmeasured(self) -> Self {
        Self { manner: Manner::Unmeasured, ..self }
    }

    pub(crate) fn dripping(self) -> Self {
        Self { manner: Manner::Drip, ..self }
    }

    pub(crate) fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(Arc::clone(gate)), ..self }
    }

    /// Returns the response, without sending it over a connection.
    pub(crate) async fn in_memory(self) -> Answered {
        let mut answer = http::Response::builder().status(self.status);
        for (name, value) in &self.headers {
            answer = answer.header(*name, value);
        }
        if let Some(gate) = &self.gate {
            gate.acquire().await.expect("a gate that isn't closed").forget();
        }
        let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
        let body: Body = match self.manner {
            Manner::Silent => pending().await,
            Manner::Reset => return Err(reset().into()),
            Manner::Whole => self.body.into(),
            Manner::Unmeasured => Body::wrap_stream(stream::iter([Ok::<_, io::Error>(self.body)])),
            Manner::Truncated => {
                answer = answer.header("content-length", self.body.len() + 10);
                Body::wrap_stream(stream::iter([Ok(self.body), Err(reset())]))
            }
            Manner::Drip => Body::wrap_stream(stream::iter(self.body).then(async |byte| {
                sleep(Duration::from_secs(1)).await;
                Ok::<_, io::Error>(vec![byte])
            })),
        };
        Ok(answer.body(body).expect("a response").into())
    }

    /// Sends the response. Returns whether the connection stays open.
    pub(super) async fn play(
        self,
        stream: &mut TcpStream,
        log: &watch::Sender<Log>,
    ) -> io::Result<bool> {
        if let Some(gate) = &self.gate {
            gate.acquire().await.expect("a gate that isn't closed").forget();
        }
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        let measured = self.headers.iter().any(|(name, _)| *name == "content-length");
        if !measured && self.manner != Manner::Unmeasured {
            let missing = if self.manner == Manner::Truncated { 10 } else { 0 };
            let length = (self.body.len() + missing).to_string();
            head.extend(["content-length: ", &length, "\r\n"]);
        }
        head += "\r\n";

        match self.manner {
            Manner::Silent => {
                let hung_up = stream.read(&mut [0]).await;
                log.send_modify(|log| log.hung_up += 1);
                hung_up.map(|_| false)
            }
            Manner::Reset => stream.set_zero_linger().map(|()| false),
            Manner::Drip => {
                stream.write_all(head.as_bytes()).await?;
                for byte in self.body {
                    sleep(Duration::from_secs(1)).await;
                    stream.write_all(&[byte]).await?;
                }
                pending().await
            }
            Manner::Whole | Manner::Truncated | Manner::Unmeasured => {
                stream.write_all(&[head.as_bytes(), &self.body].concat()).await?;
                Ok(self.manner == Manner::Whole)
            }
        }
    }
}
