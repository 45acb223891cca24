//! Entry points for `fuzz/`, the only build with `--cfg fuzzing`. Each takes outside input and checks
//! what must hold for any input.

use std::fmt::Debug;

use reqwest::{
    StatusCode,
    header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Checkpoint, Error, ErrorKind, Operation, auth::answer, decode, error::Answer,
    generated::answers, retry,
};

/// A successful answer of every operation.
pub fn answer(body: &[u8]) {
    answers(body);
}

/// A value survives being written and read again, except that floating-point numbers in metadata may
/// change slightly. An error names no data.
pub(crate) fn read<T>(operation: Operation, body: &[u8])
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    match decode::read::<T>(operation, answer_of(StatusCode::OK, body)) {
        Ok(value) => {
            let value = value.into_inner();
            let again = serde_json::to_vec(&value);
            let again = again.and_then(|json| serde_json::from_slice::<T>(&json));
            if serde_json::to_value(&value).is_ok_and(|json| has_floats(&json)) {
                assert!(again.is_ok());
            } else {
                assert_eq!(again.ok(), Some(value));
            }
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Decode);
            assert!(!error.to_string().contains("second sight"), "{error}");
            assert_readable(&error);
        }
    }
}

fn has_floats(json: &Value) -> bool {
    match json {
        Value::Number(number) => number.is_f64(),
        Value::Array(array) => array.iter().any(has_floats),
        Value::Object(map) => map.values().any(has_floats),
        _ => false,
    }
}

/// A failed answer of the service and of the token endpoint.
pub fn refusal(body: &[u8]) {
    let error = Error::refused(answer_of(StatusCode::BAD_REQUEST, body));
    assert_eq!(error.body(), Some(body));
    assert_readable(&error);
    answer::error_code(body);
    if let Ok(value) = serde_json::from_slice(body) {
        answer::seconds(&value);
    }
}

/// The headers that say how long to wait, and by which clock.
pub fn headers(text: &[u8]) {
    let (wait, date) = text.split_at(text.len() / 2);
    let mut headers = HeaderMap::new();
    for (name, value) in [(RETRY_AFTER, wait), (DATE, date)] {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.insert(name, value);
        }
    }
    retry::retry_after(&headers);
}

/// A checkpoint that was stored elsewhere.
pub fn checkpoint(json: &[u8]) {
    if let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(json) {
        let again = serde_json::to_vec(&checkpoint);
        let again = again.and_then(|json| serde_json::from_slice::<Checkpoint>(&json));
        assert!(again.is_ok_and(|again| again == checkpoint));
    }
}

fn answer_of(status: StatusCode, body: &[u8]) -> Answer {
    Answer { status, headers: HeaderMap::new(), body: body.to_vec() }
}

fn assert_readable(error: &Error) {
    let line = error.to_string();
    assert!(line.len() < 1_000 && !line.contains(char::is_control), "{line:?}");
    let _ = format!("{error:?}");
}
