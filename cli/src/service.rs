//! The service that a command calls: the one in the settings, or its own sandbox.

use std::{collections::HashMap, env, fs, time::Duration};

use clap::ArgMatches;
use digital_assets::{CallOptions, Client, ClientCredentials, Retry, sandbox::Sandbox};

use crate::{failure::Failure, sandbox};

pub(crate) struct Service {
    pub client: Client,
    /// The origin of the records, as in a checkpoint.
    pub name: String,
    /// How long a call may take.
    pub timeout: Duration,
    settings: HashMap<String, String>,
    /// Runs until it is dropped.
    _sandbox: Option<Sandbox>,
}

/// The settings that the tool itself needs, which no parameter has.
pub(crate) const NEEDED: [&str; 4] = [
    "DIGITAL_ASSETS_BASE_URL",
    "DIGITAL_ASSETS_AUTH_URL",
    "DIGITAL_ASSETS_CLIENT_ID",
    "DIGITAL_ASSETS_CLIENT_SECRET",
];

/// The client's own, for a call with all its retries.
const TIMEOUT: Duration = Duration::from_secs(60);

const NO_SETTING: &str = "a line of it is no NAME=VALUE; put a value that has $, \\, # or spaces \
                          between single quotes";

impl Service {
    /// The service that these arguments name. The command's own arguments take precedence.
    pub(crate) async fn find(command: &ArgMatches, tool: &ArgMatches) -> Result<Self, Failure> {
        let timeout = option("timeout", command, tool).unwrap_or(TIMEOUT);
        if command.get_flag("sandbox") || tool.get_flag("sandbox") {
            // The same records in every run, so that one run can resume another.
            let sandbox = Sandbox::start().await?;
            let settings = sandbox::settings(&sandbox)
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect();
            let client = sandbox.client()?.with_options(options(command, tool));
            let name = "the sandbox".to_owned();
            return Ok(Self { client, name, timeout, settings, _sandbox: Some(sandbox) });
        }
        let settings = match option::<std::path::PathBuf>("env-file", command, tool) {
            Some(path) => {
                let unread = |reason: String| {
                    Failure::other(format!("--env-file {}: {reason}", path.display()))
                };
                let text = fs::read_to_string(&path).map_err(|error| unread(error.to_string()))?;
                // Editors on Windows start a file with a byte order mark.
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let lines = dotenvy::from_read_iter(text.as_bytes());
                // Print nothing of an unreadable line: it may contain the secret.
                lines.collect::<Result<_, _>>().map_err(|_| unread(NO_SETTING.to_owned()))?
            }
            None => HashMap::new(),
        };
        let values = NEEDED.map(|name| setting(&settings, name));
        let [Some(base_url), Some(auth_url), Some(id), Some(secret)] = values else {
            let missing: Vec<&str> = std::iter::zip(NEEDED, &values)
                .filter_map(|(name, value)| value.is_none().then_some(name))
                .collect();
            let missing = missing.join(", ");
            return Err(Failure::other(format!(
                "missing in the environment: {missing}; set them, or name a file that does with \
                 --env-file, or try --sandbox"
            )));
        };
        let name = base_url.trim_end_matches('/').to_owned();
        let credentials = ClientCredentials::new(auth_url, id, secret);
        let client = Client::builder(base_url).credentials(credentials).build()?;
        let client = client.with_options(options(command, tool));
        Ok(Self { client, name, timeout, settings, _sandbox: None })
    }

    /// A setting from the file, the sandbox or the environment.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        setting(&self.settings, name)
    }
}

fn setting(settings: &HashMap<String, String>, name: &str) -> Option<String> {
    let value = settings.get(name).cloned().or_else(|| env::var(name).ok());
    value.filter(|value| !value.is_empty())
}

fn options(command: &ArgMatches, tool: &ArgMatches) -> CallOptions {
    let mut options = CallOptions::new();
    if let Some(timeout) = option::<Duration>("timeout", command, tool) {
        // An attempt has the whole time too: a slow answer may need it.
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

/// An option given before or after the command.
fn option<'a, T: Clone + Send + Sync + 'static>(
    name: &str,
    command: &'a ArgMatches,
    tool: &'a ArgMatches,
) -> Option<T> {
    command.get_one::<T>(name).or_else(|| tool.get_one::<T>(name)).cloned()
}
