//! How a path encodes a parameter: `style: simple` of OpenAPI, which is RFC 6570, section 3.2.2.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All except the unreserved characters.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) fn encode_path(value: &str) -> String {
    utf8_percent_encode(value, ENCODED).to_string()
}
