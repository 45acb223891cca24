//! The settings of a command: a file of `NAME=VALUE` lines over the environment.

use std::{collections::HashMap, env, path::Path};

use crate::{failure::Failure, file};

#[derive(Debug, Default)]
pub(crate) struct Settings(HashMap<String, String>);

impl Settings {
    /// # Errors
    ///
    /// Names the line that can't be read, and prints nothing of it: it may hold a secret.
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
                    "line {} is no NAME=VALUE; put a value that has spaces, quotes or \\ between \
                     single quotes",
                    at + 1
                ))
            })?;
            settings.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self(settings))
    }

    pub(crate) fn of<const N: usize>(settings: [(&str, String); N]) -> Self {
        Self(settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A setting that isn't empty.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let value = self.0.get(name).cloned().or_else(|| env::var(name).ok());
        value.filter(|value| !value.is_empty())
    }
}

/// `NAME=VALUE`, where every character stands for itself. What a shell would read differently is
/// refused, unless it is between single quotes.
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
