//! A layer that counts the requests under way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use digital_assets::BoxFuture;
use reqwest::{Request, Response};
use tower_service::Service;

#[derive(Clone)]
pub(super) struct UnderWay<S> {
    service: S,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl<S> UnderWay<S> {
    pub(super) fn before(service: S) -> Self {
        Self { service, counts: Arc::default() }
    }

    pub(super) fn most(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

impl<S> Service<Request> for UnderWay<S>
where
    S: Service<Request, Response = Response>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let answer = self.service.call(request);
        let counted = Counted::begin(&self.counts);
        Box::pin(async move {
            let _counted = counted;
            answer.await
        })
    }
}

/// Counts a request until it is dropped with it.
struct Counted(Arc<Counts>);

impl Counted {
    fn begin(counts: &Arc<Counts>) -> Self {
        let now = counts.now.fetch_add(1, Ordering::SeqCst) + 1;
        counts.most.fetch_max(now, Ordering::SeqCst);
        Self(Arc::clone(counts))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}
