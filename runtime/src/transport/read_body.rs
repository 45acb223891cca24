//! Reads and decompresses the body of a response, up to a maximum size.

use std::{
    io::{self, Write},
    time::Duration,
};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use reqwest::{
    Response, StatusCode, Version,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING},
};
use tokio::{
    task::yield_now,
    time::{Instant, timeout_at},
};

use crate::{Error, ErrorKind, transport::service::broken};

/// The content encoding that requests accept. This module decompresses bodies itself, because
/// reqwest would read only the first of several gzip members.
pub(crate) const GZIP: &str = "gzip";
/// The maximum memory, in bytes, that is reserved for a body in advance, whatever its stated
/// length.
const FIRST_CAPACITY: usize = 1 << 20;
/// The number of compressed bytes that are processed between two checks of the deadline. The number
/// is small, because 4 KiB may contain 200 empty gzip members, each of which needs a new
/// decompressor.
const AT_ONCE: usize = 4 << 10;

/// The time limit for reading an error response's body, if the status alone decides what happens
/// next.
pub(crate) const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(2);

/// How a response shows where its body ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyEnd {
    /// After this number of bytes, according to the `Content-Length` header.
    Length(u64),
    /// The transfer coding marks the end, or the whole body is already known.
    Marked,
    /// The end of the connection or of the HTTP/2 stream is the end of the body. HTTP alone doesn't
    /// show whether such a body is truncated.
    Connection,
}

impl BodyEnd {
    /// Applies the rules of RFC 9112, section 6.3. They must be applied before the body is read.
    fn of(response: &Response) -> Self {
        let (headers, is_http1) = (response.headers(), response.version() <= Version::HTTP_11);
        if [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&response.status()) {
            return Self::Marked;
        }
        // `Transfer-Encoding` overrides `Content-Length`. HTTP/2 has no `Transfer-Encoding`.
        if is_http1 && headers.contains_key(TRANSFER_ENCODING) {
            return if is_chunked(headers) { Self::Marked } else { Self::Connection };
        }
        let stated =
            headers.get(CONTENT_LENGTH).map(|length| length.to_str().ok()?.trim().parse().ok());
        match (stated, response.content_length()) {
            (Some(Some(length)), _) => Self::Length(length),
            // An HTTP/2 stream that ends with its headers has an empty body. A proxy may also end
            // the stream like this if the server behind it has failed.
            (None, Some(0)) if !is_http1 => Self::Connection,
            (None, None) => Self::Connection,
            _ => Self::Marked,
        }
    }
}

/// Whether only the end of the connection or of the HTTP/2 stream shows where the body ends, so
/// that the body may be truncated. This function must be called before the body is read.
pub(crate) fn has_no_length(response: &Response) -> bool {
    BodyEnd::of(response) == BodyEnd::Connection
}

/// Whether the body is chunked, so that its end is marked. `chunked` must be the last transfer
/// coding.
fn is_chunked(headers: &HeaderMap) -> bool {
    let last =
        headers.get_all(TRANSFER_ENCODING).iter().next_back().and_then(|it| it.to_str().ok());
    let last = last.and_then(|codings| codings.rsplit(',').next()).unwrap_or_default();
    last.trim().eq_ignore_ascii_case("chunked")
}

