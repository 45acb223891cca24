//! The service that a command calls: the one in the settings, or a temporary sandbox.

use std::{env, net::IpAddr, path::PathBuf, time::Duration};

use clap::ArgMatches;
use digital_assets::{
    CallOptions, Client, ClientBuilder, ClientCredentials, Environment, Error, Retry, operation,
    sandbox::Sandbox,
};

use crate::{
    cause::{self, Endpoint},
    failure::Failure,
    profile, sandbox,
    settings::{self, PREFIX, Settings},
    stdout,
    unsent::Unsent,
    verbose,
};

pub(crate) struct Service {
    pub client: Client,
    /// The service's name in checkpoints and databases: its base URL, or `the sandbox of` a day.
    pub name: String,
    pub url: String,
    /// The client's credentials. `None` if the settings contain a token instead.
    pub credentials: Option<ClientCredentials>,
    /// The settings that apply to the command. With `--sandbox`, they include the sandbox's
    /// settings.
    pub settings: Settings,
    /// The temporary sandbox, which runs until it is dropped. `None` without `--sandbox`.
    _sandbox: Option<Sandbox>,
}

const BASE_URL: &str = "DIGITAL_ASSETS_BASE_URL";
const AUTH_URL: &str = "DIGITAL_ASSETS_AUTH_URL";
const CLIENT_ID: &str = "DIGITAL_ASSETS_CLIENT_ID";
const CONFIG: &str = "DIGITAL_ASSETS_CONFIG";

/// The names of the tool's own settings, which can't be used to set parameters.
pub(crate) fn own() -> impl Iterator<Item = String> {
    let client = Environment::NAMES.into_iter().map(|name| format!("{PREFIX}{name}"));
    client.chain([CONFIG.to_owned()])
}

impl Service {
    /// Returns the settings for the service that the arguments choose, without starting or calling
    /// the service.
    pub(crate) fn settings_of(
        command: &ArgMatches,
        tool: &ArgMatches,
    ) -> Result<Settings, Failure> {
        if command.get_flag("sandbox") || tool.get_flag("sandbox") {
            // The sandbox's own settings include every required option of a listing.
            let sandbox = Sandbox::builder().build();
            return Ok(Settings::of(sandbox::settings(&sandbox)));
        }
        settings(command, tool)
    }

    /// The OAuth client ID from the settings. `None` if the settings contain a token, because the
    /// token's client is unknown.
    pub(crate) fn client_id(&self) -> Option<String> {
        self.credentials.as_ref().and_then(|_| self.settings.get(CLIENT_ID))
    }

    /// Prepares the service that the arguments choose, and starts the sandbox if `--sandbox` is
    /// set. Options after the command take precedence over options before the command.
    pub(crate) async fn find(command: &ArgMatches, tool: &ArgMatches) -> Result<Self, Failure> {
        Self::made(command, tool, None).await
    }

    /// Like `find`, but the client passes its requests to `unsent`, and needs no credentials.
    pub(crate) async fn without_sending(
        command: &ArgMatches,
        tool: &ArgMatches,
        unsent: Unsent,
    ) -> Result<Self, Failure> {
        Self::made(command, tool, Some(unsent)).await
    }

