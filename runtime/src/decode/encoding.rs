//! Says that a response is encoded in a way that the client didn't ask for.

use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::{Error, ErrorKind};

/// The codings that the client asks for, and those that change nothing.
const KNOWN: [&str; 4] = ["", "gzip", "identity", "x-gzip"];

/// The codings that have a name (RFC 9110, section 8.4.1). Any other one may be data.
const NAMES: [&str; 5] = ["br", "compress", "dcb", "deflate", "zstd"];

/// Why a response can't be read that has another coding than gzip.
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
    let message = format!("the answer has {coding}, which the client didn't ask for:");
    Some(Error::new(ErrorKind::Decode, message))
}
