//! Reading answers.

pub(crate) mod decimal;
#[cfg(any(feature = "bigdecimal", feature = "rust_decimal"))]
mod decimal_crates;
mod field;
mod kept_as_text;
pub(crate) mod lenient;
pub(crate) mod open_enum;
mod repeats;

use std::borrow::Cow;

use progenitor_client::ResponseValue;
use serde::de::DeserializeOwned;

use self::kept_as_text::kept_as_text;
pub(crate) use self::repeats::{Part, Repeats};
use crate::{Error, ErrorKind, Operation, error::Answer};

pub(crate) fn read<T: DeserializeOwned>(
    operation: Operation,
    sent: Option<&[u8]>,
    answer: Answer,
) -> Result<ResponseValue<T>, Error> {
    // All of it is checked to be UTF-8 at once, instead of each string by itself.
    let Ok(json) = std::str::from_utf8(&answer.body) else {
        return Err(field::error::<T>(&answer.body).answered(answer));
    };
    let (value, json) = match whole(json) {
        Some(value) => (value, Cow::Borrowed(json)),
        None => match whole_with_texts(json) {
            Ok((value, json)) => (value, Cow::Owned(json)),
            Err(error) => return Err(error.answered(answer)),
        },
    };
    let sent = sent.unwrap_or_default();
    if let Some(missed) = repeats::missed(operation.repeats(), sent, json.as_bytes()) {
        let reason = format!("{missed}, which may have been applied:");
        return Err(Error::new(ErrorKind::Decode, reason).answered(answer));
    }
    Ok(ResponseValue::new(value, answer.status, answer.headers))
}

fn whole<T: DeserializeOwned>(json: &str) -> Option<T> {
    let mut json = serde_json::Deserializer::from_str(json);
    let value = lenient::object(&mut json).ok()?;
    json.end().ok().map(|()| value)
}

/// Reads once more, without the values that Rust's types can't hold.
fn whole_with_texts<T: DeserializeOwned>(json: &str) -> Result<(T, String), Error> {
    // Numbers become texts only where both will do: where the description wants a text, a number is
    // wrong however large it is.
    let zeros = kept_as_text(json, |_| "0".to_owned());
    let texts = kept_as_text(json, |number| format!("\"{number}\""));
    match (whole::<T>(&zeros), whole(&texts)) {
        (Some(_), Some(value)) => Ok((value, texts)),
        (None, _) => Err(field::error::<T>(zeros.as_bytes())),
        (_, None) => Err(field::error::<T>(texts.as_bytes())),
    }
}
