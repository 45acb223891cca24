//! Random numbers that depend only on the seed, a topic and an index.

use uuid::{Builder, Uuid};

/// The purpose for which random numbers are generated, such as creation times. Different topics
/// yield different random numbers, even with the same seed and index.
///
/// Give each purpose a number of its own. The sandbox itself uses the numbers 8 and 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic(pub u64);

impl Topic {
    /// The topic for the records' creation times.
    pub(super) const TIME: Self = Self(8);
    /// The topic for the random failures from the `chaos` setting.
    pub(super) const CHAOS: Self = Self(14);
}

/// A `SplitMix64` random number generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The multiplicative inverse of `GAMMA` modulo 2^64.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;
const _: () = assert!(
    GAMMA.wrapping_mul(INVERSE) == 1,
    "INVERSE must be the multiplicative inverse of GAMMA"
);

/// The low 48 bits of a UUID (its node field), which encode the index.
const NODE: u64 = (1 << 48) - 1;

/// Generates the identifier for this index. [`index_of`] is the inverse function.
pub(super) fn id(seed: u64, topic: Topic, index: u64) -> Uuid {
    let mut random = Random::new(seed, topic, index);
    let node = (index ^ key(seed, topic)).wrapping_mul(GAMMA) & NODE;
    let bits = (u128::from(random.next()) << 64) | u128::from(random.next() & !NODE | node);
    Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
}

/// Returns the index from which this identifier was generated, or `None` if the identifier wasn't
/// generated from this seed and topic. Works only for indexes below 2^48.
pub(super) fn index_of(seed: u64, topic: Topic, uuid: Uuid) -> Option<u64> {
    let (_, low) = uuid.as_u64_pair();
    let index = (low.wrapping_mul(INVERSE) ^ key(seed, topic)) & NODE;
    (id(seed, topic, index) == uuid).then_some(index)
}

fn key(seed: u64, topic: Topic) -> u64 {
    Random::new(seed, topic, u64::MAX).next()
}

impl Random {
    pub(super) fn new(seed: u64, topic: Topic, index: u64) -> Self {
        Self(mix(mix(seed ^ GAMMA.wrapping_mul(topic.0)).wrapping_add(index)))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Returns a random number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(end);
        u64::try_from(product >> 64).unwrap_or_default()
    }

    /// Returns true with a probability of 1 in `count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Returns a random element of `values`, which must not be empty.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        let end = u64::try_from(values.len()).unwrap_or(u64::MAX);
        &values[usize::try_from(self.below(end)).unwrap_or_default()]
    }

    /// Returns a random UUID.
    pub fn uuid(&mut self) -> Uuid {
        let bits = (u128::from(self.next()) << 64) | u128::from(self.next());
        Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }

    /// Returns a random string of this length, with characters from `alphabet`. The alphabet must
    /// be ASCII.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(*self.pick(alphabet.as_bytes()))).collect()
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
