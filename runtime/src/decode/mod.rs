//! Reads answers into the description's types.

// First, because the others use its macro.
#[macro_use]
mod text_value;

mod answer;
mod decimal;
pub use decimal::Decimal;
#[cfg(any(feature = "bigdecimal", feature = "rust_decimal"))]
mod decimal_crates;
mod field;
mod lenient;
pub use lenient::{or_blank, or_empty, text};
mod open_enum;
pub use open_enum::{Unknown, unknown};
mod record;
pub use record::{converted, from_object, optional, required};
mod response_value;
pub use response_value::ResponseValue;
mod time;
pub use time::{or_blank_time, time};

use serde::de::DeserializeOwned;

use crate::{
    Error, Operation,
    json::{self, kept_as_text},
    operation::BodyKind,
    raw_response::RawResponse,
};

pub(crate) fn read<T: DeserializeOwned>(
    operation: Operation,
    response: RawResponse,
) -> Result<ResponseValue<T>, Error> {
    let body: &[u8] = if is_nothing(operation, &response.body) { b"null" } else { &response.body };
    // The body is checked once, so that serde_json needn't check each string.
    let Ok(json) = std::str::from_utf8(body) else {
        return Err(field::error::<T>(operation, &response.body).with_response(response));
    };
    match whole(operation, json).map_or_else(|| whole_with_texts(operation, json), Ok) {
        Ok(value) => Ok(ResponseValue::new(value, response.status, response.headers)),
        Err(error) => Err(error.with_response(response)),
    }
}

/// Whether the JSON of a successful answer ends before it is complete.
pub(crate) fn is_cut_off(operation: Operation, body: &[u8]) -> bool {
    !is_nothing(operation, body) && json::ends_early(body)
}

/// Whether nothing is read of a body.
fn is_nothing(operation: Operation, body: &[u8]) -> bool {
    match operation.details.body {
        BodyKind::Json(_) => false,
        BodyKind::JsonOrNothing => body.is_empty(),
        BodyKind::Nothing => true,
    }
}

fn whole<T: DeserializeOwned>(operation: Operation, json: &str) -> Option<T> {
    let mut from = serde_json::Deserializer::from_str(json);
    let value = T::deserialize(&mut from).ok()?;
    from.end().and_then(|()| answer::check(operation, json.as_bytes())).ok()?;
    Some(value)
}

/// Reads the answer again, and keeps values that Rust's types can't hold as text.
fn whole_with_texts<T: DeserializeOwned>(operation: Operation, json: &str) -> Result<T, Error> {
    // A number becomes text only if the description allows both. If it requires text, a number of any
    // size is an error.
    let zeros = kept_as_text(json, |_| "0".to_owned());
    let texts = kept_as_text(json, |number| format!("\"{number}\""));
    match (whole::<T>(operation, &zeros), whole(operation, &texts)) {
        (Some(_), Some(value)) => Ok(value),
        (None, _) => Err(field::error::<T>(operation, zeros.as_bytes())),
        (_, None) => Err(field::error::<T>(operation, texts.as_bytes())),
    }
}
