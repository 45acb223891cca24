//! Finds the decoded numbers that `serde_json` may have rounded.

use std::{collections::HashMap, hash::BuildHasher};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

/// A type that can be decoded from a response.
pub trait MayBeRounded {
    /// Whether the value contains a float where the OpenAPI description allows any JSON. A float
    /// may have lost digits, because `serde_json` reads every number with a fraction or an exponent
    /// as a float, and every integer that is too large for 64 bits.
    fn may_be_rounded(&self) -> bool {
        false
    }
}

impl MayBeRounded for Value {
    fn may_be_rounded(&self) -> bool {
        match self {
            Self::Number(number) => number.is_f64(),
            Self::Array(entries) => entries.may_be_rounded(),
            Self::Object(fields) => fields.may_be_rounded(),
            _ => false,
        }
    }
}

impl MayBeRounded for Map<String, Value> {
    fn may_be_rounded(&self) -> bool {
        self.values().any(Value::may_be_rounded)
    }
}

impl<T: MayBeRounded, S: BuildHasher> MayBeRounded for HashMap<String, T, S> {
    fn may_be_rounded(&self) -> bool {
        self.values().any(T::may_be_rounded)
    }
}

impl<T: MayBeRounded> MayBeRounded for Vec<T> {
    fn may_be_rounded(&self) -> bool {
        self.iter().any(T::may_be_rounded)
    }
}

impl<T: MayBeRounded> MayBeRounded for Option<T> {
    fn may_be_rounded(&self) -> bool {
        self.as_ref().is_some_and(T::may_be_rounded)
    }
}

impl<T: MayBeRounded> MayBeRounded for Box<T> {
    fn may_be_rounded(&self) -> bool {
        T::may_be_rounded(self)
    }
}

macro_rules! never {
    ($($name:ty)*) => {$(impl MayBeRounded for $name {})*};
}

// Where the description requires a float, the number is rounded to a float.
never! { () bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 String Uuid DateTime<Utc> NaiveDate }
