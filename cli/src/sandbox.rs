//! `digital-assets sandbox`: runs the sandbox, and prints the settings that a client of it needs.

use std::time::Duration;

use chrono::{DateTime, NaiveTime, Utc};
use clap::ArgMatches;
use digital_assets::sandbox::{Sandbox, SandboxBuilder};

use crate::{failure::Failure, signal, stdout};

/// The name of an option that takes a number, and the builder's method that sets this number.
type Number = (&'static str, fn(SandboxBuilder, u64) -> SandboxBuilder);
const NUMBERS: [Number; 5] = [
    ("executions", |builder, count| builder.executions(count)),
    ("profiles", |builder, count| builder.profiles(count)),
    ("monitoring-addresses", |builder, count| builder.monitoring_addresses(count)),
    ("deposit-addresses", |builder, count| builder.deposit_addresses(count)),
    ("seed", SandboxBuilder::seed),
];

pub(crate) async fn serve(arguments: &ArgMatches) -> Result<(), Failure> {
    let mut builder = Sandbox::builder();
    if let Some(&port) = arguments.get_one::<u16>("port") {
        builder = builder.port(port);
    }
    for (name, set) in NUMBERS {
        if let Some(&number) = arguments.get_one::<u64>(name) {
            builder = set(builder, number);
        }
    }
    if arguments.get_flag("now") {
        builder = builder.now(Utc::now());
    }
    if let Some(&latency) = arguments.get_one::<Duration>("latency") {
        builder = builder.latency(latency);
    }
    if let Some(&lifetime) = arguments.get_one::<Duration>("token-lifetime") {
        builder = builder.token_lifetime(lifetime);
    }
    if let Some(&share) = arguments.get_one::<f64>("chaos") {
        let seed = arguments.get_one::<u64>("seed").copied();
        builder = builder.chaos(share, seed.unwrap_or(1));
    }
    let mut signals = signal::Signals::new()?;
    let sandbox = builder.start().await?;
    let settings = settings(&sandbox);
    let lines = settings.map(|(name, value)| format!("export {name}={value}\n"));
    stdout::print(lines.concat())?;
    Err(Failure::Signal(signals.next().await))
}

/// A builder for the sandbox of `--sandbox`, and its name. Its records are dated back from the start
/// of the current day, so that they are the same in every run of that day, and one run can resume
/// another.
pub(crate) fn of_today() -> (SandboxBuilder, String) {
    let today = Utc::now().date_naive();
    let now: DateTime<Utc> = today.and_time(NaiveTime::MIN).and_utc();
    (Sandbox::builder().now(now), format!("the sandbox of {today}"))
}

/// The environment variables that a client of this sandbox needs.
pub(crate) fn settings(sandbox: &Sandbox) -> [(&'static str, String); 7] {
    [
        ("DIGITAL_ASSETS_BASE_URL", sandbox.base_url().to_owned()),
        ("DIGITAL_ASSETS_AUTH_URL", sandbox.token_url().to_owned()),
        ("DIGITAL_ASSETS_CLIENT_ID", sandbox.client_id().to_owned()),
        ("DIGITAL_ASSETS_CLIENT_SECRET", sandbox.client_secret().to_owned()),
        ("DIGITAL_ASSETS_PROFILE_ID", sandbox.profile_id().to_string()),
        ("DIGITAL_ASSETS_INSTITUTION_ID", sandbox.institution_id().to_string()),
        ("DIGITAL_ASSETS_IDENTITY_ID", sandbox.identity_id().to_string()),
    ]
}
