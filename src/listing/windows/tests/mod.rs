//! Walks of listings of any shape, by a service that takes its time, fails and grows meanwhile, and
//! makes of bounds what it likes.

mod laws;
mod orders;
mod service;
mod shapes;

use std::{future::poll_fn, time::Duration};

use tokio::{
    runtime::Builder,
    time::{Instant, sleep, timeout},
};

use self::service::{Entry, Seen, Service};
use super::*;

/// What a walk hands out, and what it takes.
#[derive(Default)]
struct Walked {
    entries: Vec<Entry>,
    errors: Vec<Error>,
    /// The most records that waited at once.
    waiting: usize,
    time: Duration,
    seen: Seen,
    service: Service,
}

impl Walked {
    fn numbers(&self) -> Vec<usize> {
        self.entries.iter().map(|entry| entry.number).collect()
    }
}

/// On tokio's paused clock. After an error the consumer pauses.
fn walk(service: &Service, pause: Duration) -> Walked {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let begun = Instant::now();
        let (mut windows, mut walked) = (service.begin(), Walked::default());
        let walk = async {
            while let Some(record) = poll_fn(|cx| windows.poll_record(cx, true)).await {
                let waiting = windows.partition.as_ref().map_or(0, |partition| partition.waiting);
                walked.waiting = walked.waiting.max(waiting);
                match record {
                    Ok(record) => walked.entries.push(record),
                    Err(error) => {
                        walked.errors.push(error);
                        sleep(pause).await;
                    }
                }
                assert!(walked.errors.len() < 10_000, "no end of errors");
            }
        };
        timeout(Duration::from_secs(100_000), walk).await.expect("an end");
        assert_eq!(windows.partition.map_or(0, |partition| partition.waiting), 0);
        let (service, seen) = service::end();
        Walked { time: begun.elapsed(), seen, service, ..walked }
    })
}

#[tokio::test(start_paused = true)]
async fn requests_are_under_way_until_all_has_come() {
    let times = (0..200).map(|n| service::BEGIN + n * service::SECOND).collect();
    let mut windows = Service { times, ..Service::default() }.begin();

    for _ in 0..100 {
        assert!(poll_fn(|cx| windows.poll_record(cx, true)).await.is_some());
    }
    assert!(windows.is_asking());

    while poll_fn(|cx| windows.poll_record(cx, true)).await.is_some() {}
    assert!(!windows.is_asking());
}
