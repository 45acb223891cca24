//! The accept loop.

use std::time::Duration;

use axum::{Router, http};
use hyper::{body::Incoming, server::conn::http1, service::Service as _, service::service_fn};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

use super::fault::unless_closed;

/// Serves until it is dropped, which closes every connection.
pub(super) async fn serve(listener: TcpListener, router: Router) {
    let router = TowerToHyperService::new(router);
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
            let answer = service_fn(move |request: http::Request<Incoming>| {
                let answer = router.call(request);
                async move {
                    let Ok(answer) = answer.await;
                    unless_closed(answer)
                }
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
        while connections.try_join_next().is_some() {}
    }
}
