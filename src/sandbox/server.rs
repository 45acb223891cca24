//! The accept loop.

use std::time::Duration;

use axum::{Router, body::Body, http};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

use super::fault::answer_of;

/// Serves until it is dropped, which closes every connection.
pub(super) async fn serve(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Usually out of file descriptors: some may be free again soon.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        connections.spawn(async move {
            let answer = service_fn(|request: http::Request<Incoming>| {
                answer_of(router.clone(), request.map(Body::new))
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
        while connections.try_join_next().is_some() {}
    }
}
