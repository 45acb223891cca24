//! Converts documentation to `#[doc]` attributes, one per line.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

pub(crate) use super::rustdoc::doc;
pub(crate) use crate::model::markdown::name;

/// A placeholder for the name of the generated crate, which is only known when the crate is
/// compiled.
pub(super) const CRATE: &str = "$crate";

/// Converts text to `#[doc]` attributes, one per line.
pub(super) fn lines(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!(" {line}") };
        if let Some((before, after)) = line.split_once(CRATE) {
            quote! { #[doc = concat!(#before, env!("CARGO_CRATE_NAME"), #after)] }
        } else {
            quote! { #[doc = #line] }
        }
    });
    lines.collect()
}

/// Splits a `#[doc]` attribute with several lines into one attribute per line.
pub(super) fn split(attribute: &Attribute) -> TokenStream {
    if let Meta::NameValue(pair) = &attribute.meta
        && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
    {
        return lines(&text.value());
    }
    attribute.to_token_stream()
}
