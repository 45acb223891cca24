//! Random numbers that are a pure function of the seed, a topic and an index.

use uuid::{Builder, Uuid};

/// The purpose of random numbers. Each topic has its own random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic(pub u64);

impl Topic {
    /// The topic of the records' creation times.
    pub(super) const TIME: Self = Self(8);
    /// The topic of the responses that `chaos` makes fail.
    pub(super) const CHAOS: Self = Self(14);
}

/// A splitmix64 sequence.
#[derive(Clone, Debug)]
pub struct Random(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The inverse of `GAMMA` modulo 2^64.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;
const _: () = assert!(GAMMA.wrapping_mul(INVERSE) == 1, "INVERSE undoes a product with GAMMA");

/// The bits of an identifier that contain its index: the node of a UUID.
const NODE: u64 = (1 << 48) - 1;

/// The identifier that is generated from this index. [`index_of`] is the inverse function.
pub(super) fn id(seed: u64, topic: Topic, index: u64) -> Uuid {
    let mut random = Random::new(seed, topic, index);
    let node = (index ^ key(seed, topic)).wrapping_mul(GAMMA) & NODE;
    let bits = (u128::from(random.next()) << 64) | u128::from(random.next() & !NODE | node);
    Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
}

/// The index from which this identifier was generated, below 2^48. `None` if the identifier wasn't
/// generated from this seed and topic.
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

    /// A number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(end);
        u64::try_from(product >> 64).unwrap_or_default()
    }

    /// True in one of `count` calls, on average.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// One of the values. There must be at least one.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        let end = u64::try_from(values.len()).unwrap_or(u64::MAX);
        &values[usize::try_from(self.below(end)).unwrap_or_default()]
    }

    /// A random UUID.
    pub fn uuid(&mut self) -> Uuid {
        let bits = (u128::from(self.next()) << 64) | u128::from(self.next());
        Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }

    /// A random string of this length, with characters from the alphabet. The alphabet must be
    /// ASCII.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(*self.pick(alphabet.as_bytes()))).collect()
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