    async fn made(
        command: &ArgMatches,
        tool: &ArgMatches,
        unsent: Option<Unsent>,
    ) -> Result<Self, Failure> {
        if command.get_flag("verbose") || tool.get_flag("verbose") {
            verbose::begin();
        }
        let is_sandbox = command.get_flag("sandbox") || tool.get_flag("sandbox");
        settings::check_environment()?;
        let (settings, sandbox, name) = if is_sandbox {
            let (builder, name) = sandbox::of_today();
            let sandbox = builder.start().await?;
            (Settings::of(sandbox::settings(&sandbox)), Some(sandbox), name)
        } else {
            let settings = settings(command, tool)?;
            let url = settings.get(BASE_URL).unwrap_or_default();
            (settings, None, url.trim_end_matches('/').to_owned())
        };
        for (name, meant) in settings.misspelt() {
            stdout::say(&format!("{name} is not a setting of this tool; did you mean {meant}?"));
        }
        let url = settings.get(BASE_URL).unwrap_or_default();
        let endpoint =
            |setting| Endpoint { setting, url: settings.get(setting).unwrap_or_default() };
        cause::remember(endpoint(BASE_URL), endpoint(AUTH_URL));
        let (builder, credentials) = match unsent {
            Some(_) if url.is_empty() => return Err(lacking(BASE_URL)),
            Some(unsent) => {
                (Client::builder(&url).bearer_token("unsent").http_service(unsent), None)
            }
            None => builder(&settings.environment())?,
        };
        let rate = command.try_get_one::<f64>("rate").ok().flatten();
        let builder = rate.into_iter().fold(builder, |builder, &rate| {
            builder.shared_rate_limit(operation::ALL.iter().copied(), rate)
        });
        let client = builder.build().map_err(|error| named(&error))?;
        let client = client.with_options(options(command, tool));
        Ok(Self { client, name, url, credentials, settings, _sandbox: sandbox })
    }
}

/// A builder for a client with these settings, and the client's credentials. The credentials are
/// `None` if the settings contain a token.
fn builder(
    environment: &Environment<'_>,
) -> Result<(ClientBuilder, Option<ClientCredentials>), Failure> {
    let missing = environment.missing().map_err(|error| named(&error))?;
    if !missing.is_empty() {
        return Err(lacking(&missing.join(", ")));
    }
    let builder = environment.builder().map_err(|error| named(&error))?;
    Ok((builder, environment.credentials().map_err(|error| named(&error))?))
}

fn lacking(settings: &str) -> Failure {
    Failure::other(format!(
        "missing settings: {settings}; set them in the environment or in a file for --env-file, or \
         try --sandbox"
    ))
}

/// Converts an error about the settings, which names the setting.
fn named(error: &Error) -> Failure {
    Failure::other(error.to_string())
}

/// The settings from `--env-file`, the environment and `--profile`, in this order of precedence.
pub(crate) fn settings(command: &ArgMatches, tool: &ArgMatches) -> Result<Settings, Failure> {
    let settings = option::<PathBuf>("env-file", command, tool)
        .map_or_else(|| Ok(Settings::default()), |path| Settings::of_file(&path))?;
    let Some(name) = option::<String>("profile", command, tool) else { return Ok(settings) };
    let at_home = || Some(env::home_dir()?.join(".config/digital-assets/config.toml"));
    let path = settings.get(CONFIG).map(PathBuf::from).or_else(at_home).unwrap_or_default();
    Ok(settings.with_profile(profile::read(&path, &name)?))
}

/// Whether `host` is the local machine. Requests to the local machine don't use a proxy.
pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn options(command: &ArgMatches, tool: &ArgMatches) -> CallOptions {
    let mut options = CallOptions::new();
    if let Some(timeout) = option::<Duration>("timeout", command, tool) {
        // A single attempt may take the whole time, because a slow response may need all of it.
        options = options.call_timeout(timeout).attempt_timeout(timeout);
    }
    if let Some(retries) = option::<u32>("retries", command, tool) {
        options = options.retry(Retry::default().max_attempts(retries + 1));
    }
    for arguments in [tool, command] {
        let headers = arguments.get_many::<(String, String)>("header");
        for (name, value) in headers.into_iter().flatten() {
            options = options.header(name, value);
        }
    }
    options
}

/// The value of an option that may be given before or after the command. The value after the
/// command takes precedence.
fn option<T: Clone + Send + Sync + 'static>(
    name: &str,
    command: &ArgMatches,
    tool: &ArgMatches,
) -> Option<T> {
    command.get_one::<T>(name).or_else(|| tool.get_one::<T>(name)).cloned()
}
