//! The error for a response with a content encoding that the client didn't request.

use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::{Error, ErrorKind};

/// The values of `Content-Encoding` that the client accepts: the names of gzip, and the values that
/// mean no encoding.
const KNOWN: [&str; 4] = ["", "gzip", "identity", "x-gzip"];

/// The content codings (RFC 9110, section 8.4.1) that an error message may name. Any other value is
/// left out of the message, because it may contain data.
const NAMES: [&str; 5] = ["br", "compress", "dcb", "deflate", "zstd"];

/// Returns the error for a response with a content encoding that the client doesn't accept. `None`
/// if the client accepts the response's encoding.
pub(super) fn error(headers: &HeaderMap) -> Option<Error> {
    let values = headers.get_all(CONTENT_ENCODING).into_iter();
    let mut codings = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    let is_known =
        |coding: &str| KNOWN.iter().any(|known| known.eq_ignore_ascii_case(coding.trim()));
    let other = codings.find(|coding| !is_known(coding))?;
    let name = NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(other.trim()));
    let coding = name.map_or_else(
        || "a content encoding".to_owned(),
        |name| format!("the content encoding `{name}`"),
    );
    let message = format!("the response has {coding}, which the client didn't request:");
    Some(Error::new(ErrorKind::Decode, message))
}
