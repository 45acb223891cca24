//! Values from the command line, converted to the types that the client crate's setters take.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use digital_assets::Client;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::failure::Failure;

/// The arguments of one call: the client, the parameter values keyed by option name, and the
/// request body.
#[derive(Clone, Debug)]
pub(crate) struct Args<'a> {
    pub client: &'a Client,
    pub values: Values,
    /// The request body, as JSON.
    pub body: Option<String>,
}

pub(crate) type Values = BTreeMap<&'static str, Vec<String>>;

impl Args<'_> {
    pub(crate) fn one<T: FromStr<Err: Display>>(&self, option: &str) -> Result<Option<T>, Failure> {
        Ok(self.all(option)?.and_then(|values| values.into_iter().next_back()))
    }

    pub(crate) fn all<T: FromStr<Err: Display>>(
        &self,
        option: &str,
    ) -> Result<Option<Vec<T>>, Failure> {
        let Some(values) = self.values.get(option) else { return Ok(None) };
        let parse = |value: &String| {
            value.parse().map_err(|error| {
                Failure::usage(format!("invalid value {value:?} for --{option}: {error}"))
            })
        };
        values.iter().map(parse).collect::<Result<_, _>>().map(Some)
    }

    /// Parses the request body as `T`, the client crate's type for the operation's request body.
    ///
    /// # Errors
    ///
    /// If the body is missing or isn't valid for `T`, or if it contains a field that `T` would
    /// silently drop.
    pub(crate) fn body<T: DeserializeOwned + Serialize>(&self) -> Result<T, Failure> {
        let text = self.body.as_ref().ok_or_else(|| Failure::usage("--body is missing"))?;
        let body: Value = serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("--body is not JSON: {error}")))?;
        // Parsed from the text and not from `body`, because a `Value` keeps only the last of
        // several fields with the same name.
        let typed: T = serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("--body doesn't fit the request: {error}")))?;
        let sent = serde_json::to_value(&typed).map_err(Failure::from)?;
        match lost(&body, &sent, "") {
            Some(path) => {
                Err(Failure::usage(format!("--body has {path}, which isn't part of the request")))
            }
            None => Ok(typed),
        }
    }
}

/// Returns the path of the first field in `given`, the user's body, that is missing from `sent`.
/// Ignores fields whose value is null or empty.
fn lost(given: &Value, sent: &Value, path: &str) -> Option<String> {
    match (given, sent) {
        (Value::Object(given), Value::Object(sent)) => given.iter().find_map(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match sent.get(name) {
                Some(sent) => lost(value, sent, &path),
                None => (!is_nothing(value)).then_some(path),
            }
        }),
        (Value::Array(given), Value::Array(sent)) => {
            given.iter().enumerate().find_map(|(at, value)| {
                lost(value, sent.get(at).unwrap_or(&Value::Null), &format!("{path}[{at}]"))
            })
        }
        _ => None,
    }
}

/// Whether a value is null, an empty array or an empty object. The sent body may leave out a field
/// with such a value.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lost;

    #[test]
    fn what_a_body_would_lose_is_named() {
        let sent = json!({ "id": "a", "members": [{ "id": "b" }] });
        let typo = json!({ "id": "a", "members": [{ "id": "b", "role": ["X"] }] });
        let empty = json!({ "id": "a", "members": [{ "id": "b", "roles": [] }] });

        assert_eq!(lost(&sent, &sent, ""), None);
        assert_eq!(lost(&typo, &sent, ""), Some("members[0].role".to_owned()));
        assert_eq!(lost(&empty, &sent, ""), None);
    }
}
