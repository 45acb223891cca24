//! A program of single calls, up to twelve at the same time, some of which are cancelled.
//!
//! No POST may be applied twice, no request may be sent for a cancelled call, and every call must
//! succeed after six minutes without faults.

use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

use digital_assets::{
    BoxFuture, CallOptions, Error, Operation, operation,
    sandbox::Fault,
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use fastrand::Rng;
use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::{
    World, faults,
    promises::{Kept, applied, in_time, quiet},
    wire::NUMBER,
};

const CALLS: u32 = 40;
/// The time after which every call must succeed: the longest pause after a `Retry-After`, which is
/// five minutes, plus one minute.
const CALM: Duration = Duration::from_secs(360);

/// When a call is cancelled.
#[derive(Clone, Copy)]
enum End {
    Never,
    After(Duration),
    /// After this many polls of the call.
    Polls(u32),
}

struct Over {
    number: u32,
    operation: Operation,
    taken: Duration,
    /// The call's result; `None` if the call was cancelled.
    result: Option<Result<(), Error>>,
}

pub(super) async fn calls(world: &mut World) -> Kept {
    world.concurrency = [1, 4, 12][world.random.usize(..3)];
    let (mut under_way, mut over) = (FuturesUnordered::new(), Vec::new());
    for number in 0..CALLS {
        let operation = operation::ALL[world.random.usize(..operation::ALL.len())];
        if let Some(fault) = fault(&mut world.random) {
            world.wire.log.entries().sent.sent(&fault);
            world.sandbox.fault(operation, fault);
        }
        let (call, end) = (call(world, operation, number), end(&mut world.random));
        let log = world.wire.log.clone();
        under_way.push(async move {
            let begun = Instant::now();
            let result = until(end, call).await;
            if result.is_none() {
                log.entries().dropped.insert(number);
            }
            Over { number, operation, taken: begun.elapsed(), result }
        });
        if under_way.len() == world.concurrency {
            over.extend(under_way.next().await);
        }
    }
    over.extend(under_way.collect::<Vec<_>>().await);

    world.wire.calm().await;
    sleep(CALM).await;
    for (number, operation) in (CALLS..).zip(operation::ALL) {
        if let Err(error) = call(world, *operation, number).await {
            return Err(format!("a call failed after {CALM:?} without a fault: {error:?}"));
        }
    }
    ledger(world, over)
}

/// Checks the results of all calls against the members that the sandbox has added.
fn ledger(world: &mut World, calls: Vec<Over>) -> Kept {
    quiet(world.wire.log.entries().late)?;
    let members = world.sandbox.members();
    for Over { number, operation, taken, result } in calls {
        in_time(taken, world.call_timeout)?;
        if let Some(Err(error)) = &result {
            world.came(error)?;
        }
        if operation == operation::ADD_INSTITUTION_MEMBERS {
            let same = members.iter().filter(|member| member.identity_id == identity(number));
            // A cancelled call has no result, and its POST may have been applied.
            let dropped = Err(("dropped".to_owned(), true));
            let doubt = |error: Error| (error.to_string(), error.may_have_been_applied());
            applied(same.count(), result.map_or(dropped, |result| result.map_err(doubt)))?;
        }
    }
    Ok(())
}

fn call(world: &World, operation: Operation, number: u32) -> BoxFuture<'static, Result<(), Error>> {
    let client = &world.client;
    let options = CallOptions::new().header(NUMBER, number.to_string());
    match operation {
        operation::LIST_QUOTE_EXECUTIONS => {
            let list = client.list_quote_executions().profile_id(world.sandbox.profile_id());
            Box::pin(async { list.options(options).send().await.map(drop) })
        }
        operation::LIST_DEPOSIT_ADDRESSES => {
            let list = client.list_deposit_addresses().options(options);
            Box::pin(async { list.send().await.map(drop) })
        }
        operation::ADD_INSTITUTION_MEMBERS => {
            let roles = vec!["TRUSTEE".to_owned()];
            let members = vec![InstitutionMemberToAdd { identity_id: identity(number), roles }];
            let institution_id = world.sandbox.institution_id();
            let body = AddInstitutionMembersRequest { institution_id, members };
            let add = client.add_institution_members().body(body).options(options);
            Box::pin(async { add.send().await.map(drop) })
        }
        _ => {
            let list = client.list_monitoring_addresses().options(options);
            Box::pin(async { list.send().await.map(drop) })
        }
    }
}

fn identity(number: u32) -> Uuid {
    Uuid::from_u128(u128::from(number) + 1)
}

fn fault(random: &mut Rng) -> Option<Fault> {
    match random.u8(..16) {
        0 => Some(Fault::Unauthorized),
        1 => Some(Fault::Status(503)),
        2 => Some(Fault::Status(408)),
        3 => Some(Fault::TooManyRequests { retry_after: None }),
        _ => faults::of_post(random),
    }
}

fn end(random: &mut Rng) -> End {
    match random.u8(..6) {
        0 => End::After(Duration::from_millis(random.u64(..5_000))),
        1 => End::Polls(random.u32(..12)),
        _ => End::Never,
    }
}

/// Returns the call's result, or `None` if the call is cancelled first.
async fn until<T>(end: End, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let mut polls = 0;
    let polled = poll_fn(|context| {
        if matches!(end, End::Polls(most) if polls == most) {
            return Poll::Ready(None);
        }
        polls += 1;
        call.as_mut().poll(context).map(Some)
    });
    match end {
        End::After(time) => timeout(time, polled).await.ok().flatten(),
        End::Never | End::Polls(_) => polled.await,
    }
}
