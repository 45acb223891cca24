//! Where a listing continues, as opaque text.

use std::hash::{DefaultHasher, Hash, Hasher};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};

use super::{collection::Position, problem::Rejection};

/// The last record, and what the pages of one listing have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The place of the last record that was returned, if any.
    pub(super) after: Option<Position>,
    /// Records per page.
    pub(super) size: u32,
    /// Records in the whole listing, counted once when it began.
    pub(super) total: u32,
    /// The fingerprint of the operation, its filters and its order.
    pub(super) fingerprint: u64,
    /// The number of empty pages sent instead of the one it leads to, each with its own cursor.
    pub(super) empty: u32,
}

impl Cursor {
    pub(super) fn encode(self) -> String {
        let mut bytes = vec![u8::from(self.after.is_some())];
        let after = self.after.unwrap_or(Position { time: 0, rank: 0 });
        bytes.extend(after.time.to_be_bytes());
        bytes.extend(after.rank.to_be_bytes());
        bytes.extend(self.size.to_be_bytes());
        bytes.extend(self.total.to_be_bytes());
        bytes.extend(self.fingerprint.to_be_bytes());
        bytes.extend(self.empty.to_be_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Refuses a cursor of another listing: its records aren't the requested ones.
    pub(super) fn decode(text: &str, fingerprint: u64) -> Result<Self, Rejection> {
        let rejection = |detail| Rejection::parameter("page_cursor", detail);
        let cursor = Self::read(text).ok_or_else(|| rejection("page_cursor is not a cursor"))?;
        if cursor.fingerprint == fingerprint {
            return Ok(cursor);
        }
        Err(rejection("page_cursor belongs to other filters or another order"))
    }

    fn read(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&has_after, rest) = bytes.split_first()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (rank, rest) = rest.split_first_chunk()?;
        let (size, rest) = rest.split_first_chunk()?;
        let (total, rest) = rest.split_first_chunk()?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let after = Position { time: i128::from_be_bytes(*time), rank: u64::from_be_bytes(*rank) };
        Some(Self {
            after: (has_after == 1).then_some(after),
            size: u32::from_be_bytes(*size),
            total: u32::from_be_bytes(*total),
            fingerprint: u64::from_be_bytes(*fingerprint),
            empty: u32::from_be_bytes(rest.try_into().ok()?),
        })
    }
}

/// The same in every process of one build, so that a cursor can outlive a process.
pub(super) fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
