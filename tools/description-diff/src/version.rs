//! The version that changes need.

use serde_json::Value;

use crate::{Change, Level};

/// The sentence that says which `info.version` is needed, or nothing when it is high enough.
///
/// # Errors
///
/// When a version isn't three numbers with dots between.
pub fn version_needed(
    old: &Value,
    new: &Value,
    changes: &[Change],
) -> Result<Option<String>, String> {
    let (was, is) = (version(old)?, version(new)?);
    let [major, minor, patch] = was;
    let least = match changes.iter().map(|change| change.level).min() {
        Some(Level::Breaking) => [major + 1, 0, 0],
        Some(Level::Addition) => [major, minor + 1, 0],
        Some(Level::Words) => [major, minor, patch + 1],
        None => was,
    };
    let write = |[major, minor, patch]: [u64; 3]| format!("{major}.{minor}.{patch}");
    Ok((is < least).then(|| {
        format!(
            "info.version is {} and was {}: these changes need {} or higher",
            write(is),
            write(was),
            write(least)
        )
    }))
}

fn version(description: &Value) -> Result<[u64; 3], String> {
    let text = description.pointer("/info/version").and_then(Value::as_str).unwrap_or_default();
    let numbers: Result<Vec<u64>, _> = text.split('.').map(str::parse).collect();
    numbers
        .ok()
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("info.version `{text}` isn't three numbers"))
}
