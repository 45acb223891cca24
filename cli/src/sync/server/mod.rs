//! A connection to a Postgres server. It is made from the parts in [`PARTS`] and a password. All
//! other options of an address, and all other variables of psql, are rejected by name.

mod certificate;
mod password_file;

use std::{collections::BTreeMap, env, num::NonZero, path::PathBuf, str::FromStr, time::Duration};

use percent_encoding::percent_decode_str;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error, NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{failure::Failure, service::is_loopback, settings::Settings};

/// The name of each supported part in the query of an address, and the variable of psql from which
/// the part is read if the address doesn't contain it.
const PARTS: [(&str, Option<&str>); 10] = [
    ("host", Some("PGHOST")),
    ("port", Some("PGPORT")),
    ("user", Some("PGUSER")),
    ("dbname", Some("PGDATABASE")),
    ("passfile", Some("PGPASSFILE")),
    ("sslmode", Some("PGSSLMODE")),
    ("sslrootcert", Some("PGSSLROOTCERT")),
    ("application_name", Some("PGAPPNAME")),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT")),
    ("options", None),
];

/// The other variables of psql that affect a connection
/// (<https://www.postgresql.org/docs/current/libpq-envars.html>).
const UNSUPPORTED: [&str; 32] = [
    "PGCHANNELBINDING",
    "PGCLIENTENCODING",
    "PGDATESTYLE",
    "PGGEQO",
    "PGGSSDELEGATION",
    "PGGSSENCMODE",
    "PGGSSLIB",
    "PGHOSTADDR",
    "PGKRBSRVNAME",
    "PGLOADBALANCEHOSTS",
    "PGMAXPROTOCOLVERSION",
    "PGMINPROTOCOLVERSION",
    "PGOAUTHDEBUG",
    "PGOPTIONS",
    "PGREQUIREAUTH",
    "PGREQUIREPEER",
    "PGREQUIRESSL",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSSLCERT",
    "PGSSLCERTMODE",
    "PGSSLCOMPRESSION",
    "PGSSLCRL",
    "PGSSLCRLDIR",
    "PGSSLKEY",
    "PGSSLKEYLOGFILE",
    "PGSSLMAXPROTOCOLVERSION",
    "PGSSLMINPROTOCOLVERSION",
    "PGSSLNEGOTIATION",
    "PGSSLSNI",
    "PGTARGETSESSIONATTRS",
    "PGTZ",
];

const PASSWORD: &str = "has a password, which others can see on a command line; put it into \
                        PGPASSWORD or ~/.pgpass";

/// The parts of a connection, by their names in [`PARTS`].
#[derive(Clone)]
pub(crate) struct Server {
    parts: BTreeMap<&'static str, String>,
    password: Option<String>,
}

impl Server {
    /// Adds the parts that the address doesn't contain.
    ///
    /// # Errors
    ///
    /// If a variable isn't supported or is invalid, or if no host is named.
    pub(super) fn with_settings(mut self, settings: &Settings) -> Result<Self, Failure> {
        if let Some(name) = UNSUPPORTED.into_iter().find(|name| settings.get(name).is_some()) {
            let instead = match name {
                "PGOPTIONS" => ", and write ?options=… into the address",
                _ => "",
            };
            return Err(Failure::other(format!("{name} isn't supported; unset it{instead}")));
        }
        for (part, variable) in PARTS {
            let value = variable.and_then(|variable| settings.get(variable));
            if let (None, Some(value)) = (self.parts.get(part), value) {
                self.parts.insert(part, value);
            }
        }
        let (user, name) = (self.part("user"), self.part("dbname"));
        let user = user.map_or_else(whoami::username, |user| Ok(user.to_owned()));
        let user = user.map_err(|error| Failure::other(format!("PGUSER isn't set: {error}")))?;
        let name = name.unwrap_or(&user).to_owned();
        self.parts.extend([("user", user), ("dbname", name)]);
        self.password = settings.get("PGPASSWORD");
        self.check().map_err(|(part, reason)| {
            let variable = PARTS.into_iter().find(|(name, _)| *name == part);
            let variable = variable.and_then(|(_, variable)| variable).unwrap_or(part);
            Failure::other(format!("{variable} {reason}"))
        })?;
        if self.part("sslmode") == Some("verify-ca") && self.uses_tls() && self.roots().is_none() {
            return Err(Failure::other(
                "sslmode=verify-ca needs the CA certificate in sslrootcert or PGSSLROOTCERT; with \
                 the platform's certificates, use verify-full",
            ));
        }
        if self.part("host").is_none() {
            return Err(Failure::usage(
                "the address of the database names no host; write postgres://HOST/NAME, or, for a \
                 socket, postgres:///NAME?host=/var/run/postgresql",
            ));
        }
        Ok(self)
    }

    pub(super) fn database(&self) -> &str {
        self.part("dbname").unwrap_or_default()
    }

