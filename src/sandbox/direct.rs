//! Calls the sandbox without a connection.

use std::{
    fmt, io,
    task::{Context, Poll},
};

use axum::{Router, body::Body, http};
use tokio::task::yield_now;
use tower_service::Service;

use super::fault::answer_of;
use crate::BoxFuture;

/// The sandbox as a [`tower_service::Service`], for
/// [`ClientBuilder::http_service`](crate::ClientBuilder::http_service).
///
/// A fault that closes the connection is an error here. A fault that cuts a body short makes the body
/// fail.
#[derive(Clone)]
pub struct SandboxService(pub(super) Router);

impl Service<reqwest::Request> for SandboxService {
    type Response = reqwest::Response;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<reqwest::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: reqwest::Request) -> Self::Future {
        let router = self.0.clone();
        Box::pin(async move {
            // A cancelled request never arrives.
            yield_now().await;
            let request = http::Request::try_from(request).map_err(io::Error::other)?;
            let answer = answer_of(router, request.map(Body::new)).await?;
            let answer = answer.map(|body| reqwest::Body::wrap_stream(body.into_data_stream()));
            Ok(answer.into())
        })
    }
}

impl fmt::Debug for SandboxService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxService").finish_non_exhaustive()
    }
}
