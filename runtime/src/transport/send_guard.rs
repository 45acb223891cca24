//! Records whether a request has been sent, and can stop the transmission of the request's body.

use std::{
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, OnceLock},
    task::{Context, Poll, Waker, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use reqwest::Response;
use tokio::task::yield_now;

use crate::{BoxFuture, lock::lock};

/// The size, in bytes, of the parts in which a body is passed to a connection.
const PART: usize = 16 << 10;

/// Records whether a request was sent or canceled. The first of these two outcomes is final. The
/// request's body has a clone of the guard.
///
/// If a connection reads the body before `cancel` is called, the request counts as sent. If
/// `cancel` is called first, the body is never sent, so the service can't have applied the request.
#[derive(Clone, Default)]
pub(crate) struct SendGuard(Arc<Shared>);

#[derive(Default)]
struct Shared {
    has_left: OnceLock<bool>,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    part: Part,
    /// The waker for the connection's task, while this task waits for the next part.
    waiting: Option<Waker>,
    is_stopped: bool,
    /// The request whose body was stopped, which is kept until the body has failed.
    request: Option<Exchange>,
}

#[derive(Default)]
enum Part {
    #[default]
    Next,
    /// The connection is writing the part to the socket.
    Writing,
    /// The connection has written the part to the socket.
    Written,
}

type Exchange = BoxFuture<'static, reqwest::Result<Response>>;

impl SendGuard {
    /// Marks the request as sent. Returns false if the request has already been canceled.
    pub(crate) fn leave(&self) -> bool {
        *self.0.has_left.get_or_init(|| true)
    }

    /// Cancels the request, so that its body is never sent. Returns false if the request is already
    /// marked as sent.
    pub(crate) fn cancel(&self) -> bool {
        !*self.0.has_left.get_or_init(|| false)
    }

    /// Stops sending the body. If a part was already sent, the request can't be completed, so its
    /// connection is closed.
    pub(crate) fn stop(&self) {
        self.stop_with(None);
    }

    /// Creates a body that marks the request as sent as soon as a connection reads the body, even
    /// if the request's head hasn't been flushed.
    pub(crate) fn body(&self, bytes: &[u8]) -> reqwest::Body {
        let bytes = Bytes::copy_from_slice(bytes);
        reqwest::Body::wrap(Leaving { bytes, guard: self.clone() })
    }

    /// Wraps a request that has the guarded body. If the returned `Sending` is dropped, the rest of
    /// the body isn't sent.
    pub(crate) fn sending<F>(self, request: F) -> Sending
    where
        F: Future<Output = reqwest::Result<Response>> + Send + 'static,
    {
        Sending { request: Some(Box::pin(request)), guard: self }
    }

    /// Stops sending the body, and keeps `request` until the body has failed.
    ///
    /// If the request were dropped first, hyper would flush the connection, and the flush wouldn't
    /// finish while the peer isn't reading. If the body fails first, hyper drops the connection.
    fn stop_with(&self, request: Option<Exchange>) {
        let mut sent = lock(&self.0.sent);
        sent.is_stopped = true;
        let Some(task) = sent.waiting.take() else { return };
        sent.request = request;
        drop(sent);
        task.wake();
    }
}

struct Leaving {
    bytes: Bytes,
    guard: SendGuard,
}

impl Body for Leaving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let guard = self.guard.clone();
        let mut sent = lock(&guard.0.sent);
        if !guard.leave() || sent.is_stopped {
            return Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())));
        }
        match sent.part {
            Part::Next => {}
            Part::Writing => {
                sent.waiting = Some(context.waker().clone());
                return Poll::Pending;
            }
            Part::Written => {
                // The service may have rejected the request in the meantime, and closed the
                // connection. If hyper now wrote the next part before it read the response, the
                // response would be lost.
                sent.part = Part::Next;
                sent.waiting = Some(context.waker().clone());
                wake_behind_sockets(context.waker());
                return Poll::Pending;
            }
        }
        sent.waiting = None;
        let end = PART.min(self.bytes.len());
        let bytes = self.bytes.split_to(end);
        if self.bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        sent.part = Part::Writing;
        drop(sent);
        let part = Bytes::from_owner(WrittenPart { bytes, guard });
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

/// A part of a body. The connection drops the part after writing it to the socket.
struct WrittenPart {
    bytes: Bytes,
    guard: SendGuard,
}

impl AsRef<[u8]> for WrittenPart {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for WrittenPart {
    fn drop(&mut self) {
        let mut sent = lock(&self.guard.0.sent);
        sent.part = Part::Written;
        let task = sent.waiting.clone();
        drop(sent);
        task.as_ref().map(wake_behind_sockets);
    }
}

/// Wakes a task, but only after the runtime has polled its sockets.
fn wake_behind_sockets(task: &Waker) {
    let _ = pin!(yield_now()).poll(&mut Context::from_waker(task));
}

/// A request that is being sent. If the request is dropped, the rest of its body isn't sent.
pub(crate) struct Sending {
    request: Option<Exchange>,
    guard: SendGuard,
}

impl Future for Sending {
    type Output = reqwest::Result<Response>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(request) = &mut self.request else { return Poll::Pending };
        let result = ready!(request.as_mut().poll(context));
        self.request = None;
        Poll::Ready(result)
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if let Some(request) = self.request.take().filter(|_| !self.guard.cancel()) {
            self.guard.stop_with(Some(request));
        }
    }
}
