//! Random faults, all of which a careful client recovers from.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::{
    fault::Fault,
    random::{Random, Topic},
};
use crate::Operation;

/// Faults for a share of the answers.
#[derive(Debug)]
pub(super) struct Chaos {
    share: f64,
    seed: u64,
    answers: AtomicU64,
}

impl Chaos {
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, seed, answers: AtomicU64::new(0) }
    }

    pub(super) fn fault(&self, operation: Operation) -> Option<Fault> {
        let answer = self.answers.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::new(self.seed, Topic::Chaos, answer);
        let dice = f64::from(u32::try_from(random.below(1 << 32)).unwrap_or(u32::MAX));
        if dice >= self.share * f64::from(u32::MAX) {
            return None;
        }
        let faults = [
            Fault::TooManyRequests { retry_after: Some(Duration::ZERO) },
            Fault::TooManyRequests { retry_after: None },
            Fault::Unauthorized,
            Fault::Status(500),
            Fault::Html(502),
            Fault::Status(503),
            Fault::Status(408),
            Fault::Reset,
            Fault::Truncated,
            Fault::EmptyPage,
        ];
        // After any but the first three, a caller is in doubt, and a client doesn't repeat a POST.
        let is_post = operation.method() == reqwest::Method::POST;
        Some(random.pick(if is_post { &faults[..3] } else { &faults }).clone())
    }
}
