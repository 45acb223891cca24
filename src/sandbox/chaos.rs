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
        let refused = [
            Fault::TooManyRequests { retry_after: Some(Duration::ZERO) },
            Fault::TooManyRequests { retry_after: None },
            Fault::Unauthorized,
        ];
        if operation.method() == reqwest::Method::POST {
            // Anything else leaves the caller in doubt, and a client doesn't repeat such a POST.
            return Some(random.pick(&refused).clone());
        }
        let failed = [
            Fault::Status(500),
            Fault::Html(502),
            Fault::Status(503),
            Fault::Status(408),
            Fault::Reset,
            Fault::Truncated,
            Fault::EmptyPage,
        ];
        let position = random.position(refused.len() + failed.len());
        refused.iter().chain(&failed).nth(position).cloned()
    }
}
