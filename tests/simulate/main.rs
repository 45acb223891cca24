//! Runs random programs against random services in virtual time, and checks that the client keeps
//! its promises:
//!
//! ```text
//! cargo run --release --package integration-tests --example simulate -- --seeds 1000000
//! cargo run --release --package integration-tests --example simulate -- --seed 4711
//! ```
//!
//! The second command prints the requests and responses of one seed.

#![allow(clippy::print_stdout, clippy::print_stderr)]

pub(crate) mod run;

use std::{
    env,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use run::Outcome;

#[derive(Default)]
struct Sum {
    requests: u64,
    time: Duration,
    failed: u64,
    /// The combined hash of all traces. The same seeds always produce the same hash.
    trace: u64,
}

fn main() -> ExitCode {
    match arguments(env::args().skip(1)) {
        Ok((0, seed)) => one(seed),
        Ok((seeds, first)) => many(first, seeds),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Parses the arguments. Returns the number of seeds and the first seed.
///
/// The number is 0 if a single seed is to be traced.
pub(crate) fn arguments(mut words: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let usage = || "usage: simulate (--seeds COUNT [--from SEED] | --seed SEED)".to_owned();
    let (mut seeds, mut first) = (None, 0);
    while let Some(word) = words.next() {
        let number = words.next().and_then(|word| word.parse().ok()).ok_or_else(usage)?;
        match word.as_str() {
            "--seeds" => seeds = Some(number),
            "--from" => first = number,
            "--seed" => (seeds, first) = (Some(0), number),
            _ => return Err(usage()),
        }
    }
    Ok((seeds.ok_or_else(usage)?, first))
}

fn one(seed: u64) -> ExitCode {
    let Outcome { lines, hash, result, .. } = run::run(seed, true);
    for line in lines {
        println!("{line}");
    }
    println!("trace {hash:016x}");
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn many(first: u64, seeds: u64) -> ExitCode {
    let (begun, next, sum) = (Instant::now(), AtomicU64::new(0), Mutex::new(Sum::default()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    let outcome = run::run(first + seed, false);
                    if let Ok(mut sum) = sum.lock() {
                        sum.add(&outcome);
                    }
                }
            });
        }
    });
    let Ok(Sum { requests, time, failed, trace }) = sum.into_inner() else {
        return ExitCode::FAILURE;
    };
    let (hours, taken) = (time.as_secs_f64() / 3600.0, begun.elapsed().as_secs_f64());
    println!(
        "{seeds} seeds, {requests} requests, {hours:.0} virtual hours in {taken:.0} s on {threads} \
         threads, trace {trace:016x}: {failed} failed"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.requests += outcome.requests;
        self.time += outcome.time;
        self.trace ^= outcome.hash;
        if let Some(failure) = outcome.failure() {
            self.failed += 1;
            println!("{failure}");
        }
    }
}
