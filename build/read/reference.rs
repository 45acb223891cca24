//! What a `$ref` leads to, in the description as it was written.

use serde_json::Value;

use crate::read::Unsupported;

/// The part of `components` that a place may refer to.
#[derive(Clone, Copy)]
pub(crate) enum Section {
    Schemas,
    Parameters,
    RequestBodies,
    Responses,
    SecuritySchemes,
}

impl Section {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Schemas => "schemas",
            Self::Parameters => "parameters",
            Self::RequestBodies => "requestBodies",
            Self::Responses => "responses",
            Self::SecuritySchemes => "securitySchemes",
        }
    }
}

/// The name and the value of the component that `value` refers to, through references to references.
pub(crate) fn resolve<'a>(
    document: &'a Value,
    section: Section,
    value: &'a Value,
) -> Result<(String, &'a Value), Unsupported> {
    let mut at = value;
    let mut passed = Vec::new();
    loop {
        let (name, target) = once(document, section, at)?;
        if passed.contains(&name) {
            return Err(format!("`$ref` leads from `{name}` back to itself"));
        }
        if target.get("$ref").is_none() {
            return Ok((name, target));
        }
        passed.push(name);
        at = target;
    }
}

/// The name and the value of the component that `value` refers to itself.
pub(crate) fn once<'a>(
    document: &'a Value,
    section: Section,
    value: &'a Value,
) -> Result<(String, &'a Value), Unsupported> {
    let reference = value.get("$ref").and_then(Value::as_str).ok_or("`$ref` is not a string")?;
    let section = section.name();
    let name = reference
        .strip_prefix(&format!("#/components/{section}/"))
        .filter(|name| !name.contains('/'))
        .ok_or_else(|| format!("`$ref: {reference}` does not name one of components.{section}"))?;
    let name = unescaped(name);
    let component = document.get("components").and_then(|c| c.get(section)?.get(&name));
    let component =
        component.ok_or_else(|| format!("there is no `{name}` under components.{section}"))?;
    Ok((name, component))
}

/// A name in a JSON pointer (RFC 6901), as a URL writes it.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let hex = |digit: Option<u8>| (digit? as char).to_digit(16);
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(byte));
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}
