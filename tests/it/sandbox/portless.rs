//! Tests of the sandbox without a port. The client's requests go directly to it, and Tokio's clock
//! determines the time.

use std::time::{Duration, Instant};

use digital_assets::{
    Error, ErrorKind, Operation, Retry, operation,
    sandbox::{Fault, Sandbox},
};
use tokio::time;

use super::caller::new_member;
use crate::clock::seconds;

const DEPOSITS: Operation = operation::LIST_DEPOSIT_ADDRESSES;
const MEMBERS: Operation = operation::ADD_INSTITUTION_MEMBERS;

/// Makes a call with a single attempt, which meets this fault. Returns the sandbox and the error.
async fn failure(operation: Operation, fault: Fault) -> (Sandbox, Error) {
    let sandbox = Sandbox::builder().build();
    let client = sandbox.client_builder().retry(Retry::none()).build().unwrap();
    sandbox.fault(operation, fault);
    let error = if operation == MEMBERS {
        let call = client.add_institution_members().body(new_member(&sandbox));
        call.send().await.map(drop).unwrap_err()
    } else {
        client.list_deposit_addresses().send().await.map(drop).unwrap_err()
    };
    (sandbox, error)
}

#[tokio::test]
async fn an_answer_that_ends_too_early_is_the_same_error_with_a_port_and_without() {
    for body in ["", "{\"items\": ["] {
        for sandbox in [Sandbox::start().await.unwrap(), Sandbox::builder().build()] {
            sandbox.fault(DEPOSITS, Fault::Body(200, body.to_owned()));
            let client = sandbox.client().unwrap();

            let error = client.list_deposit_addresses().send().await.unwrap_err();

            // The body is as long as its `content-length`, so it counts as complete and isn't
            // retried.
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Decode, 1), "{body}: {error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_month_of_faults_waits_and_expiring_tokens_takes_a_moment() {
    let begun = Instant::now();
    let sandbox = Sandbox::builder().latency(seconds(1)).build();
    let client = sandbox.client().unwrap();
    let start = time::Instant::now();
    for hour in 0..30 * 24 {
        let fault = match hour % 4 {
            0 => Fault::TooManyRequests { retry_after: Some(seconds(30)) },
            1 => Fault::Reset,
            2 => Fault::Truncated,
            _ => Fault::Silence,
        };
        sandbox.fault(DEPOSITS, fault);

        let page = client.list_deposit_addresses().limit(2).send().await.unwrap();

        assert_eq!(page.items.len(), 2, "{hour}");
        time::sleep_until(start + seconds(3_600) * (hour + 1)).await;
    }
    assert_eq!(sandbox.request_count(DEPOSITS), 30 * 24 * 2);
    assert_eq!(sandbox.token_requests(), 30 * 24);
    assert!(begun.elapsed() < seconds(120), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn faults_that_break_a_connection_break_a_call() {
    let began = time::Instant::now();
    for (fault, kind) in [
        (Fault::Reset, ErrorKind::Transport),
        (Fault::Truncated, ErrorKind::Transport),
        (Fault::ResetAfterApplying, ErrorKind::Transport),
        (Fault::Silence, ErrorKind::Timeout),
    ] {
        let (sandbox, error) = failure(DEPOSITS, fault.clone()).await;
        assert_eq!((error.kind(), error.attempts()), (kind, 1), "{fault:?}: {error:?}");
        assert!(error.is_retryable(), "{fault:?}");
        assert_eq!(sandbox.request_count(DEPOSITS), 1);
        assert!(kind != ErrorKind::Transport || std::error::Error::source(&error).is_some());
    }
    assert_eq!(began.elapsed().as_secs(), 15, "the silence");
}

#[tokio::test(start_paused = true)]
async fn a_post_whose_answer_is_lost_may_have_been_applied() {
    for (fault, members) in [
        (Fault::Reset, 0),
        (Fault::Silence, 0),
        (Fault::ResetAfterApplying, 1),
        (Fault::Truncated, 1),
        (Fault::Latency(seconds(3_600)), 1),
    ] {
        let (sandbox, error) = failure(MEMBERS, fault.clone()).await;
        assert!(error.may_have_been_applied(), "{fault:?}: {error:?}");
        assert_eq!(sandbox.members().len(), members, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_late_by_the_same_clock() {
    for fault in [Fault::Latency(seconds(1)), Fault::Drip(Duration::from_millis(100))] {
        let sandbox = Sandbox::builder().build();
        let client = sandbox.client().unwrap();
        client.list_deposit_addresses().send().await.unwrap();
        let began = time::Instant::now();
        sandbox.fault(DEPOSITS, fault.clone());

        let page = client.list_deposit_addresses().ref_ids(["nobody"]).send().await.unwrap();

        assert!(page.items.is_empty());
        assert!(began.elapsed() >= seconds(1), "{fault:?}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn one_that_listens_can_be_called_without_its_port_too() {
    let sandbox = Sandbox::start().await.unwrap();
    let client = digital_assets::Client::builder("https://service.example")
        .credentials(sandbox.credentials())
        .http_service(sandbox.http_service());

    let page = client.build().unwrap().list_deposit_addresses().limit(1).send().await.unwrap();

    assert_eq!(page.items.len(), 1);
}
