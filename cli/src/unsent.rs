//! An HTTP service that sends nothing.

use std::{
    convert::Infallible,
    future::{Pending, pending},
    task::{Context, Poll},
};

use digital_assets::{
    reqwest::{Request, Response},
    tower_service,
};
use tokio::sync::mpsc::UnboundedSender;

/// Passes on each request instead of sending it.
#[derive(Clone)]
pub(crate) struct Unsent(pub UnboundedSender<Request>);

impl tower_service::Service<Request> for Unsent {
    type Response = Response;
    type Error = Infallible;
    type Future = Pending<Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let _ = self.0.send(request);
        pending()
    }
}
