//! The result of a successful call.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use reqwest::{StatusCode, header::HeaderMap};

/// The decoded body of a successful response, with its status and headers.
///
/// A `ResponseValue` dereferences to the body. [`into_inner`](Self::into_inner) returns the body by
/// value.
///
/// The service in this example delivers parcels:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), oas_client::Error> {
/// # let service = tower::service_fn(async |_: reqwest::Request| {
/// #     let answer = http::Response::builder().header("content-type", "application/json");
/// #     answer.body(r#"{"depots":[{"id":"MUC"}]}"#).map(reqwest::Response::from)
/// # });
/// # let client = second::Client::builder("https://api.example.com").bearer_token("token");
/// # let client = client.http_service(service).build()?;
/// let page = client.list_depots().page_size(10).send().await?;
///
/// assert_eq!(page.status(), 200);
/// assert_eq!(page.headers()["content-type"], "application/json");
/// assert_eq!(page.depots.len(), 1);
/// let depots = page.into_inner().depots;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ResponseValue<T> {
    inner: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T> ResponseValue<T> {
    /// Creates a response, for use in your own tests.
    pub const fn new(inner: T, status: StatusCode, headers: HeaderMap) -> Self {
        Self { inner, status, headers }
    }

    /// Returns the body, without the status and the headers.
    pub fn into_inner(self) -> T {
        self.inner
    }

    /// The status of the response.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers of the response.
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

impl<T> Deref for ResponseValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for ResponseValue<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T> AsRef<T> for ResponseValue<T> {
    fn as_ref(&self) -> &T {
        &self.inner
    }
}

/// Prints only the body, because the headers may contain secrets.
impl<T: fmt::Debug> fmt::Debug for ResponseValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
