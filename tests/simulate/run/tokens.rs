//! When the client asks for a token, and whether it may.

use std::time::Duration;

use digital_assets::{AccessToken, BoxFuture, ClientCredentials, Error, TokenSource};

use super::{log::Log, promises::Kept};

/// What happens to the tokens of one set of scopes. The source's requests are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    Asked,
    Granted(u32),
    Failed {
        request: u32,
        /// Another try wouldn't help.
        is_final: bool,
        /// What the token endpoint asks for.
        wait: Duration,
    },
    /// The service answers 401.
    Rejected,
    /// The service answers 200.
    Accepted,
}

/// A source that writes down when it is asked.
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

/// The token that the client has.
#[derive(Default)]
struct Held {
    asked: Duration,
    granted: Duration,
    is_rejected: bool,
    is_accepted: bool,
}

impl Held {
    /// From then on it may be renewed.
    fn renewal(&self, lifetime: Duration) -> Duration {
        self.asked + lifetime.saturating_sub((300 * SECOND).min(lifetime / 4))
    }

    /// From then on it isn't used.
    fn end(&self, lifetime: Duration) -> Duration {
        self.asked + lifetime.saturating_sub((60 * SECOND).min(lifetime / 10))
    }
}

const SECOND: Duration = Duration::from_secs(1);
/// After the token endpoint refused, and between two replaced tokens that were never accepted.
const LONG: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The source is asked when a token nears its end or was rejected, and then again only after the
/// pauses that `TokenSource` and the client's tokens promise.
pub(crate) fn spaced(events: &[(Duration, Token)], lifetime: Duration) -> Kept {
    let (mut requests, mut in_a_row, mut asked) = (0, 0, Duration::ZERO);
    let (mut held, mut pause_ends): (Option<Held>, _) = (None, None);
    // A token was rejected at this time or later, and replaced.
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
                        return Err(format!("a token was asked for at {now:?}, without need"));
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
            // Whether a token that comes late is kept depends on the one that is there.
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
    Err(format!("a token was asked for at {now:?}, not at {allowed:?}"))
}

/// From the first request on, up to so many seconds; nothing before it.
fn doubled(first: Duration, most: u64, requests: i32) -> Duration {
    match u32::try_from(requests - 1) {
        Ok(times) => {
            first.saturating_mul(2_u32.saturating_pow(times)).min(Duration::from_secs(most))
        }
        Err(_) => Duration::ZERO,
    }
}
