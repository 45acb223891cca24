//! Random faults, all of which a careful client recovers from.

use std::{sync::atomic::Ordering, time::Duration};

use super::{
    fault::Fault,
    random::{Random, Topic},
    service::Service,
};
use crate::Operation;

impl Service {
    /// The fault of a share of the answers.
    pub(super) fn random_fault(&self, operation: Operation) -> Option<Fault> {
        let (share, seed) = self.settings.chaos;
        let answer = self.answers.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::new(seed, Topic::Chaos, answer);
        let dice = f64::from(u32::try_from(random.below(1 << 32)).unwrap_or(u32::MAX));
        if dice >= share * f64::from(u32::MAX) {
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
