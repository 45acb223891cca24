//! Properties of tokens that hold whatever the source does, however long calls wait, and whichever
//! runtimes they use.

use futures_util::future::pending;
use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};
use tokio::runtime::Builder;

use super::source::{Source, drawing_with, token_of};
use crate::prelude::*;

const CALL_TIMEOUT: Duration = seconds(2);
/// The resolution of the clock.
const GRAIN: Duration = millis(2);

#[derive(Clone, Copy, Debug)]
enum Answer {
    /// A token with this lifetime in seconds.
    Grant(u64),
    Fail,
    Panic,
    Hang,
}

#[derive(Clone, Debug)]
struct Call {
    /// The pause after the previous call.
    pause: Duration,
    /// How long the caller waits before it drops the call.
    patience: Duration,
}

fn answers() -> impl Strategy<Value = Vec<(Duration, Answer)>> {
    let answer = prop_oneof![
        3 => select(vec![20, 60, 3600]).prop_map(Answer::Grant),
        2 => Just(Answer::Fail),
        1 => Just(Answer::Panic),
        2 => Just(Answer::Hang),
    ];
    let delay = select(vec![0, 10, 300, 3_000, 20_000]).prop_map(millis);
    vec((delay, answer), 1..40)
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let pause = select(vec![0, 1, 50, 400, 5_000, 30_000]).prop_map(millis);
    let patience = select(vec![0, 20, 400, 2_000, 60_000]).prop_map(millis);
    vec((pause, patience).prop_map(|(pause, patience)| Call { pause, patience }), 1..150)
}

/// When tokens were requested, and the period in which each granted token is usable.
#[derive(Default)]
struct Ledger {
    asked: Vec<Instant>,
    usable: Vec<(Instant, Instant)>,
}

impl Ledger {
    /// Returns whether a token is certainly usable. A token that arrives or expires just as a call
    /// ends doesn't count, because the call may or may not use it.
    fn has_usable(&self, now: Instant) -> bool {
        self.usable.iter().any(|(begin, end)| *begin + GRAIN <= now && *end > now + GRAIN)
    }
}

fn client(source: &Source) -> Client {
    drawing_with(source, |client| client.call_timeout(CALL_TIMEOUT)).client
}

fn scripted(answers: Vec<(Duration, Answer)>, ledger: &Arc<Mutex<Ledger>>) -> Source {
    let ledger = Arc::clone(ledger);
    Source::of(move |times| {
        let (delay, answer) = answers[times % answers.len()];
        let (ledger, asked) = (Arc::clone(&ledger), Instant::now());
        ledger.lock().unwrap().asked.push(asked);
        async move {
            sleep(delay).await;
            match answer {
                Answer::Grant(lifetime) => {
                    let lifetime = seconds(lifetime);
                    let end = asked + lifetime - seconds(60).min(lifetime / 10);
                    ledger.lock().unwrap().usable.push((Instant::now(), end));
                    Ok(AccessToken::new("word").expires_in(lifetime))
                }
                Answer::Fail => Err(Error::token("the source fails")),
                Answer::Panic => panic!("the source panics"),
                Answer::Hang => pending().await,
            }
        }
    })
}

#[test]
fn a_usable_token_is_used_and_the_source_is_left_in_peace() {
    let cases = Config { cases: 100, ..cases() };
    proptest!(cases, |(answers in answers(), calls in calls())| {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let client = client(&scripted(answers, &ledger));

        let done = paused().block_on(async {
            let mut tasks = Vec::new();
            for Call { pause, patience } in calls {
                sleep(pause).await;
                let (client, ledger) = (client.clone(), Arc::clone(&ledger));
                tasks.push(tokio::spawn(async move {
                    let start = Instant::now();
                    let result = timeout(patience, token_of(&client)).await;
                    let now = Instant::now();
                    let usable = ledger.lock().unwrap().has_usable(now);
                    (usable, now - start, result, patience)
                }));
            }
            join_all(tasks).await
        });

        for call in done {
            let (was_usable, took, result, patience) = call.expect("no panic in a call");
            match result {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    let is_late = error.kind() == ErrorKind::Timeout;
                    prop_assert!(is_late || error.kind() == ErrorKind::Token, "{error}");
                    prop_assert!(!was_usable, "a token was left unused: {error}");
                }
                Err(_) if patience <= CALL_TIMEOUT / 2 => {}
                Err(_) => prop_assert!(!was_usable, "waited {took:?} despite a token"),
            }
        }
        let asked = &ledger.lock().unwrap().asked;
        for (at, start) in asked.iter().enumerate() {
            let minute = asked[at..].iter().take_while(|it| **it - *start < seconds(60)).count();
            prop_assert!(minute <= 20, "{minute} requests in a minute");
        }
    });
}

#[test]
fn runtimes_that_come_and_go_take_no_token_from_those_that_stay() {
    let cases = Config { cases: 32, ..cases() };
    let abroad = vec((0_u64..6, 0_u64..12), 1..6);
    proptest!(cases, |(abroad in abroad, delays in vec(0_u64..8, 1..6))| {
        let source = Source::of(move |times| {
            let delay = millis(delays[times % delays.len()]);
            async move {
                sleep(delay).await;
                Ok(AccessToken::new(format!("word-{times}")).expires_in(seconds(60)))
            }
        });
        let client = client(&source);
        let runtimes = abroad.len();

        let here = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let results = here.block_on(async {
            let mut calls = Vec::new();
            for (before, life) in abroad {
                let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
                let (runtime, away) = (runtime.expect("a runtime"), client.clone());
                runtime.spawn(async move { token_of(&away).await.map(drop) });
                sleep(millis(before)).await;
                let staying = client.clone();
                calls.push(tokio::spawn(async move { token_of(&staying).await }));
                sleep(millis(life)).await;
                runtime.shutdown_background();
            }
            join_all(calls).await
        });

        for result in results {
            let error = result.expect("no panic").err();
            prop_assert!(error.is_none(), "{error:?}");
        }
        prop_assert!(source.count() <= 2 * runtimes + 1, "{} requests", source.count());
    });
}
