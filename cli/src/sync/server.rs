//! A Postgres server: its address, and the libpq settings for the parts that the address omits
//! (<https://www.postgresql.org/docs/current/libpq-envars.html>).

use std::{env, error::Error as _, path::PathBuf, str::FromStr};

use percent_encoding::percent_decode_str;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};

use super::{
    pgpass,
    tls::{self, Mode, Tls},
};
use crate::{failure::Failure, settings::Settings};

#[derive(Clone, Debug)]
pub(crate) struct Server {
    config: Config,
    ssl_mode: Option<Mode>,
    ssl_root_cert: Option<String>,
    pass_file: Option<String>,
}

/// The unsupported libpq options that affect the security or the destination of a connection. The
/// tool rejects an address that contains one of these options, instead of ignoring the option.
const NOT_SERVED: [&str; 12] = [
    "gssencmode",
    "requirepeer",
    "require_auth",
    "service",
    "servicefile",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcrl",
    "sslcrldir",
    "sslkey",
    "sslpassword",
];

/// The libpq environment variables for the client certificate and its key. The tool doesn't support
/// client certificates, so it fails if one of these variables is set.
const CERTIFICATES: [&str; 2] = ["PGSSLCERT", "PGSSLKEY"];

impl Server {
    /// Adds the settings that the address doesn't contain.
    ///
    /// # Errors
    ///
    /// If one of the settings is invalid.
    pub(super) fn with_settings(mut self, settings: &Settings) -> Result<Self, Failure> {
        if let Some(name) = CERTIFICATES.into_iter().find(|name| settings.get(name).is_some()) {
            let reason = "client certificates aren't supported; unset this variable";
            return Err(Failure::other(format!("{name}: {reason}")));
        }
        if let Some(password) = settings.get("PGPASSWORD") {
            self.config.password(password);
        }
        if let (None, Some(mode)) = (self.ssl_mode, settings.get("PGSSLMODE")) {
            let mode: Result<Mode, _> = mode.parse();
            let mode = mode.map_err(|reason| Failure::other(format!("PGSSLMODE {reason}")))?;
            self.ssl_mode = Some(mode);
        }
        self.ssl_root_cert = self.ssl_root_cert.or_else(|| settings.get("PGSSLROOTCERT"));
        self.pass_file = self.pass_file.or_else(|| settings.get("PGPASSFILE"));
        Ok(self)
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    /// Connects to the server. Returns the client, and the task that runs the connection until it
    /// is closed or lost.
    pub(super) async fn connect(&self) -> Result<(Client, JoinHandle<Result<(), Error>>), Failure> {
        let mut config = self.config.clone();
        if config.get_password().is_none() {
            let file = self.pass_file.clone().map(PathBuf::from).or_else(|| at_home(".pgpass"));
            if let Some(password) = file.and_then(|file| pgpass::find(&file, &config)) {
                config.password(password);
            }
        }
        tls::connect(config, &self.tls()?).await
    }

    fn tls(&self) -> Result<Tls, Failure> {
        let roots = match self.ssl_root_cert.as_deref() {
            Some("system") => None,
            Some(path) => Some(path.into()),
            None => at_home(".postgresql/root.crt").filter(|path| path.exists()),
        };
        let is_system = self.ssl_root_cert.is_some() && roots.is_none();
        let default = if is_system { Mode::VerifyFull } else { Mode::Prefer };
        let mode = self.ssl_mode.unwrap_or(default);
        if mode == Mode::VerifyCa && roots.is_none() {
            return Err(Failure::other(
                "sslmode=verify-ca needs the CA certificate in sslrootcert or \
                 PGSSLROOTCERT; with the system's certificates, use verify-full",
            ));
        }
        Ok(Tls { mode, roots })
    }
}

fn at_home(path: &str) -> Option<PathBuf> {
    Some(env::home_dir()?.join(path))
}

impl FromStr for Server {
    type Err = String;

