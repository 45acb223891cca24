//! One seed: a service, a program, and whether the client kept its promises.

mod follow;
mod listing;
mod post;
mod wire;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use digital_assets::{
    Client, Error, ErrorKind, Retry,
    sandbox::{Sandbox, Times},
};
use fastrand::Rng;
use tokio::{runtime, time::Instant};

use self::wire::Wire;

/// What a seed did, and what was broken.
pub(crate) struct Outcome {
    pub(crate) result: Result<(), String>,
    /// Of all that was sent and answered, and when.
    pub(crate) hash: u64,
    pub(crate) lines: Vec<String>,
    pub(crate) requests: u64,
    /// By the clock of the program.
    pub(crate) time: Duration,
}

struct World {
    sandbox: Sandbox,
    client: Client,
    wire: Wire,
    random: Rng,
    /// How many requests may be under way.
    concurrency: usize,
}

const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// The same seed does the same in every run; with a trace it says what.
pub(crate) fn run(seed: u64, traced: bool) -> Outcome {
    // The jitter of retries is drawn from this thread's generator.
    fastrand::seed(seed);
    let mut world = World::new(seed, traced);
    let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let mut time = Duration::ZERO;
    let result = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
        let program = async {
            let begun = Instant::now();
            let result = world.program().await;
            time = begun.elapsed();
            result
        };
        let result = catch_unwind(AssertUnwindSafe(|| runtime.block_on(program)));
        result.unwrap_or_else(|_| Err("a panic".to_owned()))
    });
    let result = result.and_then(|()| world.promises(time));
    let (hash, lines, requests) = world.wire.trace();
    let result = result.map_err(|why| format!("seed {seed}: {why}"));
    Outcome { result, hash, lines, requests, time }
}

impl World {
    fn new(seed: u64, traced: bool) -> Self {
        let mut random = Rng::with_seed(seed);
        let all = [
            Times::Uniform,
            Times::OneSecond,
            Times::Equal,
            Times::TwoClusters,
            Times::Skewed,
            Times::Bursts,
        ];
        // Below the lifetime of any token, which the sandbox looks at behind it.
        let latency = [0, 1, 20, 300, 1_000][random.usize(..5)];
        let lifetime = [2, 2, 60, 3_600][random.usize(..4)];
        let share = [0.0, 0.1, 0.2, 0.3][random.usize(..4)];
        let sandbox = Sandbox::builder()
            .seed(random.u64(..))
            .times(all[random.usize(..all.len())])
            .executions(random.u64(0..400))
            .profiles(random.u64(1..4))
            .deposit_addresses(random.u64(0..300))
            .monitoring_addresses(random.u64(0..200))
            .latency(Duration::from_millis(latency))
            .token_lifetime(Duration::from_secs(lifetime))
            .chaos(share, random.u64(..))
            .build();
        let grain = [0, 0, 1, 60][random.usize(..4)];
        let wire = Wire::new(&sandbox, grain, share > 0.0, random.fork(), traced);
        let attempts = random.u32(1..5);
        let client = sandbox
            .client_builder()
            .credentials(sandbox.credentials().http_service(wire.clone()))
            .http_service(wire.clone())
            .call_timeout(CALL_TIMEOUT)
            .retry(Retry::default().max_attempts(attempts))
            .build()
            .expect("a client");
        Self { sandbox, client, wire, random, concurrency: 1 }
    }

    async fn program(&mut self) -> Result<(), String> {
        match self.random.usize(..6) {
            0 => listing::executions(self).await,
            1 => listing::deposit_addresses(self).await,
            2 => listing::split_filters(self).await,
            3 => listing::monitoring_addresses(self).await,
            4 => follow::deposit_addresses(self).await,
            _ => post::members(self).await,
        }
    }

    /// What holds whatever the program.
    fn promises(&self, time: Duration) -> Result<(), String> {
        let most = self.wire.most_under_way();
        if most > self.concurrency {
            return Err(format!("{most} requests at once instead of {}", self.concurrency));
        }
        let (asked, refused) = (self.wire.token_requests(), self.wire.refused_tokens());
        // A token of two seconds is renewed after one and a half; three tries each.
        let most = 3 * (2 + refused + time.as_secs());
        if asked > most {
            return Err(format!("{asked} token requests in {time:?}, {refused} tokens refused"));
        }
        Ok(())
    }

    /// Waits before the next try, if the failure is one that may pass and prints no secret.
    async fn pass(&mut self, error: &Error) -> Result<(), String> {
        self.check(error)?;
        let wait = error.retry_after().unwrap_or(Duration::from_secs(1));
        tokio::time::sleep(wait).await;
        Ok(())
    }

    fn check(&self, error: &Error) -> Result<(), String> {
        let chain = std::iter::successors(Some(error as &dyn std::error::Error), |e| e.source());
        let printed: Vec<_> = chain.map(|error| format!("{error} {error:?}")).collect();
        let printed = printed.join("\n");
        if let Some(secret) = self.wire.secrets().into_iter().find(|word| printed.contains(word)) {
            return Err(format!("an error prints the secret {secret}: {printed}"));
        }
        match error.kind() {
            ErrorKind::Token
            | ErrorKind::Timeout
            | ErrorKind::Transport
            | ErrorKind::Status
            | ErrorKind::Decode => Ok(()),
            _ => Err(format!("an error that can't be: {error:?}")),
        }
    }
}
