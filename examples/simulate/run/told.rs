//! A service that tells times with fewer digits than it holds.

use std::fmt::Write;

use chrono::{DateTime, SubsecRound, Utc};
use futures_util::TryStreamExt;
use reqwest::{Body, Response};

/// How many digits of a second the service tells.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Told(pub(super) u16);

const NAME: &str = "\"created_at\":\"";

impl Told {
    const EXACTLY: Self = Self(9);

    pub(super) fn time(self, time: DateTime<Utc>) -> DateTime<Utc> {
        time.trunc_subsecs(self.0)
    }

    pub(super) fn answer(self, answer: Response) -> Response {
        if self == Self::EXACTLY {
            return answer;
        }
        let mut told = http::Response::new(());
        *told.status_mut() = answer.status();
        told.headers_mut().clone_from(answer.headers());
        let pieces = answer.bytes_stream();
        let pieces = pieces.map_ok(move |piece| self.page(&String::from_utf8_lossy(&piece)));
        told.map(|()| Body::wrap_stream(pieces)).into()
    }

    /// Spaces take the place of the digits: the answer's length is in its head.
    fn page(self, page: &str) -> String {
        let mut parts = page.split(NAME);
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (time, rest) = part.split_once('"').unwrap_or((part, ""));
            let digits = usize::from(self.0);
            let end = time.find('.').map(|point| point + digits + usize::from(digits > 0));
            match end.filter(|end| *end < time.len()) {
                Some(end) => {
                    let width = time.len() - end;
                    let _ = write!(told, "{NAME}{}{:width$}{rest}", &time[..end], "Z\"");
                }
                None => {
                    let _ = write!(told, "{NAME}{time}\"{rest}");
                }
            }
        }
        told
    }
}