    /// # Errors
    ///
    /// The error says why the address is invalid. It doesn't quote the address, which may contain a
    /// password.
    fn from_str(text: &str) -> Result<Self, String> {
        // The address is split in the same way as in `tokio_postgres`: the user name ends at the
        // first `@`, and the query starts at the first `?` after the user name.
        let behind_user = text.find('@').map_or(0, |at| at + 1);
        let query = text[behind_user..].find('?').map(|at| behind_user + at);
        let (place, query) = query.map_or((text, ""), |at| (&text[..at], &text[at + 1..]));

        let mut server =
            Self { config: Config::new(), ssl_mode: None, ssl_root_cert: None, pass_file: None };
        let mut rest = Vec::new();
        for option in query.split('&') {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let decoded = |text| percent_decode_str(text).decode_utf8().ok();
            let (name, value) = (decoded(name), || decoded(value).map(Into::into));
            match name.as_deref() {
                Some("sslmode") => {
                    let mode: String = value().unwrap_or_default();
                    let mode =
                        mode.parse().map_err(|reason| format!("has an sslmode that {reason}"));
                    server.ssl_mode = Some(mode?);
                }
                Some("sslrootcert") => server.ssl_root_cert = value(),
                Some("passfile") => server.pass_file = value(),
                Some(name) if NOT_SERVED.contains(&name) => {
                    return Err(format!("has the option {name}, which isn't supported; omit it"));
                }
                _ => rest.push(option),
            }
        }
        let address = format!("{place}?{}", rest.join("&"));
        server.config = address.parse().map_err(|error| reason(&error))?;
        if server.config.get_hosts().is_empty() && server.config.get_hostaddrs().is_empty() {
            return Err("names no host; write postgres://HOST/NAME, or, for a socket, \
                        postgres:///NAME?host=/run/postgresql"
                .to_owned());
        }
        if server.config.get_password().is_some() {
            return Err("has a password, which others can see on a command line; put it into \
                        PGPASSWORD or ~/.pgpass"
                .to_owned());
        }
        Ok(server)
    }
}

/// Describes why an address is invalid. Doesn't quote the address, which may contain a password.
fn reason(error: &Error) -> String {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    match reason.strip_prefix("invalid value for option ") {
        Some(option) => format!("has an invalid {option}"),
        None => "isn't of the form postgres://USER@HOST/NAME?OPTION=VALUE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, Server, Settings};

    #[test]
    fn options_of_an_address_are_read_in_its_query_alone() {
        for (address, name, mode, roots) in [
            ("postgres://me@h/books", "books", None, None),
            ("postgres://me@h/sslmode=verify-full", "sslmode=verify-full", None, None),
            ("postgres://h/b?sslmode=verify-full", "b", Some(Mode::VerifyFull), None),
            (
                "postgres://h?dbname=b&sslmode=disable&connect_timeout=3",
                "b",
                Some(Mode::Disable),
                None,
            ),
            (
                "postgres://me@h/b?sslrootcert=%2Fa%20b%2B.pem&sslmode=require",
                "b",
                Some(Mode::Require),
                Some("/a b+.pem"),
            ),
            ("postgres://h/b?sslmode=prefer&sslmode=verify-ca", "b", Some(Mode::VerifyCa), None),
            ("postgres://h/b?application_name=sslmode%3Drequire", "b", None, None),
            ("postgres://h/b?", "b", None, None),
        ] {
            let server: Server = address.parse().unwrap();
            assert_eq!(server.database(), name, "{address}");
            assert_eq!(server.ssl_mode, mode, "{address}");
            assert_eq!(server.ssl_root_cert.as_deref(), roots, "{address}");
        }
        for (address, words) in [
            (
                "postgres://h/b?sslmode=allow",
                "has an sslmode that tries without TLS first; use prefer",
            ),
            ("postgres://h/b?sslmode=", "has an sslmode that isn't one of disable, prefer"),
            ("postgres://h/b?sslcert=me.pem", "has the option sslcert, which isn't supported"),
            ("postgres://h/b?sslmode", "has an sslmode that"),
            ("postgres://h/b?secret=c", "isn't of the form postgres://"),
            ("postgres://me:a?b@h/b?sslmode=require", "has a password"),
        ] {
            let reason = address.parse::<Server>().unwrap_err();
            assert!(reason.starts_with(words), "{address}: {reason}");
        }
    }

    #[test]
    fn a_certificate_of_ones_own_is_not_left_out_in_silence() {
        let server: Server = "postgres://me@h/books".parse().unwrap();
        let settings = Settings::of([("PGSSLCERT", "me.pem".to_owned())]);
        let refused = server.with_settings(&settings);
        let reason = refused.err().unwrap().to_string();
        assert_eq!(reason, "PGSSLCERT: client certificates aren't supported; unset this variable");
    }
}
