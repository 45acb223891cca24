//! The cursor of a page: an opaque string, which is JSON in Base64.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::{collection::Position, problem::Rejection};

/// A position in a listing, and the properties that all pages of the listing share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cursor {
    /// The position of the last record that was returned. `None` if no record was returned yet.
    pub(super) after: Option<Position>,
    /// Records per page.
    pub(super) size: u32,
    /// Records in the whole listing, counted once when it started.
    pub(super) total: u32,
    /// The fingerprint of the operation, the filters and the order.
    pub(super) fingerprint: u64,
    /// How many empty pages were sent since the last page with records. The count gives each empty
    /// page a different cursor.
    pub(super) empty: u32,
}

impl Cursor {
    pub(super) fn encode(self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&self).unwrap_or_default())
    }

    /// Decodes a cursor. A cursor from a listing with other filters or another order is rejected.
    pub(super) fn decode(parameter: &str, text: &str, fingerprint: u64) -> Result<Self, Rejection> {
        let rejection = |detail| Rejection::parameter(parameter, format!("{parameter} {detail}"));
        let json = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        let cursor: Self =
            serde_json::from_slice(&json).map_err(|_| rejection("is not a cursor"))?;
        if cursor.fingerprint == fingerprint {
            return Ok(cursor);
        }
        Err(rejection("belongs to a listing with other filters or another order"))
    }
}

/// A hash that is the same in every process that runs the same build, so that a cursor can outlive
/// its process.
pub(super) fn fingerprint(value: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}