/// Whether the body is compressed with gzip. `x-gzip` means the same as `gzip` (RFC 9110, section
/// 8.4.1.3).
fn is_gzip(response: &Response) -> bool {
    let encoding = response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let encoding = encoding.unwrap_or_default().trim();
    [GZIP, "x-gzip"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// Reads the whole body. Returns `None` if the body is larger than `most` bytes.
pub(crate) async fn read_whole(
    response: &mut Response,
    most: usize,
) -> Result<Option<Vec<u8>>, Error> {
    let mut body = Vec::new();
    if let (false, Some(length)) = (is_gzip(response), response.content_length()) {
        match usize::try_from(length) {
            Ok(length) if length <= most => body.reserve(length.min(FIRST_CAPACITY)),
            _ => return Ok(None),
        }
    }
    let is_whole = read(response, most, &mut body).await?;
    Ok(is_whole.then_some(body))
}

/// Reads the start of an error response's body: at most `most` bytes, and only bytes that arrive
/// before `end`.
pub(crate) async fn read_start(response: &mut Response, most: usize, end: Instant) -> Vec<u8> {
    let mut body = Vec::new();
    let _ = timeout_at(end, read(response, most, &mut body)).await;
    body
}

/// Reads at most `most` bytes into `body`. Returns whether the whole body was read.
async fn read(response: &mut Response, most: usize, body: &mut Vec<u8>) -> Result<bool, Error> {
    let mut body = Bounded { body, most };
    let mut chunks = Chunks::of(response);
    if !is_gzip(response) {
        while let Some(chunk) = chunks.next(response).await? {
            if body.write_all(&chunk).is_err() {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let mut packed = MultiGzDecoder::new(body);
    let (mut unpacked, mut at_once, mut is_empty) = (Ok(()), 0, true);
    while unpacked.is_ok() {
        let Some(chunk) = chunks.next(response).await? else { break };
        is_empty &= chunk.is_empty();
        for part in chunk.chunks(AT_ONCE) {
            unpacked = unpacked.and_then(|()| packed.write_all(part));
            at_once += part.len();
            if at_once >= AT_ONCE {
                at_once = 0;
                yield_now().await;
            }
        }
    }
    match unpacked.and_then(|()| packed.try_finish()) {
        _ if is_empty => Ok(true),
        Ok(()) => Ok(true),
        Err(error) if error.kind() == EXCEEDED => Ok(false),
        Err(error) => {
            let message = "the response is not valid gzip, or it was truncated";
            Err(Error::new(ErrorKind::Transport, message).caused_by(error))
        }
    }
}

/// Reads a body's chunks as they arrive, and counts their bytes.
struct Chunks {
    arrived: u64,
    end: BodyEnd,
}

impl Chunks {
    fn of(response: &Response) -> Self {
        Self { arrived: 0, end: BodyEnd::of(response) }
    }

    /// Reads the next chunk. Returns `None` at the end of the body.
    ///
    /// # Errors
    ///
    /// The converted error from reqwest if the chunk can't be read, or `Transport` if the body is
    /// shorter than its stated length. This check is necessary because some proxies end the HTTP/2
    /// stream as if the body were complete when the server behind the proxy fails.
    async fn next(&mut self, response: &mut Response) -> Result<Option<Bytes>, Error> {
        let chunk = match response.chunk().await {
            // Many servers close a TLS connection without `close_notify`, so this isn't an error.
            // The decoder checks later whether the body is complete.
            Err(error) if self.end == BodyEnd::Connection && is_end(&error) => None,
            chunk => chunk.map_err(broken)?,
        };
        let Some(chunk) = chunk else {
            return match self.end {
                BodyEnd::Length(length) if self.arrived < length => {
                    let message = "the response is shorter than its content-length";
                    Err(Error::new(ErrorKind::Transport, message))
                }
                _ => Ok(None),
            };
        };
        if chunk.is_empty() {
            // Without this yield, an endless series of empty chunks would keep the deadline from
            // ever being checked.
            yield_now().await;
        }
        self.arrived = self.arrived.saturating_add(chunk.len() as u64);
        Ok(Some(chunk))
    }
}

/// Whether the error means that the connection ended unexpectedly.
fn is_end(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
}

/// A writer that accepts at most `most` bytes, and fails if it gets more.
struct Bounded<'a> {
    body: &'a mut Vec<u8>,
    most: usize,
}

const EXCEEDED: io::ErrorKind = io::ErrorKind::FileTooLarge;

impl Write for Bounded<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let taken = part.len().min(self.most - self.body.len());
        self.body.extend_from_slice(&part[..taken]);
        if taken < part.len() { Err(EXCEEDED.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use reqwest::Body;

    use super::*;

    // A 204 has no content, whatever its header fields say (RFC 9110, section 15.3.5).
    #[tokio::test]
    async fn a_body_without_a_byte_is_no_broken_gzip() {
        let unmeasured = Body::wrap_stream(stream::empty::<io::Result<Vec<u8>>>());
        for body in ["".into(), unmeasured] {
            let answer = http::Response::builder().status(204).header(CONTENT_ENCODING, GZIP);
            let mut answer = Response::from(answer.body(body).unwrap());

            assert_eq!(read_whole(&mut answer, 10).await.unwrap(), Some(Vec::new()));
        }
    }
}
