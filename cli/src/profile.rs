//! Profiles: named groups of settings in one TOML file, with a table for each profile.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read},
    path::Path,
};

use toml::{Table, Value};

use crate::{failure::Failure, settings::PREFIX};

/// The names of the secret settings, without their prefix. Other users must not have access to a
/// file that contains a secret.
const SECRETS: [&str; 2] = ["CLIENT_SECRET", "TOKEN"];

/// Reads the settings of a profile, keyed by their full names.
///
/// # Errors
///
/// If the file or the profile can't be read, or if other users have access to a file that contains
/// a secret. The error message contains names from the file, but no values.
pub(crate) fn read(path: &Path, name: &str) -> Result<HashMap<String, String>, Failure> {
    let unread =
        |reason: &str| Failure::other(format!("--profile {name}: {} {reason}", path.display()));
    let io = |error: io::Error| unread(&format!("can't be read: {error}"));
    let mut file = File::open(path).map_err(io)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(io)?;
    let mut profiles: Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(0, |span| text[..span.start.min(text.len())].lines().count());
        unread(&format!("isn't TOML: line {}", line.max(1)))
    })?;
    if profiles.iter().any(is_secret) && is_open(&file).map_err(io)? {
        return Err(unread(
            "contains a secret, but has group or world access; permissions should be u=rw (0600) \
             or less",
        ));
    }
    let known = profiles.keys().cloned().collect::<Vec<_>>().join(", ");
    let Some(Value::Table(profile)) = profiles.remove(name) else {
        return Err(unread(&format!("has no table [{name}]; existing tables: {known}")));
    };
    let settings = profile.into_iter().map(|(setting, value)| match value {
        Value::String(value) => Ok((whole(&setting), value)),
        _ => Err(unread(&format!("has a {setting} that isn't a string"))),
    });
    settings.collect()
}

/// Whether an entry of a table is a secret, or contains one at any depth.
fn is_secret((name, value): (&String, &Value)) -> bool {
    fn contains_secret(value: &Value) -> bool {
        match value {
            Value::Table(table) => table.iter().any(is_secret),
            Value::Array(values) => values.iter().any(contains_secret),
            _ => false,
        }
    }
    SECRETS.iter().any(|secret| whole(name) == format!("{PREFIX}{secret}"))
        || contains_secret(value)
}

/// The full name of a setting: `client_id` becomes `DIGITAL_ASSETS_CLIENT_ID`.
fn whole(name: &str) -> String {
    let name = name.replace('-', "_").to_uppercase();
    if name.starts_with(PREFIX) { name } else { format!("{PREFIX}{name}") }
}

#[cfg(unix)]
fn is_open(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    Ok(file.metadata()?.mode() & 0o077 != 0)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn is_open(_: &File) -> io::Result<bool> {
    Ok(false)
}
