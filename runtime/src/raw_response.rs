//! A response before it is decoded.

use reqwest::{StatusCode, header::HeaderMap};

/// A response whose body has been read but not yet decoded.
#[derive(Clone)]
pub(crate) struct RawResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}
