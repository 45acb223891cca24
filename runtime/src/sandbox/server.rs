//! Access to the sandbox, over the network or by direct calls.

use std::{
    fmt, io,
    task::{Context, Poll},
    time::Duration,
};

use axum::{Router, body::Body, http, response::Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpListener,
    task::{JoinSet, yield_now},
    time::sleep,
};
use tower_service::Service;

use crate::BoxFuture;

/// The sandbox as a [`tower_service::Service`], for
/// [`ClientBuilder::http_service`](crate::ClientBuilder::http_service).
///
/// If a fault closes the connection, the call returns an error. If a fault truncates a body,
/// reading the body returns an error.
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
            // Gives the caller a chance to cancel the request before the sandbox receives it.
            yield_now().await;
            let request = http::Request::try_from(request).map_err(io::Error::other)?;
            let answer = answer(router, request.map(Body::new)).await?;
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

/// Serves requests until this future is dropped. Dropping the future closes every connection.
pub(super) async fn serve(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // The process has probably run out of file descriptors. Some of them may soon be free
            // again.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        connections.spawn(async move {
            let service = service_fn(|request: http::Request<Incoming>| {
                answer(router.clone(), request.map(Body::new))
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Returns the service's response, or an error if a fault must close the connection.
async fn answer(mut router: Router, request: http::Request<Body>) -> io::Result<Response> {
    let Ok(answer) = router.call(request).await;
    match answer.extensions().get::<io::ErrorKind>() {
        Some(end) => Err((*end).into()),
        None => Ok(answer),
    }
}
