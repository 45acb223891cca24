//! What most tests of tokens need.

pub(super) use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

pub(super) use digital_assets::{
    AccessToken, AuthStyle, BoxFuture, CallOptions, Client, ClientCredentials, Error, ErrorKind,
    PemSigner, Retry, Signer,
};
pub(super) use futures_util::{
    FutureExt,
    future::{join, join_all},
};
pub(super) use tokio::time::Instant;

pub(super) use super::{
    begun, in_memory, listing, pair, refusing,
    source::{
        Mint, Source, asking, closed, drawing_on, drawing_with, elsewhere, give_up, late, minting,
        paused, playing, rejected_after, sealed, silence, token, token_of, with_timeout,
    },
    tokens, with,
};
pub(super) use crate::{
    Environment, TOKEN_URL, add,
    clock::{Clock, millis, seconds},
    grant, granting, list,
    memory::{InMemory, response},
    printed,
    server::{Received, Server, gate, json, reset, silent, status},
    specification::MEMBERS,
    within_bounds,
};
