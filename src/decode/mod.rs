//! Reading answers.

pub(crate) mod decimal;
#[cfg(any(feature = "bigdecimal", feature = "rust_decimal"))]
mod decimal_crates;
mod field;
pub(crate) mod lenient;
pub(crate) mod open_enum;
mod repeats;

use progenitor_client::ResponseValue;
use serde::de::DeserializeOwned;

pub(crate) use self::repeats::{Part, Repeats};
use crate::{Error, ErrorKind, Operation, error::Answer};

pub(crate) fn read<T: DeserializeOwned>(
    operation: Operation,
    sent: Option<&[u8]>,
    answer: Answer,
) -> Result<ResponseValue<T>, Error> {
    // All of it is checked to be UTF-8 at once, instead of each string by itself.
    let decoded = std::str::from_utf8(&answer.body).ok().and_then(|text| {
        let mut json = serde_json::Deserializer::from_str(text);
        let value = lenient::object(&mut json).ok()?;
        json.end().ok().map(|()| value)
    });
    let Some(value) = decoded else {
        return Err(field::error::<T>(&answer.body).answered(answer));
    };
    let sent = sent.unwrap_or_default();
    if let Some(missed) = repeats::missed(operation.repeats(), sent, &answer.body) {
        let reason = format!("{missed}, which may have been applied:");
        return Err(Error::new(ErrorKind::Decode, reason).answered(answer));
    }
    Ok(ResponseValue::new(value, answer.status, answer.headers))
}
