//! The server side of an HTTP/2 connection, frame by frame (RFC 9113).

use std::{collections::HashMap, io};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
pub(crate) const NO_ERROR: u8 = 0;
pub(crate) const INTERNAL_ERROR: u8 = 2;
pub(crate) const REFUSED_STREAM: u8 = 7;
pub(crate) const HTTP_1_1_REQUIRED: u8 = 13;
/// The header `:status: 200`, encoded with HPACK.
pub(crate) const OK: &[u8] = &[0x88];

/// The server side of a connection, which acknowledges settings and pings.
pub(crate) struct Connection<S> {
    pub(crate) stream: S,
    bodies: HashMap<u32, Vec<u8>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(crate) async fn begin(mut stream: S) -> io::Result<Self> {
        stream.read_exact(&mut [0; 24]).await?;
        stream.write_all(&frame(SETTINGS, 0, 0, &[])).await?;
        Ok(Self { stream, bodies: HashMap::new() })
    }

    /// Returns the stream and the body of the next request.
    pub(crate) async fn request(&mut self) -> io::Result<(u32, Vec<u8>)> {
        loop {
            self.stream.flush().await?;
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await?;
            let [_, high, low, kind, flags, id @ ..] = head;
            let mut payload = vec![0; usize::from(high) << 8 | usize::from(low)];
            self.stream.read_exact(&mut payload).await?;
            let id = u32::from_be_bytes(id);
            match kind {
                SETTINGS if flags & ACK == 0 => self.send(&frame(SETTINGS, ACK, 0, &[])).await?,
                PING if flags & ACK == 0 => self.send(&frame(PING, ACK, 0, &payload)).await?,
                DATA => self.bodies.entry(id).or_default().extend(payload),
                _ => {}
            }
            if matches!(kind, DATA | HEADERS) && flags & END_STREAM != 0 {
                return Ok((id, self.bodies.remove(&id).unwrap_or_default()));
            }
        }
    }

    pub(crate) async fn send(&mut self, frames: &[u8]) -> io::Result<()> {
        self.stream.write_all(frames).await
    }
}

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Returns the frames of a 200 response with this body.
pub(crate) fn answer(stream: u32, body: &str) -> Vec<u8> {
    let headers = frame(HEADERS, END_HEADERS, stream, OK);
    [headers, frame(DATA, END_STREAM, stream, body.as_bytes())].concat()
}

/// Returns the encoded headers of a 200 response with a `content-length`. RFC 7541, section 6.2.2:
/// a literal value whose name has index 28.
pub(crate) fn ok_of_length(length: usize) -> Vec<u8> {
    let digits = length.to_string();
    let prefix = [0x0f, 0x0d, u8::try_from(digits.len()).unwrap()];
    [OK, &prefix, digits.as_bytes()].concat()
}

/// Returns a `GOAWAY` frame, which says that no stream after `last` was processed.
pub(crate) fn go_away(last: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), [0, 0, 0, NO_ERROR]].concat())
}

pub(crate) fn reset_stream(stream: u32, why: u8) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &[0, 0, 0, why])
}
