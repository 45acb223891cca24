//! The RFC 7807 object in the body of a failed response.

use std::fmt;

use serde::{
    Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::json;

/// The RFC 7807 problem from the body of a failed response, regardless of the content type.
///
/// If the service echoes the access token of the request, the title and the detail contain
/// `[token]` instead. [`Error::body`](crate::Error::body) is unchanged.
///
/// Any field may be missing. `Debug` prints only the status, because the other fields contain text
/// from the service, which may repeat data from the request.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// `type`: a URI that identifies the kind of problem.
    pub type_uri: Option<String>,
    /// `title`: a short summary of the kind of problem.
    pub title: Option<String>,
    /// `status`: the HTTP status according to the body.
    pub status: Option<u16>,
    /// `detail`: an explanation of this particular occurrence of the problem.
    pub detail: Option<String>,
    /// `meta`: additional data from the service. RFC 7807 doesn't define this field.
    pub meta: Option<Value>,
}

impl Problem {
    /// Reads the problem from a body. `None` if the body isn't an object with at least one of the
    /// fields `type`, `title`, `status` and `detail`.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let mut fields = json::fields(body).or_else(|| first_fields(body))?;
        let mut text = |name| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (type_uri, title, detail) = (text("type"), text("title"), text("detail"));
        let status = fields.get("status").and_then(Value::as_u64).and_then(|s| s.try_into().ok());
        let meta = fields.remove("meta").filter(|meta| !meta.is_null());
        let any = type_uri.is_some() || title.is_some() || detail.is_some() || status.is_some();
        any.then_some(Self { type_uri, title, status, detail, meta })
    }
}

/// Reads a problem's fields from a truncated JSON object, up to the incomplete field. Returns
/// `None` if the JSON isn't a truncated object.
fn first_fields(body: &[u8]) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let mut json = serde_json::Deserializer::from_slice(json::without_mark(body));
    let read = json.deserialize_map(FirstFields(&mut fields));
    read.is_err_and(|error| error.is_eof()).then_some(fields)
}

struct FirstFields<'a>(&'a mut Map<String, Value>);

impl<'de> Visitor<'de> for FirstFields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(name) = object.next_key::<String>()? {
            if NAMES.contains(&&*name) {
                self.0.insert(name, object.next_value()?);
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

const NAMES: [&str; 5] = ["type", "title", "status", "detail", "meta"];

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem").field("status", &self.status).finish_non_exhaustive()
    }
}
