//! Records that arrive while a program lists: new ones, and late ones among those that are there.

use chrono::TimeDelta;
use digital_assets::sandbox::Sandbox;
use fastrand::Rng;
use tokio::time::Instant;
use uuid::Uuid;

use super::records::Kind;

pub(super) const MOST_ARRIVALS: usize = 40;

/// What arrives before a request comes to the service.
pub(super) struct Arrivals {
    next: Box<dyn FnMut(usize) + Send>,
    pub(super) so_far: usize,
    most: usize,
    random: Rng,
}

pub(super) fn id(number: usize) -> Uuid {
    Uuid::from_u128(number as u128)
}

impl Arrivals {
    pub(super) fn of<T: Kind>(sandbox: &Sandbox, mut random: Rng) -> Self {
        let (sandbox, begun, there_is) = (sandbox.clone(), Instant::now(), T::all(sandbox));
        let newest = there_is.first().and_then(T::created_at);
        let most = [0, 5, MOST_ARRIVALS][random.usize(..3)];
        let most = if there_is.is_empty() { 0 } else { most };
        let mut of_each = random.fork();
        let next = move |number| {
            let mut new = there_is[of_each.usize(..there_is.len())].clone();
            *new.uuid_mut() = id(number);
            let elapsed = TimeDelta::from_std(begun.elapsed()).unwrap_or_default();
            match newest.filter(|_| of_each.bool()) {
                Some(newest) => *new.time_mut() = newest + elapsed,
                None => *new.time_mut() += TimeDelta::milliseconds(of_each.i64(0..2_000)),
            }
            new.insert(&sandbox);
        };
        Self { next: Box::new(next), so_far: 0, most, random }
    }

    /// Now and then, one more. Returns whether one has arrived.
    pub(super) fn arrive(&mut self) -> bool {
        let arrives = self.so_far < self.most && self.random.bool();
        if arrives {
            self.so_far += 1;
            (self.next)(self.so_far);
        }
        arrives
    }
}
