//! What sends one attempt: reqwest's client, or a tower service that the user brings.

use std::{any::Any, fmt, future::poll_fn, sync::Arc};

use reqwest::{Request, Response, Url};
use tower_service::Service;

use crate::{BoxFuture, Error, ErrorKind, call::departure::Departure};

/// An error of any type, as tower's services have it.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Sends requests. Cheap to clone.
#[derive(Clone)]
pub(crate) enum HttpService {
    /// Not boxed like the others, so that the usual attempt allocates nothing more.
    Reqwest(reqwest::Client),
    Custom(Arc<dyn Exchange>),
}

/// A service of any type. A trait of its own, because `Service` is cloned for each attempt, and
/// can't be once its type is erased.
pub(crate) trait Exchange: Send + Sync {
    fn exchange(
        &self,
        request: Request,
        departure: Option<Departure>,
    ) -> BoxFuture<'static, Result<Response, Error>>;
}

impl<S> Exchange for S
where
    S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
{
    fn exchange(
        &self,
        request: Request,
        departure: Option<Departure>,
    ) -> BoxFuture<'static, Result<Response, Error>> {
        let mut service = self.clone();
        Box::pin(async move {
            let ready = poll_fn(|context| service.poll_ready(context)).await;
            ready.map_err(failed)?;
            departure.as_ref().map(Departure::leave);
            service.call(request).await.map_err(failed)
        })
    }
}

impl HttpService {
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
    {
        // As `http_client` has it, so that it can tell what was sent.
        let any: &dyn Any = &service;
        match any.downcast_ref::<reqwest::Client>() {
            Some(client) => Self::Reqwest(client.clone()),
            None => Self::Custom(Arc::new(service)),
        }
    }

    /// Sends a request and returns the head of its answer. The caller bounds the time, and learns
    /// from `departure` whether the body has left.
    ///
    /// # Errors
    ///
    /// `Connect` only where nothing was sent for certain. A service of the user's own always fails
    /// with `Transport`: it may have sent the request before it failed, whatever it says.
    pub(crate) async fn send(
        &self,
        mut request: Request,
        departure: Option<Departure>,
    ) -> Result<Response, Error> {
        let asked = request.url().clone();
        let response = match self {
            Self::Reqwest(client) => {
                if let (Some(departure), Some(body)) = (departure, request.body_mut()) {
                    *body = departure.body(body.as_bytes().unwrap_or_default());
                }
                client.execute(request).await.map_err(broken)?
            }
            // With the body as it is: a service may want to sign it.
            Self::Custom(service) => service.exchange(request, departure).await?,
        };
        if is_elsewhere(response.url(), &asked) {
            let error = Error::new(ErrorKind::Transport, "the HTTP client followed a redirect");
            return Err(error.passing(false));
        }
        Ok(response)
    }

    /// The deadline passed. If a body hasn't left by then, there was no connection.
    pub(crate) fn late(&self, has_left: bool) -> Error {
        let late = Error::new(ErrorKind::Timeout, "the deadline passed");
        match self {
            _ if has_left => late,
            Self::Reqwest(_) => {
                Error::new(ErrorKind::Connect, "no connection was made before the deadline")
            }
            Self::Custom(_) => late.without_effect(),
        }
    }
}

/// Whether the answer comes from another address than was asked. One that was made from an
/// `http::Response` comes from nowhere: reqwest then fills in a name that can't exist.
fn is_elsewhere(answered: &Url, asked: &Url) -> bool {
    answered != asked && answered.host_str() != Some("no.url.provided.local")
}

/// A failure of reqwest in the crate's terms: only `is_connect` proves that nothing was sent.
pub(crate) fn broken(error: reqwest::Error) -> Error {
    let (kind, message) = if error.is_connect() {
        (ErrorKind::Connect, "no connection")
    } else if error.is_timeout() {
        (ErrorKind::Timeout, "the HTTP client's deadline passed")
    } else if error.is_builder() {
        (ErrorKind::InvalidRequest, "the request can't be sent")
    } else {
        (ErrorKind::Transport, "the connection broke or the answer was cut off")
    };
    Error::new(kind, message).caused_by(error.without_url())
}

/// A failure of the user's own service, kept as the cause. A URL in it would show filters.
fn failed(error: impl Into<BoxError>) -> Error {
    let error = match error.into().downcast::<reqwest::Error>() {
        Ok(error) => Box::new(error.without_url()).into(),
        Err(error) => error,
    };
    Error::new(ErrorKind::Transport, "the HTTP service failed").caused_by(error)
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Reqwest(_) => "Reqwest",
            Self::Custom(_) => "Custom",
        };
        f.debug_tuple("HttpService").field(&kind).finish()
    }
}
