//! The bounds of single values, as `crate::validate::Rule`s.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{
    bounds::{Integer, Number},
    schema::{Text, optional},
};

/// None without a bound.
pub(crate) fn text(text: &Text) -> Option<TokenStream> {
    if text.length.is_any() && text.pattern.is_none() {
        return None;
    }
    let (least, most) = (text.length.least, optional(text.length.most));
    let pattern = optional(text.pattern.as_ref().map(|pattern| {
        // Compiled once, at its first use.
        quote! {
            {
                static PATTERN: crate::validate::Pattern = crate::validate::Pattern::new(#pattern);
                &PATTERN
            }
        }
    }));
    Some(quote! {
        crate::validate::Rule::Text { least: #least, most: #most, pattern: #pattern }
    })
}

pub(crate) fn integer(integer: &Integer) -> Option<TokenStream> {
    let Integer { least, most, multiple_of, .. } = *integer;
    least.or(most).or(multiple_of)?;
    let literal = |bound: Option<i64>| optional(bound.map(Literal::i64_unsuffixed));
    let (least, most, multiple) = (literal(least), literal(most), literal(multiple_of));
    Some(quote! {
        crate::validate::Rule::Integer { least: #least, most: #most, multiple_of: #multiple }
    })
}

/// Every number has a rule: JSON has no NaN and no infinity, and serde writes them as null.
pub(crate) fn number(number: &Number, null: bool) -> TokenStream {
    let Number { least, most, above, below, multiple_of } = *number;
    let literal = |bound: Option<f64>| optional(bound.map(Literal::f64_suffixed));
    let (least, most, multiple) = (literal(least), literal(most), literal(multiple_of));
    quote! {
        crate::validate::Rule::Number {
            least: #least, above: #above, most: #most, below: #below, multiple_of: #multiple,
            null: #null,
        }
    }
}
