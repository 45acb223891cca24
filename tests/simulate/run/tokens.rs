//! Checks when the client requests tokens.

use std::time::Duration;

use digital_assets::{AccessToken, BoxFuture, ClientCredentials, Error, TokenSource};

use super::{log::Log, promises::Kept};

/// An event in the life of the tokens for one set of scopes. Requests to the token source are
/// numbered, starting at 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    Asked,
    Granted(u32),
    Failed {
        request: u32,
        /// Whether another attempt can't succeed.
        is_final: bool,
        /// The pause that the token endpoint requests.
        wait: Duration,
    },
    /// The service returned 401.
    Rejected,
    /// The service returned 200.
    Accepted,
}

/// A token source that logs the client's requests for tokens.
pub(super) struct Watched {
    pub(super) source: ClientCredentials,
    pub(super) log: Log,
}

impl TokenSource for Watched {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            let request = self.log.asked();
            let result = self.source.token(scopes).await;
            self.log.token(match &result {
                Ok(_) => Token::Granted(request),
                Err(error) => Token::Failed {
                    request,
                    is_final: error.status().is_some() && !error.is_retryable(),
                    wait: error.retry_after().unwrap_or_default(),
                },
            });
            result
        })
    }

    fn check(&self) -> Result<(), Error> {
        self.source.check()
    }
}

/// The client's current token.
#[derive(Default)]
struct Held {
    asked: Duration,
    granted: Duration,
    is_rejected: bool,
    is_accepted: bool,
}

impl Held {
    /// Returns when the client may start to renew the token.
    fn renewal(&self, lifetime: Duration) -> Duration {
        self.asked + lifetime.saturating_sub((300 * SECOND).min(lifetime / 4))
    }

    /// Returns when the client stops using the token.
    fn end(&self, lifetime: Duration) -> Duration {
        self.asked + lifetime.saturating_sub((60 * SECOND).min(lifetime / 10))
    }
}

const SECOND: Duration = Duration::from_secs(1);
/// The pause after the token endpoint rejected a request, and the pause between replacing two
/// tokens that the service never accepted.
const LONG: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Checks that the client requests a token only if the last one is about to expire or was rejected.
///
/// Also checks that it waits between requests, as the docs of `TokenSource` promise.
pub(crate) fn spaced(events: &[(Duration, Token)], lifetime: Duration) -> Kept {
    let (mut requests, mut in_a_row, mut asked) = (0, 0, Duration::ZERO);
    let (mut held, mut pause_ends): (Option<Held>, _) = (None, None);
    // When the token that was replaced most recently had been granted.
    let mut replaced = None;
    for (now, event) in events.iter().copied() {
        match event {
            Token::Asked if in_a_row > 0 => {
                let unanswered = asked + doubled(SECOND, 30, in_a_row - 2);
                let is_usable = |held: &Held| !held.is_rejected && now < held.end(lifetime);
                let renewal = if held.as_ref().is_some_and(is_usable) {
                    asked + doubled(LONG, 60, in_a_row)
                } else {
                    Duration::ZERO
                };
                not_before(pause_ends.unwrap_or(unanswered).max(renewal), now)?;
            }
            Token::Asked => {
                if let Some(held) = held.as_ref().filter(|held| now < held.renewal(lifetime)) {
                    if !held.is_rejected {
                        return Err(format!("a token was requested at {now:?} without need"));
                    }
                    let pause = if held.is_accepted { SECOND } else { LONG };
                    not_before(replaced.map_or(Duration::ZERO, |then| then + pause), now)?;
                    replaced = Some(held.granted);
                }
            }
            Token::Granted(request) if request == requests => {
                held = Some(Held { asked, granted: now, ..Held::default() });
                in_a_row = 0;
            }
            // This token is from an earlier request. Whether the client keeps it depends on the
            // current token.
            Token::Granted(_) => (held, in_a_row) = (None, 0),
            Token::Failed { request, is_final, wait } if request == requests => {
                let pause = if is_final { LONG } else { doubled(SECOND, 30, in_a_row) };
                pause_ends = Some(now + pause.max(wait.min(LONGEST_WAIT)));
            }
            Token::Failed { .. } => {}
            Token::Rejected => {
                held = held.map(|held| Held { is_rejected: true, ..held });
            }
            Token::Accepted => {
                held = held.map(|held| Held { is_accepted: true, ..held });
            }
        }
        if event == Token::Asked {
            (asked, pause_ends) = (now, None);
            (requests, in_a_row) = (requests + 1, in_a_row + 1);
        }
    }
    Ok(())
}

fn not_before(allowed: Duration, now: Duration) -> Kept {
    if now >= allowed {
        return Ok(());
    }
    Err(format!("a token was requested at {now:?}, before {allowed:?}"))
}

/// Returns the pause after this many requests: `first` after the first request, doubled after each
/// further one, at most `most` seconds. Before the first request, the pause is zero.
fn doubled(first: Duration, most: u64, requests: i32) -> Duration {
    match u32::try_from(requests - 1) {
        Ok(times) => {
            first.saturating_mul(2_u32.saturating_pow(times)).min(Duration::from_secs(most))
        }
        Err(_) => Duration::ZERO,
    }
}
