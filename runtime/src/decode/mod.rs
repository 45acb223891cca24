//! Reads responses into the generated types.

// This module comes first, because the other modules use its macro.
#[macro_use]
mod text_value;

mod answer;
mod decimal;
pub use decimal::Decimal;
#[cfg(any(feature = "bigdecimal", feature = "rust_decimal"))]
mod decimal_crates;
mod encoding;
mod field;
mod lenient;
pub use lenient::{or_blank, or_empty, or_null, or_null_or_blank, or_whole, text};
mod may_be_rounded;
pub use may_be_rounded::MayBeRounded;
mod open_enum;
pub use open_enum::{Unknown, unknown};
mod record;
pub use record::{Open, converted, from_object, optional, others, required};
mod response_value;
pub use response_value::ResponseValue;
mod time;
pub use time::{or_blank_time, or_null_time, time};

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::{
    Error, ErrorKind, Operation,
    json::{self, kept_as_text, quoted},
    operation::BodyKind,
    raw_response::RawResponse,
};

pub(crate) fn read<T: DeserializeOwned + MayBeRounded>(
    operation: Operation,
    response: RawResponse,
    deadline: Instant,
) -> Result<ResponseValue<T>, Error> {
    let body = json::without_mark(&response.body);
    let body: &[u8] = if is_nothing(operation, body) { b"null" } else { body };
    // The whole body is checked for UTF-8 once, so that serde_json needn't check each string.
    let read = match std::str::from_utf8(body) {
        Ok(json) => exact(operation, json, deadline),
        Err(_) => Err(field::not_utf8::<T>(operation, body)),
    };
    match read {
        Ok(value) => Ok(ResponseValue::new(value, response.status, response.headers)),
        Err(error) => {
            let error = encoding::error(&response.headers).unwrap_or(error);
            Err(error.with_response(response))
        }
    }
}

/// Whether the JSON body of a successful response is truncated.
pub(crate) fn is_cut_off(operation: Operation, body: &[u8]) -> bool {
    !is_nothing(operation, body) && json::ends_early(body)
}

/// Whether a response's body is treated as null. This is the case if the operation returns no body,
/// or if an optional body is empty.
fn is_nothing(operation: Operation, body: &[u8]) -> bool {
    match operation.details.body {
        BodyKind::Json(_) | BodyKind::Page(_) => false,
        BodyKind::JsonOrNothing => body.is_empty(),
        BodyKind::Nothing => true,
    }
}

fn whole<T: DeserializeOwned>(operation: Operation, json: &str) -> serde_json::Result<T> {
    let mut from = serde_json::Deserializer::from_str(json);
    let value = T::deserialize(&mut from)?;
    from.end()?;
    answer::check(operation, json.as_bytes())?;
    Ok(value)
}

/// Decodes a response. Values that Rust's types can't hold exactly are kept as strings.
///
/// # Errors
///
/// `Decode` if the response can't be decoded. `Timeout` if the response has to be decoded a second
/// time, but the deadline has passed.
fn exact<T: DeserializeOwned + MayBeRounded>(
    operation: Operation,
    json: &str,
    deadline: Instant,
) -> Result<T, Error> {
    let first = whole::<T>(operation, json);
    let is_beyond_rust = first.as_ref().is_err_and(json::is_beyond_rust);
    let may_be_rounded = || first.as_ref().is_ok_and(T::may_be_rounded);
    if !(is_beyond_rust || may_be_rounded() && json::may_be_rounded(json)) {
        return first.map_err(|_| field::error::<T>(operation, json.as_bytes()));
    }
    if is_beyond_rust {
        check_time(deadline)?;
        // A number may be kept as a string only where the OpenAPI description allows a number. To
        // check this, the response is decoded with a 0 in place of each such number.
        let zeros = kept_as_text(json, |_| "0".to_owned());
        if whole::<T>(operation, &zeros).is_err() {
            return Err(field::error::<T>(operation, zeros.as_bytes()));
        }
    }
    match (kept_as_text(json, quoted), first) {
        (Cow::Borrowed(_), Ok(exact)) => Ok(exact),
        (texts, first) => {
            check_time(deadline)?;
            // If a field must be a float, decoding with strings fails, and the number is rounded.
            let exact = whole(operation, &texts).or(first);
            exact.map_err(|_| field::error::<T>(operation, texts.as_bytes()))
        }
    }
}

/// Before the response is decoded again, checks that the deadline hasn't passed.
fn check_time(deadline: Instant) -> Result<(), Error> {
    if Instant::now() < deadline {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Timeout, "the deadline passed while the response was being read"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::fixture::BY_TIME;

    #[tokio::test(start_paused = true)]
    async fn a_response_is_read_again_until_the_deadline_at_most() {
        let now = Instant::now();
        let read = |number: &str, deadline| {
            exact::<Value>(BY_TIME, &format!(r#"{{"items":[{number}]}}"#), deadline)
        };

        for number in ["1e999", "0.1234567890123456789"] {
            let late = read(number, now).unwrap_err();
            let in_time = read(number, now + Duration::from_nanos(1)).unwrap();

            assert_eq!(late.kind(), ErrorKind::Timeout);
            assert_eq!(in_time, json!({"items": [number]}));
        }
        assert_eq!(read("1", now).unwrap(), json!({"items": [1]}));
        assert_eq!(read("1.5", now).unwrap(), json!({"items": [1.5]}));
        assert_eq!(read("-", now).unwrap_err().kind(), ErrorKind::Decode);
    }
}
