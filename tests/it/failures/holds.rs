//! Tests of how a 429 delays later calls.

use tokio::task::{JoinHandle, yield_now};

use super::patient;
use crate::{memory::until, prelude::*};

/// Returns a service that responds with a 429 to the requests whose numbers are in `refused`, and
/// with a page to all other requests.
fn throttling(refused: &'static [usize], retry_after: u64) -> InMemory {
    InMemory::scripted(
        move |at, _| {
            if refused.contains(&at) { throttled(retry_after) } else { json(200, "{}") }
        },
    )
}

fn calls(client: &Client, count: usize) -> Vec<JoinHandle<Result<(), Error>>> {
    let call = |_| {
        let client = client.clone();
        tokio::spawn(async move { client.list_monitoring_addresses().send().await.map(drop) })
    };
    (0..count).map(call).collect()
}

async fn finished(calls: Vec<JoinHandle<Result<(), Error>>>) -> Vec<Result<(), Error>> {
    join_all(calls).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test(start_paused = true)]
async fn calls_that_waited_for_one_token_keep_to_the_rate() {
    let service = InMemory::always(json(200, "{}"));
    let auth = granting_in_memory().after(seconds(2));
    let env = Environment::in_memory(service, auth, |client| {
        client.rate_limit(operation::LIST_MONITORING_ADDRESSES, 10.0)
    });

    let results = finished(calls(&env.client, 20)).await;

    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(env.auth.count(), 1);
    for (turn, time) in env.service.times().into_iter().enumerate() {
        assert!(time >= millis(100) * u32::try_from(turn).unwrap(), "{turn}: {time:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_answer_holds_an_operation_back_for_five_minutes_at_most() {
    for asked in [301, 3600, u64::MAX] {
        let service = throttling(&[0], asked);
        let client = service.client();

        let error = client.list_monitoring_addresses().send().await.unwrap_err();
        assert_eq!(error.retry_after(), Some(seconds(asked)));
        advance(seconds(299)).await;
        let error = client.list_monitoring_addresses().limit(1).send().await;
        assert!(error.is_ok(), "before the deadline: {error:?}");

        assert_eq!(service.times()[1], seconds(300), "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_held_back_says_so_and_carries_nothing_of_anothers_answer() {
    let client = throttling(&[0], 200).client();
    let first = client.list_monitoring_addresses().send().await.unwrap_err();
    assert!(first.body().is_some() && first.problem().is_some() && first.headers().is_some());

    advance(seconds(80)).await;
    let held = client.list_monitoring_addresses().send().await.unwrap_err();

    assert_eq!((held.kind(), code(&held), held.attempts()), (ErrorKind::Status, Some(429), 0));
    assert_eq!((held.body(), held.problem(), held.headers()), (None, None, None));
    assert_eq!(held.retry_after(), Some(seconds(120)));
    assert!(held.is_retryable() && !held.may_have_been_applied());
    assert_eq!(
        held.to_string(),
        "listMonitoringAddresses: the request was not sent: the operation is on hold after \
         an earlier response: 429 Too Many Requests"
    );
}

#[tokio::test(start_paused = true)]
async fn when_a_hold_ends_one_call_goes_first_and_the_others_follow() {
    let service = throttling(&[0], 5).after(millis(300));
    let client = service.with(|client| client.retry(Retry::none()));
    client.list_monitoring_addresses().send().await.unwrap_err();

    let results = finished(calls(&client, 10)).await;

    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let times = service.times();
    assert_eq!(times[1], millis(5300));
    assert!(times[2..].iter().all(|time| *time == millis(5600)), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn when_the_first_is_held_back_again_so_are_the_others() {
    let service = throttling(&[0, 1, 2], 5).after(millis(300));
    let client = service.with(|client| patient(client).retry(Retry::none()));
    client.list_monitoring_addresses().send().await.unwrap_err();

    let results = finished(calls(&client, 10)).await;

    assert_eq!(results.iter().filter(|result| result.is_err()).count(), 2);
    let times = service.times();
    assert_eq!(times[..4], [millis(0), millis(5300), millis(10_600), millis(15_900)]);
    assert!(times[4..].iter().all(|time| *time == millis(16_200)), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_first_call_that_is_dropped_or_left_alone_is_followed_by_another() {
    let service = throttling(&[0], 5).after(seconds(1));
    let client = service.with(|client| client.retry(Retry::none()).attempt_timeout(seconds(10)));
    client.list_monitoring_addresses().send().await.unwrap_err();
    advance(seconds(5)).await;

    // After a hold, a single call is sent first. Here, the first such call is dropped, and the
    // second one is never polled again.
    let dropped = calls(&client, 1).remove(0);
    until(|| service.count() == 2).await;
    dropped.abort();
    dropped.await.unwrap_err();
    let mut left_alone = Box::pin(client.list_monitoring_addresses().send());
    assert!((&mut left_alone).now_or_never().is_none());
    let results = finished(calls(&client, 2)).await;

    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let times: Vec<_> =
        service.times()[1..].iter().map(|time| time.saturating_sub(seconds(6))).collect();
    // The response to the second call arrives after a second, but nobody polls this call.
    assert_eq!(times[..2], [seconds(0), seconds(0)]);
    assert!((millis(1_000)..millis(1_300)).contains(&times[2]), "{times:?}");
    assert_eq!(times[3], times[2] + seconds(1));
    left_alone.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_deadline_passes_before_the_first_is_back_says_whom_it_waited_for() {
    let service = throttling(&[0], 5).after(seconds(10));
    let client = service.with(|client| client.retry(Retry::none()).call_timeout(seconds(12)));
    client.list_monitoring_addresses().send().await.unwrap_err();
    let mut late = Box::pin(client.list_monitoring_addresses().send());
    assert!((&mut late).now_or_never().is_none());
    advance(seconds(5)).await;

    let first = calls(&client, 1);
    until(|| service.count() == 2).await;
    let error = late.await.unwrap_err();

    assert!(finished(first).await.iter().all(Result::is_ok));
    assert_eq!((code(&error), error.attempts()), (Some(429), 0));
    assert!(error.to_string().contains("another call has to finish first"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn holds_can_be_ended() {
    let service = throttling(&[0], 200);
    let client = service.with(patient);
    let throttled = calls(&client, 1);
    until(|| service.count() == 1).await;
    let waiting = calls(&client, 5);
    // Each call runs until it has to wait.
    yield_now().await;
    assert_eq!(service.count(), 1);

    client.clone().release_holds();
    let results = finished(waiting.into_iter().chain(throttled).collect()).await;

    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(service.times(), [seconds(0); 7]);
    list(&client).await.unwrap();
}

// Otherwise, a call would be sent every 50 ms if the service sent 429s without `Retry-After` for
// minutes.
#[tokio::test(start_paused = true)]
async fn holds_without_retry_after_grow_until_a_call_passes() {
    let service = InMemory::scripted(|at, _| {
        let is_refused = at < 60 || at == 61;
        json(if is_refused { 429 } else { 200 }, "{}")
    });
    let client = service.with(|client| client.retry(Retry::none()));
    let list = || client.list_monitoring_addresses().send();

    while service.count() < 61 {
        let _ = list().await;
    }
    let times = service.times();
    let gap = |at: usize| times[at].saturating_sub(times[at - 1]);
    let gaps: Vec<_> = (1..times.len()).map(gap).collect();
    assert!(gaps[0] <= millis(100), "{gaps:?}");
    assert!(gaps[10..].iter().all(|gap| (millis(800)..=millis(1_700)).contains(gap)), "{gaps:?}");

    list().await.expect_err("a new breach");
    list().await.unwrap();
    let times = service.times();
    assert!(times[62].saturating_sub(times[61]) <= millis(100), "{times:?}");
}
