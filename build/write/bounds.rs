//! The bounds of single values, as `crate::validate::Rule`s.

use openapiv3::{IntegerType, NumberType, StringType};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::schema::optional;

/// None without a bound.
pub(crate) fn text(string: &StringType) -> Option<TokenStream> {
    let StringType { min_length, max_length, pattern, .. } = string;
    let least = min_length.unwrap_or(0);
    if least == 0 && max_length.is_none() && pattern.is_none() {
        return None;
    }
    let most = optional(*max_length);
    let pattern = optional(pattern.as_ref().map(|pattern| {
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

pub(crate) fn integer(integer: &IntegerType) -> Option<TokenStream> {
    let literal = |bound: Option<i64>| optional(bound.map(Literal::i64_unsuffixed));
    let (least, most) = range(integer);
    if least.is_none() && most.is_none() && integer.multiple_of.is_none() {
        return None;
    }
    let (least, most, multiple) = (literal(least), literal(most), literal(integer.multiple_of));
    Some(quote! {
        crate::validate::Rule::Integer { least: #least, most: #most, multiple_of: #multiple }
    })
}

/// The least and the greatest integer that is allowed.
pub(crate) fn range(integer: &IntegerType) -> (Option<i64>, Option<i64>) {
    let IntegerType { minimum, maximum, exclusive_minimum, exclusive_maximum, .. } = integer;
    let least = minimum.map(|least| least.saturating_add(i64::from(*exclusive_minimum)));
    let most = maximum.map(|most| most.saturating_sub(i64::from(*exclusive_maximum)));
    (least, most)
}

/// Every number has a rule: JSON has no NaN and no infinity, and serde writes them as null.
pub(crate) fn number(number: &NumberType, null: bool) -> TokenStream {
    let NumberType { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, .. } =
        number;
    let literal = |bound: Option<f64>| optional(bound.map(Literal::f64_suffixed));
    let (least, most, multiple) = (literal(*minimum), literal(*maximum), literal(*multiple_of));
    let (above, below) = (exclusive_minimum, exclusive_maximum);
    quote! {
        crate::validate::Rule::Number {
            least: #least, above: #above, most: #most, below: #below, multiple_of: #multiple,
            null: #null,
        }
    }
}
