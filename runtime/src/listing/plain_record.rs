//! Records that aren't objects in the OpenAPI description: they have neither a time nor an
//! identifier.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Id, Record, sealed};
use crate::Decimal;

macro_rules! plain_records {
    ($([$($parameter:ident)?] $kind:ty,)*) => {$(
        impl $(<$parameter: Send + Sync + Unpin + 'static>)? sealed::Record for $kind {}

        impl $(<$parameter: Send + Sync + Unpin + 'static>)? Record for $kind {
            fn created_at(&self) -> Option<DateTime<Utc>> {
                None
            }

            fn id(&self) -> Option<Id> {
                None
            }
        }
    )*};
}

plain_records! {
    [] String,
    [] bool,
    [] i8,
    [] i16,
    [] i32,
    [] i64,
    [] u8,
    [] u16,
    [] u32,
    [] u64,
    [] f64,
    [] DateTime<Utc>,
    [] NaiveDate,
    [] Uuid,
    [] Decimal,
    [] Value,
    [] Map<String, Value>,
    [T] Vec<T>,
    [T] HashMap<String, T>,
}
