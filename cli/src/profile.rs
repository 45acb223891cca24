//! Profiles: named groups of settings in one TOML file, with a table for each profile.

use std::{collections::HashMap, fs, io, path::Path};

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
    let text =
        fs::read_to_string(path).map_err(|error| unread(&format!("can't be read: {error}")))?;
    let mut profiles: Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(0, |span| text[..span.start.min(text.len())].lines().count());
        unread(&format!("isn't TOML: line {}", line.max(1)))
    })?;
    let has_secret = |profile: &Value| {
        let names = profile.as_table().into_iter().flat_map(Table::keys);
        names
            .map(|name| whole(name))
            .any(|name| SECRETS.iter().any(|it| name == format!("{PREFIX}{it}")))
    };
    if profiles.values().any(has_secret) && is_open(path).map_err(Failure::from)? {
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

/// The full name of a setting: `client_id` becomes `DIGITAL_ASSETS_CLIENT_ID`.
fn whole(name: &str) -> String {
    let name = name.replace('-', "_").to_uppercase();
    if name.starts_with(PREFIX) { name } else { format!("{PREFIX}{name}") }
}

#[cfg(unix)]
fn is_open(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    Ok(fs::metadata(path)?.mode() & 0o077 != 0)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn is_open(_: &Path) -> io::Result<bool> {
    Ok(false)
}
