//! Runs the program of a seed against its service, and checks that the client keeps its promises.

mod calls;
pub(crate) mod faults;
mod follow;
mod listing;
mod log;
mod post;
pub(crate) mod printed;
pub(crate) mod promises;
mod service;
pub(crate) mod tokens;
mod unsteady;
mod wire;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use digital_assets::{AuthStyle, Client, Error, ErrorKind, Retry, operation, sandbox::Sandbox};
use fastrand::Rng;
use tokio::{runtime, time::Instant};
use virtual_service::{DAY, SECOND};

use self::{
    faults::Final,
    log::Log,
    promises::{Kept, at_home, at_once, deserved, discreet, tries},
    tokens::{Watched, spaced},
    wire::Wire,
};

/// The result of running a seed.
pub(crate) struct Outcome {
    seed: u64,
    pub(crate) result: Kept,
    /// The hash of all requests and responses, with their times.
    pub(crate) hash: u64,
    pub(crate) lines: Vec<String>,
    pub(crate) requests: u64,
    /// The virtual time that the program took.
    pub(crate) time: Duration,
}

impl Outcome {
    /// Returns the broken promise, if any, with the command that repeats the run.
    pub(crate) fn failure(&self) -> Option<String> {
        let (why, seed) = (self.result.as_ref().err()?, self.seed);
        Some(format!("{why}\n  cargo run --release --example simulate -- --seed {seed}"))
    }
}

struct World {
    program: Program,
    sandbox: Sandbox,
    client: Client,
    wire: Wire,
    random: Rng,
    /// The largest number of concurrent requests that the program allows.
    concurrency: usize,
    call_timeout: Duration,
    token_lifetime: Duration,
    /// Whether the program retries without waiting as long as the token endpoint requests.
    is_impatient: bool,
    /// The number of streams that were dropped before their end.
    dropped: u64,
    /// Counts of the errors that can't be retried.
    errors: Final,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Program {
    Ends,
    Executions,
    DepositAddresses,
    SplitFilters,
    MonitoringAddresses,
    Unsteady,
    Follow,
    Members,
    Calls,
}

/// Runs a seed. The same seed always produces the same run. If `traced`, the outcome contains the
/// lines of the log.
pub(crate) fn run(seed: u64, traced: bool) -> Outcome {
    // The client takes the jitter of retries from this thread's random number generator.
    fastrand::seed(seed);
    let listening = printed::listen();
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    let entered = runtime.enter();
    let mut world = World::new(seed, traced);
    drop(entered);
    let mut time = Duration::ZERO;
    let program = async {
        let begun = Instant::now();
        let result = world.program().await;
        time = begun.elapsed();
        result
    };
    let result = catch_unwind(AssertUnwindSafe(|| runtime.block_on(program)));
    let result = result.unwrap_or_else(|_| Err("a panic".to_owned()));
    drop(listening);
    let printed = printed::take();
    let result = result.and_then(|()| world.promises(&printed));
    let result = result.map_err(|why| format!("seed {seed}, {:?}: {why}", world.program));
    let (hash, lines, requests) = world.wire.log.entries().trace();
    Outcome { seed, result, hash, lines, requests, time }
}

impl Program {
    const ALL: [Self; 12] = [
        Self::Ends,
        Self::Executions,
        Self::Executions,
        Self::DepositAddresses,
        Self::DepositAddresses,
        Self::SplitFilters,
        Self::MonitoringAddresses,
        Self::Unsteady,
        Self::Follow,
        Self::Follow,
        Self::Members,
        Self::Calls,
    ];

    fn has_windows(self) -> bool {
        matches!(self, Self::Executions | Self::DepositAddresses)
    }

