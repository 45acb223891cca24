//! Whether a request's body has left. Until it has, the request can't have been applied.

use std::{
    io,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Shared by an attempt and the body that it sends. A connection's own task may own the body. The
/// first of the two to act decides whether the body leaves.
#[derive(Clone, Default)]
pub(crate) struct SendGuard(Arc<OnceLock<bool>>);

impl SendGuard {
    /// Marks the request as sent. Returns false if it was stopped before.
    pub(crate) fn leave(&self) -> bool {
        *self.0.get_or_init(|| true)
    }

    /// Stops the body from leaving. Returns whether that was in time.
    pub(crate) fn cancel(&self) -> bool {
        !*self.0.get_or_init(|| false)
    }

    /// A body that leaves when a connection asks for it, before the head is flushed.
    pub(crate) fn body(self, bytes: &[u8]) -> reqwest::Body {
        let bytes = Some(Bytes::copy_from_slice(bytes));
        reqwest::Body::wrap(Leaving { bytes, guard: self })
    }
}

struct Leaving {
    bytes: Option<Bytes>,
    guard: SendGuard,
}

impl Body for Leaving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(bytes) = self.bytes.take() else { return Poll::Ready(None) };
        let in_time = self.guard.leave();
        let frame = in_time.then(|| Frame::data(bytes));
        Poll::Ready(Some(frame.ok_or_else(|| io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
