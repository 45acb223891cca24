//! A service that tells times with fewer digits than it holds.

use std::fmt::Write;

use chrono::{DateTime, SubsecRound, Utc};
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::{Body, Response};

/// How many digits of a second the service tells.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Told(pub(super) u16);

const NAME: &str = "\"created_at\":\"";

impl Told {
    pub(super) const EXACTLY: Self = Self(9);

    pub(super) fn time(self, time: DateTime<Utc>) -> DateTime<Utc> {
        time.trunc_subsecs(self.0)
    }

    /// `arrived` is called when all of it has come.
    pub(super) fn answer(
        self,
        answer: Response,
        arrived: impl FnOnce() + Send + 'static,
    ) -> Response {
        let mut told = http::Response::new(());
        *told.status_mut() = answer.status();
        told.headers_mut().clone_from(answer.headers());
        let state = (answer.bytes_stream().fuse().boxed(), Vec::new(), Some(arrived));
        let pieces =
            stream::try_unfold(state, move |(mut pieces, mut held, mut arrived)| async move {
                while let Some(piece) = pieces.try_next().await? {
                    held.extend_from_slice(&piece);
                    // No time has a comma: what comes up to one is whole.
                    if let Some(end) = held.iter().rposition(|byte| *byte == b',') {
                        let rest = held.split_off(end + 1);
                        let whole = self.page(&String::from_utf8_lossy(&held));
                        return Ok(Some((whole, (pieces, rest, arrived))));
                    }
                }
                let Some(arrived) = arrived.take() else { return Ok(None) };
                arrived();
                let rest = self.page(&String::from_utf8_lossy(&held));
                Ok::<_, reqwest::Error>(Some((rest, (pieces, Vec::new(), None))))
            });
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
