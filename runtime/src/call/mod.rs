//! A call to an operation: the data of its request, and the code that sends the request.

mod attempt;
mod draft;
#[cfg(feature = "sandbox")]
pub(crate) use draft::ParameterLocation;
pub use draft::{Draft, Parameter};
mod options;
pub use options::CallOptions;
mod rate_limit;
pub(crate) use rate_limit::Limits;
mod retrying;
mod sender;
pub use sender::Sender;
pub(crate) use sender::Shared;
mod span;
mod trial_call;

use std::{fmt::Display, time::Duration};

use chrono::{DateTime, SecondsFormat, Timelike, Utc};
use reqwest::header::HeaderValue;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::{Error, Operation, ResponseValue, decode::MayBeRounded};

/// A call to an operation: the data from which each attempt builds its HTTP request.
#[derive(Clone)]
pub(crate) struct Call {
    pub operation: Operation,
    /// The path below the base URL, with percent-encoded parameters.
    pub path: String,
    pub query: Query,
    /// The header parameters, named as in the OpenAPI description.
    pub headers: Vec<(&'static str, HeaderValue)>,
    /// The body, as JSON.
    pub body: Option<Vec<u8>>,
}

impl Call {
    /// Returns the cursor of the requested page. `None` if there is no cursor, or if the operation
    /// isn't a listing.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.query.get(self.operation.listing()?.cursor)
    }

    pub(crate) fn set_cursor(&mut self, cursor: String) {
        if let Some(listing) = self.operation.listing() {
            self.query.set(listing.cursor, cursor);
        }
    }
}

/// A call that a builder has prepared: either a single call, or the first call of a listing.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "it holds values that shouldn't be logged")]
pub struct PreparedCall {
    pub(crate) sender: Sender,
    pub(crate) call: Call,
    /// Whether at least one filter is an empty array. Such a filter matches no records, so the
    /// listing sends no request.
    pub(crate) is_empty: bool,
}

impl PreparedCall {
    /// Checks the options of the call.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if the options contain a header that can't be sent.
    pub fn check(&self) -> Result<(), Error> {
        self.sender.options.check().map_err(|error| error.with_operation(self.call.operation))
    }

    /// Sends the call.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] whose kind is the reason why the call failed.
    pub async fn send<T: DeserializeOwned + MayBeRounded>(self) -> Result<ResponseValue<T>, Error> {
        self.sender.call(&self.call).await
    }
}

/// The query parameters, in the order in which they are sent.
#[derive(Clone, Default)]
pub(crate) struct Query {
    pairs: Vec<(&'static str, String)>,
    /// The array parameters that are sent as one `name=value` pair: the name of each parameter, and
    /// the separator between its values.
    separated: Vec<(&'static str, char)>,
}

impl Query {
    /// Returns the first value of the parameter with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.pairs.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Adds the parameter `name` once for each value.
    pub(crate) fn add<T: Display>(
        &mut self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) {
        self.pairs.extend(values.into_iter().map(|value| (name, value.to_string())));
    }

    /// Specifies that a parameter's values are sent as one `name=value` pair, with the separator
    /// `by` between the values. If `by` is `None`, each value is sent as its own pair.
    pub(crate) fn separate(&mut self, name: &'static str, by: Option<char>) {
        self.separated.extend(by.map(|by| (name, by)));
    }

    pub(crate) fn separator(&self, name: &str) -> Option<char> {
        self.separated.iter().find_map(|(known, by)| (*known == name).then_some(*by))
    }

    /// Replaces all values of a parameter with this single value.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.remove(name);
        self.pairs.push((name, value.into()));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.pairs.retain(|(known, _)| *known != name);
    }
}

/// Formats a time as RFC 3339 in UTC. The offset is written as `Z`, because some servers read the
/// `+` of an unencoded `+00:00` in a query as a space.
///
/// In RFC 3339, a year has four digits. So a time outside the years 0 to 9999 is replaced by the
/// nearest time in that range. Many servers reject the second 60, so a leap second is replaced by the
/// second before it.
#[must_use]
pub fn rfc3339(time: &DateTime<Utc>) -> String {
    let first = DateTime::from_timestamp(-62_167_219_200, 0);
    let last = DateTime::from_timestamp(253_402_300_799, 999_999_999);
    let time = Some(*time).min(last).max(first).unwrap_or(*time);
    // During a leap second, chrono counts more nanoseconds than a second has.
    let time = time.with_nanosecond(time.nanosecond() % 1_000_000_000).unwrap_or(time);
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Returns the instant that is `wait` from now. If the clock can't represent this instant, returns
/// the instant one year from now.
pub(crate) fn deadline_in(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60))
}
