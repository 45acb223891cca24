//! Tower layers around HTTP clients and services, with request and response types from the `http`
//! crate.

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use reqwest::{Body, Method, Request, Url};
use tower_layer::Layer;
use tower_service::Service;

use super::{
    Connections, HttpService, SendGuard,
    service::{failed, send_through},
};
use crate::{BoxFuture, Error, error::BoxError};

/// The two senders of a client's requests. `kept` reuses open connections, and `fresh` opens a new
/// connection for each request.
#[derive(Clone)]
pub(crate) struct HttpServices {
    pub kept: HttpService,
    pub fresh: HttpService,
}

/// The service that sends a client's requests. The layers from
/// [`ClientBuilder::layer`](crate::ClientBuilder::layer) wrap this service.
///
/// It is a [`tower_service::Service`] for requests and responses from the `http` crate, and sends
/// requests only to the base URL's origin.
#[derive(Clone)]
pub struct HttpTransport {
    base: Url,
    services: HttpServices,
}

impl HttpServices {
    /// Chooses the sender for a request. Only a GET reuses an open connection.
    ///
    /// The server may close an open connection while a request is in flight. The client then
    /// can't tell whether a POST was applied. After a failure, an open connection may be frozen,
    /// so a retried GET also uses a new connection.
    pub(crate) fn for_request(&self, method: &Method, connections: Connections) -> &HttpService {
        let is_kept = *method == Method::GET && connections == Connections::Kept;
        if is_kept { &self.kept } else { &self.fresh }
    }

    pub(crate) fn layered<L, B>(self, base: &Url, layer: &L) -> Self
    where
        L: Layer<HttpTransport>,
        L::Service: Service<http::Request<Body>, Response = http::Response<B>>,
        L::Service: Service<http::Request<Body>, Error: Into<BoxError>, Future: Send>,
        L::Service: Clone + Send + Sync + 'static,
        B: http_body::Body<Data: Into<bytes::Bytes>, Error: Into<BoxError>> + Send + Sync + 'static,
    {
        // Both senders share one layered service. If each had its own, a rate limit in a layer
        // would count their requests separately.
        let service = layer.layer(HttpTransport { base: base.clone(), services: self });
        let of = |connections| {
            let service = service.clone();
            HttpService::Custom(Arc::new(move |request, guard| {
                let service = service.clone();
                Box::pin(async move {
                    let mut request = http::Request::<Body>::try_from(request).map_err(failed)?;
                    request.extensions_mut().insert(connections);
                    let response = send_through(service, request, guard).await?;
                    Ok(response.map(Body::wrap).into())
                })
            }))
        };
        Self { kept: of(Connections::Kept), fresh: of(Connections::Fresh) }
    }
}

impl Service<http::Request<Body>> for HttpTransport {
    type Response = http::Response<Body>;
    type Error = Error;
    type Future = BoxFuture<'static, Result<Self::Response, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let Self { base, services } = self.clone();
        let connections = request.extensions().get().copied().unwrap_or(Connections::Kept);
        Box::pin(async move {
            let request = Request::try_from(request)
                .map_err(|error| Error::invalid("the request can't be sent").caused_by(error))?;
            if request.url().origin() != base.origin() {
                return Err(Error::invalid("a layer addressed the request to another origin"));
            }
            let http = services.for_request(request.method(), connections);
            // A layer may send the same request several times, so each attempt has its own guard.
            http.send(request, Some(SendGuard::default())).await.map(Into::into)
        })
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").finish_non_exhaustive()
    }
}