    fn has_a_calm(self) -> bool {
        matches!(self, Self::Unsteady | Self::Follow | Self::Calls)
    }
}

impl World {
    fn new(seed: u64, traced: bool) -> Self {
        let mut random = Rng::with_seed(seed);
        let program = Program::ALL[random.usize(..Program::ALL.len())];
        // The latency is shorter than any token's lifetime, because the sandbox checks the token
        // after the latency.
        let latency = [0, 1, 20, 300, 1_000][random.usize(..5)];
        let lifetime = Duration::from_secs([2, 2, 60, 3_600][random.usize(..4)]);
        let share = [0.0, 0.1, 0.2, 0.3][random.usize(..4)];
        let (most, coarsest) = match program {
            Program::Follow => (50, SECOND),
            Program::Members | Program::Calls => (1, SECOND),
            _ => (400, DAY),
        };
        let mut service = service::service(&mut random, most, coarsest);
        if program.has_windows() && random.u8(..4) == 0 {
            service = service::with_stragglers(&mut random, service);
        }
        let endpoint = service.serve();
        let sandbox = Sandbox::builder()
            .seed(random.u64(..))
            .executions(0)
            .deposit_addresses(0)
            .monitoring_addresses(0)
            .latency(Duration::from_millis(latency))
            .token_lifetime(lifetime)
            // The sandbox's random faults can't be stopped, so programs that need a time without
            // faults don't have them.
            .chaos(if program.has_a_calm() { 0.0 } else { share }, random.u64(..))
            .build();
        let log = Log::new(sandbox.client_secret(), traced);
        let wire = Wire::new(&sandbox, endpoint, log, share > 0.0, random.fork());
        wire.log.note(&format!("{program:?} and {:?}", wire.endpoint));
        let style = [AuthStyle::Body, AuthStyle::Basic][random.usize(..2)];
        let credentials = sandbox.credentials().auth_style(style).http_service(wire.clone());
        printed::add(&credentials);
        let watched = Watched { source: credentials, log: wire.log.clone() };
        let call_timeout = Duration::from_secs([5, 60, 60][random.usize(..3)]);
        let client = sandbox
            .client_builder()
            .credentials(watched)
            .http_service(wire.clone())
            .call_timeout(call_timeout)
            .retry(Retry::default().max_attempts(random.u32(1..5)));
        // The pauses between token requests are checked for a single set of scopes.
        let scopes = operation::ALL.iter().flat_map(|operation| operation.scopes().to_vec());
        let client = if program == Program::Calls { client.scopes(scopes) } else { client };
        printed::add(&client);
        let client = client.build().expect("a client");
        printed::add(&client);
        let is_impatient = random.bool();
        Self {
            program,
            sandbox,
            client,
            wire,
            random,
            concurrency: 1,
            call_timeout,
            token_lifetime: lifetime,
            is_impatient,
            dropped: 0,
            errors: Final::default(),
        }
    }

    async fn program(&mut self) -> Kept {
        match self.program {
            Program::Ends => listing::ends(self).await,
            Program::Executions => listing::executions(self).await,
            Program::DepositAddresses => listing::deposit_addresses(self).await,
            Program::SplitFilters => listing::split_filters(self).await,
            Program::MonitoringAddresses => listing::monitoring_addresses(self).await,
            Program::Unsteady => unsteady::listings(self).await,
            Program::Follow => follow::executions(self).await,
            Program::Members => post::members(self).await,
            Program::Calls => calls::calls(self).await,
        }
    }

    /// Checks the promises that apply to every program.
    fn promises(&self, printed: &str) -> Kept {
        let log = self.wire.log.entries();
        deserved(self.errors, log.sent)?;
        at_home(log.strays)?;
        at_once(log.most_under_way(), self.concurrency)?;
        discreet(printed, &log.secrets)?;
        let (events, requests) = log.tokens();
        tries(self.sandbox.token_requests(), requests)?;
        spaced(events, self.token_lifetime)
    }

    /// Records an error that the program received. Fails if its kind isn't expected.
    fn came(&mut self, error: &Error) -> Kept {
        self.wire.log.note(&error.to_string());
        let chain = std::iter::successors(Some(error as &dyn std::error::Error), |e| e.source());
        for error in chain {
            printed::add(&format_args!("{error} {error:?}"));
        }
        self.errors.came(error);
        match error.kind() {
            ErrorKind::Token
            | ErrorKind::Timeout
            | ErrorKind::Transport
            | ErrorKind::Status
            | ErrorKind::Decode
            | ErrorKind::RepeatedCursor => Ok(()),
            _ => Err(format!("an unexpected error: {error:?}")),
        }
    }

    /// Records an error, and waits before the next attempt. Fails if the error's kind isn't
    /// expected.
    async fn pass(&mut self, error: &Error) -> Kept {
        self.came(error)?;
        let wait = match error.kind() {
            ErrorKind::Token if self.is_impatient => Duration::from_millis(100),
            _ => error.retry_after().unwrap_or(Duration::from_secs(1)),
        };
        tokio::time::sleep(wait).await;
        Ok(())
    }
}
