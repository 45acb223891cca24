//! Page cursors. A cursor is Base64-encoded JSON, but clients treat it as an opaque string.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::{collection::Position, problem::Rejection};

/// The decoded content of a cursor: a position in a listing, and the state that is needed to
/// continue the listing from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cursor {
    /// The position of the last record that was returned, or `None` if no record has been returned
    /// yet.
    pub(super) after: Option<Position>,
    /// The number of records per page.
    pub(super) size: u32,
    /// The number of matching records, counted when the first page was requested. Zero if the
    /// listing doesn't count them.
    pub(super) total: u32,
    /// A hash of the operation, the filters and the order, used to reject cursors from other
    /// listings.
    pub(super) fingerprint: u64,
    /// The number of empty pages sent in a row so far. Without this number, consecutive empty pages
    /// would have the same cursor.
    pub(super) empty: u32,
}

impl Cursor {
    pub(super) fn encode(self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&self).unwrap_or_default())
    }

    /// Decodes a cursor. Rejects a cursor from a listing with different filters or a different
    /// order.
    pub(super) fn decode(parameter: &str, text: &str, fingerprint: u64) -> Result<Self, Rejection> {
        let rejection = |detail| Rejection::parameter(parameter, format!("{parameter} {detail}"));
        let json = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        let cursor: Self =
            serde_json::from_slice(&json).map_err(|_| rejection("is not a cursor"))?;
        if cursor.fingerprint == fingerprint {
            return Ok(cursor);
        }
        Err(rejection("belongs to a listing with different filters or a different order"))
    }
}

/// Returns a hash of the value. Every process that runs the same build computes the same hash, so
/// cursors remain valid after a restart.
pub(super) fn fingerprint(value: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}