    /// Connects to the server. Returns the client, and the task that runs the connection until it
    /// is closed or lost.
    pub(super) async fn connect(&self) -> Result<(Client, JoinHandle<Result<(), Error>>), Failure> {
        let [host, user] = ["host", "user"].map(|name| self.part(name).unwrap_or_default());
        let port = self.part("port").unwrap_or("5432");
        let mut config = Config::new();
        config.host(host).user(user).dbname(self.database());
        config.port(port.parse().unwrap_or_default());
        if let Some(name) = self.part("application_name") {
            config.application_name(name);
        }
        // As in psql, 0 means no limit.
        let seconds = self.part("connect_timeout").and_then(|seconds| seconds.parse().ok());
        if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
            config.connect_timeout(Duration::from_secs(seconds));
        }
        if let Some(options) = self.part("options") {
            config.options(options);
        }
        let at_home = || Some(env::home_dir()?.join(".pgpass"));
        let file = self.part("passfile").map(PathBuf::from).or_else(at_home);
        let asked = [host, port, self.database(), user];
        let in_file = || password_file::password(&file?, asked);
        if let Some(password) = self.password.clone().map(String::into_bytes).or_else(in_file) {
            config.password(password);
        }
        let failed = |error| Failure::from(error).in_words(format!("{host}:{port}"));
        if !self.uses_tls() {
            config.ssl_mode(SslMode::Disable);
            let (client, connection) = config.connect(NoTls).await.map_err(failed)?;
            return Ok((client, tokio::spawn(connection)));
        }
        config.ssl_mode(SslMode::Require);
        let verifies_name = self.part("sslmode") != Some("verify-ca");
        let tls = MakeRustlsConnect::new(certificate::client(self.roots(), verifies_name)?);
        let (client, connection) = config.connect(tls).await.map_err(failed)?;
        Ok((client, tokio::spawn(connection)))
    }

    fn part(&self, name: &str) -> Option<&str> {
        self.parts.get(name).map(String::as_str)
    }

    fn is_socket(&self) -> bool {
        self.part("host").is_some_and(|host| host.starts_with('/'))
    }

    /// The file with the certificates of the trusted authorities. `None` means those that the
    /// platform trusts.
    fn roots(&self) -> Option<&str> {
        self.part("sslrootcert").filter(|roots| *roots != "system")
    }

    fn uses_tls(&self) -> bool {
        match self.part("sslmode") {
            _ if self.is_socket() => false,
            None => !self.part("host").is_some_and(is_loopback),
            mode => mode != Some("disable"),
        }
    }

    /// # Errors
    ///
    /// The name of a part that is invalid, and the reason.
    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        for (name, value) in &self.parts {
            let reason = match *name {
                "host" if value.contains(',') => "names several hosts; name one",
                "host" if value.starts_with('@') => "isn't a host name or a directory",
                "port" if value.parse::<NonZero<u16>>().is_err() => "isn't a number up to 65535",
                "connect_timeout" if value.parse::<u32>().is_err() => "isn't a number of seconds",
                "sslmode" if !self.is_socket() => match value.as_str() {
                    "disable" | "require" | "verify-ca" | "verify-full" => continue,
                    "prefer" | "allow" => {
                        "isn't disable, require, verify-ca or verify-full; without sslmode, TLS is \
                         used and verified everywhere except on sockets and loopback addresses"
                    }
                    _ => "isn't disable, require, verify-ca or verify-full",
                },
                _ => continue,
            };
            return Err((name, reason));
        }
        Ok(())
    }
}

impl FromStr for Server {
    type Err = String;

    /// # Errors
    ///
    /// The error says why the address is invalid. It doesn't quote the address, which may contain a
    /// password.
    fn from_str(address: &str) -> Result<Self, String> {
        let form = || "isn't of the form postgres://USER@HOST/NAME?OPTION=VALUE".to_owned();
        let (_, address) = address.split_once("://").ok_or_else(form)?;
        let (user, address) = match address.split_once('@') {
            Some((user, rest)) if !user.contains('/') => (user, rest),
            _ => ("", address),
        };
        if user.contains(':') {
            return Err(PASSWORD.to_owned());
        }
        let (place, query) = address.split_once('?').unwrap_or((address, ""));
        let (host, name) = place.split_once('/').unwrap_or((place, ""));
        // The colons in an IPv6 address are in brackets.
        let port = host.rfind(':').filter(|colon| host.rfind(']').is_none_or(|end| end < *colon));
        let (host, port) = port.map_or((host, ""), |colon| (&host[..colon], &host[colon + 1..]));
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let mut given = vec![("user", user), ("host", host), ("port", port), ("dbname", name)];
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(form)?;
            if name == "password" {
                return Err(PASSWORD.to_owned());
            }
            let known = PARTS.into_iter().find(|(known, _)| *known == name);
            let unknown = || format!("has the option {name}, which isn't supported; omit it");
            given.push((known.ok_or_else(unknown)?.0, value));
        }
        let given = given.into_iter().filter(|(_, value)| !value.is_empty());
        let decoded = |(part, value)| {
            let value = percent_decode_str(value).decode_utf8().map_err(|_| form())?;
            Ok((part, value.into_owned()))
        };
        let parts = given.map(decoded).collect::<Result<_, String>>()?;
        let server = Self { parts, password: None };
        let checked = server.check();
        checked.map_err(|(part, reason)| format!("has an invalid option: {part} {reason}"))?;
        Ok(server)
    }
}
