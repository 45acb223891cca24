//! Imports that most tests of tokens need.

pub(super) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(super) use digital_assets::{AuthStyle, BoxFuture, PemSigner, Signer, TokenSource};
pub(super) use futures_util::future::join;

pub(super) use super::{
    begun, beside, in_memory, pair, refusing,
    source::{
        Source, asking, closed, drawing_on, drawing_with, elsewhere, give_up, late, minting,
        playing, rejected_after, sealed, silence, token, token_of, with_timeout,
    },
    with,
};
pub(super) use crate::{TOKEN_URL, prelude::*, server::Received};
