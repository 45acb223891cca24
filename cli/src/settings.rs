//! The settings of a command, in order of precedence: from a file of `NAME=VALUE` lines, from the
//! environment, and from a profile.

use std::{collections::HashMap, env, path::Path, sync::OnceLock};

use digital_assets::Environment;

use crate::{failure::Failure, file};

/// The prefix of every setting's name.
pub(crate) const PREFIX: &str = "DIGITAL_ASSETS_";

/// The names of all settings that the tool knows.
static KNOWN: OnceLock<Vec<String>> = OnceLock::new();

/// Stores the names of all known settings, so that misspelled names can be found.
pub(crate) fn remember(known: Vec<String>) {
    let _ = KNOWN.set(known);
}

#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The settings from `--env-file` or from the sandbox, which override the environment.
    file: HashMap<String, String>,
    /// The settings from a profile, which the environment overrides.
    profile: HashMap<String, String>,
}

impl Settings {
    /// Reads the settings from a file of `NAME=VALUE` lines.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or if a line is invalid. The error message contains the line's
    /// number, but not its text, which may contain a secret.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Failure> {
        let unread =
            |reason: String| Failure::other(format!("--env-file {}: {reason}", path.display()));
        let text = file::text(path).map_err(|error| unread(error.to_string()))?;
        let mut settings = HashMap::new();
        for (at, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = setting(line).ok_or_else(|| {
                unread(format!(
                    "line {} isn't NAME=VALUE; put a value that contains spaces, quotes or \\ in \
                     single quotes",
                    at + 1
                ))
            })?;
            settings.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self { file: settings, ..Self::default() })
    }

    pub(crate) fn of<const N: usize>(settings: [(&str, String); N]) -> Self {
        let file = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { file, ..Self::default() }
    }

    pub(crate) fn with_profile(self, profile: HashMap<String, String>) -> Self {
        Self { profile, ..self }
    }

    /// The settings of the client.
    pub(crate) fn environment(&self) -> Environment<'_> {
        Environment::new(PREFIX.trim_end_matches('_'), |name| Ok(self.get(name)))
    }

    /// The value of a setting. `None` if the setting is missing. An empty value counts as missing,
    /// so it doesn't hide a value of lower precedence.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let (file, profile) = (self.file.get(name).cloned(), self.profile.get(name).cloned());
        let values = [file, env::var(name).ok(), profile].into_iter().flatten();
        // A value that a script has read from a file may end with a line break.
        let mut values = values.map(|value| value.trim_end_matches(['\n', '\r']).to_owned());
        values.find(|value| !value.is_empty())
    }

    /// The setting names that are probably misspelled, each with the known name that it resembles.
    pub(crate) fn misspelt(&self) -> Vec<(String, &'static str)> {
        let known = KNOWN.get().map_or(&[][..], Vec::as_slice);
        let environment = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let names = environment.chain(self.file.keys().chain(self.profile.keys()).cloned());
        let unknown = names.filter(|name| name.starts_with(PREFIX) && !known.contains(name));
        let mut misspelt: Vec<_> = unknown
            .filter_map(|name| {
                let distance = |known: &&String| strsim::damerau_levenshtein(&name, known);
                let meant = known.iter().min_by_key(distance)?;
                (distance(&meant) <= 2).then_some((name, meant.as_str()))
            })
            .collect();
        misspelt.sort();
        misspelt.dedup();
        misspelt
    }
}

/// Checks that all settings in the environment are UTF-8. Otherwise, a secret that isn't UTF-8 would
/// be replaced by another one, for example from a profile.
pub(crate) fn check_environment() -> Result<(), Failure> {
    let is_setting = |name: &str| name.starts_with(PREFIX) || name.starts_with("PG");
    for (name, value) in env::vars_os() {
        if let (Some(name), None) = (name.to_str().filter(|name| is_setting(name)), value.to_str())
        {
            return Err(Failure::other(format!("{name} in the environment isn't UTF-8")));
        }
    }
    Ok(())
}

/// Parses a line of the form `NAME=VALUE`. Quotes around the value are removed, and nothing in the
/// value is expanded. Returns `None` if the line doesn't have this form, or if the value contains
/// characters that are special in a shell:
///
/// - An unquoted value must not contain white space, quotes, backslashes or backquotes.
/// - A value in double quotes must not contain backslashes, `$` or backquotes.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    let value = if let Some(quote @ ('\'' | '"')) = value.chars().next() {
        let (value, rest) = value[1..].split_once(quote)?;
        let rest = rest.trim();
        let is_plain = quote == '\'' || !value.contains(['\\', '$', '`']);
        Some(value).filter(|_| is_plain && (rest.is_empty() || rest.starts_with('#')))
    } else {
        let is_plain = |c: char| !c.is_whitespace() && !['\'', '"', '\\', '`'].contains(&c);
        Some(value).filter(|value| value.chars().all(is_plain))
    };
    is_name(name).then_some((name, value?))
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_value_is_what_stands_there_or_refused() {
        for (line, expected) in [
            ("A=b$c#d", Some("b$c#d")),
            ("export A=b", Some("b")),
            ("A = b", Some("b")),
            ("A=", Some("")),
            ("A='b \"$c\" # d\\'", Some("b \"$c\" # d\\")),
            ("A=\"b c # d\"", Some("b c # d")),
            ("A=\"$b\"", None),
            ("A=b # c", None),
            ("A=b\\c", None),
            ("A='b", None),
            ("A='b'c'", None),
            ("A b", None),
            ("=b", None),
        ] {
            assert_eq!(setting(line).map(|(_, value)| value), expected, "{line}");
        }
    }
}
