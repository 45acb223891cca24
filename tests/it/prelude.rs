//! Imports that most tests need.

pub(crate) use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

pub(crate) use digital_assets::{
    AccessToken, CallOptions, Client, ClientBuilder, ClientCredentials, Error, ErrorKind,
    Operation, Retry, operation,
};
pub(crate) use futures_util::{FutureExt, StreamExt, future::join_all};
pub(crate) use tokio::time::{Instant, advance, sleep, timeout};

pub(crate) use crate::{
    Environment, add, adding, call_each, cases,
    clock::{Clock, millis, paused, seconds},
    code, grant, granting, granting_in_memory, list, listing,
    memory::{InMemory, limited},
    printed, quick,
    server::{Answer, Server, gate, json, reset, silent, status, throttled},
    specification::MEMBERS,
    within_bounds,
};
