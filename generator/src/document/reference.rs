//! Follows references to components.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::document::{Statements, Unsupported};

/// Returns the component that a value refers to, or the value itself if it isn't a reference.
/// `section` is the section under `components`, such as `schemas`.
pub(crate) fn target<'a>(
    document: &'a Value,
    section: &str,
    value: &'a Value,
) -> Result<&'a Value, Unsupported> {
    if value.get("$ref").is_none() {
        return Ok(value);
    }
    resolve(document, section, value).map(|(_, target)| target)
}

/// Follows the chain of references that begins at `value`. Returns the name and the definition of
/// the component at the end of the chain.
pub(crate) fn resolve<'a>(
    document: &'a Value,
    section: &str,
    value: &'a Value,
) -> Result<(String, &'a Value), Unsupported> {
    let mut at = value;
    let mut passed = Vec::new();
    loop {
        let (name, target) = once(document, section, at)?;
        if passed.contains(&name) {
            return Err(format!("`$ref` forms a cycle that contains `{name}`"));
        }
        if target.get("$ref").is_none() {
            return Ok((name, target));
        }
        passed.push(name);
        at = target;
    }
}

/// Returns the name and the definition of the component that `value` refers to. The definition may
/// itself be a reference, which is not followed.
pub(crate) fn once<'a>(
    document: &'a Value,
    section: &str,
    value: &'a Value,
) -> Result<(String, &'a Value), Unsupported> {
    let reference = value.text("$ref").ok_or("`$ref` is not a string")?;
    let name = reference
        .strip_prefix(&format!("#/components/{section}/"))
        .filter(|name| !name.contains('/'))
        .ok_or_else(|| {
            format!("`$ref: {reference}` does not point to an entry of components.{section}")
        })?;
    let name = unescaped(name);
    let component = document.get("components").and_then(|c| c.get(section)?.get(&name));
    let component =
        component.ok_or_else(|| format!("`{name}` is not defined under components.{section}"))?;
    Ok((name, component))
}

/// Decodes a component's name in a `$ref`. The name is percent-encoded and escaped as in a JSON
/// pointer (RFC 6901).
pub(super) fn unescaped(name: &str) -> String {
    let name = percent_decode_str(name).decode_utf8_lossy();
    name.replace("~1", "/").replace("~0", "~")
}
