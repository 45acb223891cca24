//! The keys of rows that no record has been compared with yet. At first, these are the keys of all
//! rows that existed when the verification started.
//!
//! Only a 128-bit hash of each key is kept in memory, so a row takes 16 bytes and a bit: 162 MB for
//! ten million rows.

use std::hash::{BuildHasher, RandomState};

use crate::failure::Failure;

#[derive(Default)]
pub(super) struct Held {
    /// The hashes of all keys, in ascending order.
    keys: Vec<u128>,
    /// A bit for each hash, which is set if the key has been struck.
    struck: Vec<u64>,
    hashers: [RandomState; 2],
}

impl Held {
    /// Takes over the keys that `each` passes to its callback.
    pub(super) fn fill(
        &mut self,
        each: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut keys = Vec::new();
        each(&mut |key| {
            keys.push(self.hash(key));
            Ok(())
        })?;
        keys.sort_unstable();
        keys.dedup();
        self.struck = vec![0; keys.len().div_ceil(64)];
        self.keys = keys;
        Ok(())
    }

    pub(super) fn strike<'a>(&mut self, keys: impl Iterator<Item = &'a str>) {
        for key in keys {
            if let Ok(at) = self.keys.binary_search(&self.hash(key)) {
                self.struck[at / 64] |= 1 << (at % 64);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let struck = self.struck.iter().map(|bits| bits.count_ones() as usize);
        struck.sum::<usize>() == self.keys.len()
    }

    /// Whether this key was there at the start and hasn't been struck.
    pub(super) fn contains(&self, key: &str) -> bool {
        let at = self.keys.binary_search(&self.hash(key));
        at.is_ok_and(|at| self.struck[at / 64] & (1 << (at % 64)) == 0)
    }

    fn hash(&self, key: &str) -> u128 {
        let [high, low] = self.hashers.each_ref().map(|hasher| u128::from(hasher.hash_one(key)));
        (high << 64) | low
    }
}
