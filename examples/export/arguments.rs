//! The command line.

use std::{fmt::Display, path::PathBuf, time::Duration};

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Args, CommandFactory, Parser, Subcommand, error::ErrorKind, value_parser};
use digital_assets::types::{CryptoNetwork, Market, QuoteExecutionStatus, Side};

use super::file::Format;

/// Exports a listing of the digital assets service into a file, the oldest record first.
#[derive(Debug, Parser)]
#[command(name = "export", after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) listing: Listing,
}

const AFTER_HELP: &str = "\
Records are written to <OUT>.part, which is renamed to <OUT> when it is complete. Beside it
<OUT>.checkpoint says how far it got: after a failure, Ctrl-C or a kill the same command with
--resume goes on from there, and the file ends with every record, once. A service that asks for
it is left alone for up to 15 minutes.

The service is that of DIGITAL_ASSETS_BASE_URL, _AUTH_URL, _CLIENT_ID and _CLIENT_SECRET in the
environment. Without any of them it is a sandbox with 200,000 executions of one profile.

Exit status: 0 complete, 1 failed, 2 not understood, 130 interrupted, 143 terminated.";

#[derive(Debug, Subcommand)]
pub(crate) enum Listing {
    /// The executions of one profile
    #[command(after_help = concat!(
        "CSV columns: id, profile_id, quote_id, status, market, side, price, base_amount,\n",
        "base_asset, quote_amount, quote_asset, created_at, settled_at, metadata.\n\n",
        "Decimals are the service's own text, times RFC 3339 in UTC, metadata a JSON object;\n",
        "what a record doesn't have is empty. JSON Lines have the service's own field names."
    ))]
    QuoteExecutions {
        /// The profile; by default that of the environment, or the sandbox's
        #[arg(long, value_name = "ID")]
        profile: Option<String>,
        /// Only this market, as in BTCUSD
        #[arg(long)]
        market: Option<Market>,
        /// Only this side, BUY or SELL
        #[arg(long)]
        side: Option<Side>,
        /// Only this status, CREATED or SETTLED
        #[arg(long)]
        status: Option<QuoteExecutionStatus>,
        #[command(flatten)]
        span: Span,
        #[command(flatten)]
        target: Target,
    },
    /// All deposit addresses
    #[command(after_help = concat!(
        "CSV columns: id, profile_id, customer_id, identity_id, ref_id, crypto_network, address,\n",
        "conversion_target_asset, compatible_crypto_networks, metadata, created_at.\n\n",
        "Times are RFC 3339 in UTC, compatible_crypto_networks a JSON array, metadata a JSON\n",
        "object; what a record doesn't have is empty. JSON Lines have the service's own field names."
    ))]
    DepositAddresses {
        /// Only this network, as in SOLANA; may be given more than once
        #[arg(long)]
        network: Vec<CryptoNetwork>,
        #[command(flatten)]
        span: Span,
        #[command(flatten)]
        target: Target,
    },
    /// All monitored addresses; the service doesn't filter them by time
    #[command(after_help = concat!(
        "CSV columns: id, address, crypto_network, name, created_at.\n\n",
        "Times are RFC 3339 in UTC; what a record doesn't have is empty. JSON Lines have the\n",
        "service's own field names."
    ))]
    MonitoringAddresses {
        /// Only this network, as in SOLANA
        #[arg(long)]
        network: Option<CryptoNetwork>,
        #[command(flatten)]
        target: Target,
    },
}

impl Listing {
    pub(crate) fn target(&self) -> &Target {
        match self {
            Self::QuoteExecutions { target, .. }
            | Self::DepositAddresses { target, .. }
            | Self::MonitoringAddresses { target, .. } => target,
        }
    }

    pub(crate) fn span(&self) -> Option<&Span> {
        match self {
            Self::QuoteExecutions { span, .. } | Self::DepositAddresses { span, .. } => Some(span),
            Self::MonitoringAddresses { .. } => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Span {
    /// Only records at or after this time, RFC 3339 or a date in UTC
    #[arg(long, value_name = "TIME", value_parser = first)]
    pub(crate) from: Option<DateTime<Utc>>,
    /// Only records at or before this time; a date is its whole day
    #[arg(long, value_name = "TIME", value_parser = last)]
    pub(crate) to: Option<DateTime<Utc>>,
    /// Requests at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) concurrency: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The file, .csv or .jsonl
    #[arg(long, value_name = "FILE", value_parser = out)]
    pub(crate) out: PathBuf,
    /// Goes on where an export into this file stopped; begins one if there was none, and leaves a
    /// complete file as it is, whatever filters it was made with
    #[arg(long)]
    pub(crate) resume: bool,
    /// Begins anew, whatever is there, and replaces the file when it is complete
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Records a request
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(i32).range(1..))]
    pub(crate) page_size: i32,
    /// Seconds between checkpoints, a day at most
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) checkpoint_every: Duration,
}

/// Ends the program as clap does where the command line can't be understood.
pub(crate) fn refuse(message: &str) -> ! {
    Arguments::command().error(ErrorKind::MissingRequiredArgument, message).exit()
}

/// Says so where a filter is one that this program doesn't know: it goes to the service all the
/// same, which may know more.
pub(crate) fn note_unknown<'a, T: Display + 'a>(
    what: &str,
    values: impl IntoIterator<Item = &'a T>,
    is_known: impl Fn(&T) -> bool,
) {
    for value in values.into_iter().filter(|value| !is_known(value)) {
        eprintln!("{value} is no {what} that this program knows; the service may");
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "is no number".to_owned())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    let day = Duration::from_secs(24 * 60 * 60);
    if time <= day { Ok(time) } else { Err("is more than a day".to_owned()) }
}

fn out(text: &str) -> Result<PathBuf, String> {
    let out = PathBuf::from(text);
    Format::of(&out).map(|_| out.clone()).ok_or_else(|| "is neither .csv nor .jsonl".to_owned())
}

fn first(text: &str) -> Result<DateTime<Utc>, String> {
    time(text, NaiveTime::MIN)
}

fn last(text: &str) -> Result<DateTime<Utc>, String> {
    // A nanosecond before midnight.
    time(text, NaiveTime::MIN.overflowing_sub_signed(chrono::TimeDelta::nanoseconds(1)).0)
}

fn time(text: &str, of_day: NaiveTime) -> Result<DateTime<Utc>, String> {
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Ok(date.and_time(of_day).and_utc());
    }
    let time = DateTime::parse_from_rfc3339(text);
    Ok(time.map_err(|error| format!("is neither RFC 3339 nor a date: {error}"))?.to_utc())
}
