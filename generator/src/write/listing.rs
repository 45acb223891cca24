//! The `codegen::Listing` of a listing: how it is paged, split, ordered and cut into windows.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{Listing, Order, OrderKey, TimeRange},
    write::tokens::optional,
};

pub(crate) fn value(listing: &Listing) -> TokenStream {
    let not_with_cursor = &listing.not_with_cursor;
    let filters = listing.filters.iter().map(|(name, most)| quote! { (#name, #most) });
    let smallest_page = optional(listing.smallest_page.as_ref());
    let order = optional(listing.order.as_ref().map(order));
    let time_range = optional(listing.time_range.as_ref().map(time_range));
    quote! {
        codegen::Listing {
            not_with_cursor: &[#(#not_with_cursor),*],
            filters: &[#(#filters),*],
            smallest_page: #smallest_page,
            order: #order,
            time_range: #time_range,
        }
    }
}

fn order(order: &Order) -> TokenStream {
    let Order { ascending, descending, ascending_by_default, key } = order;
    let ascending_by_default = optional(ascending_by_default.as_ref());
    let key = optional(key.as_ref().map(|OrderKey { by_time, is_default }| {
        quote! { codegen::OrderKey { by_time: #by_time, is_default: #is_default } }
    }));
    quote! {
        codegen::Order {
            ascending: #ascending,
            descending: #descending,
            ascending_by_default: #ascending_by_default,
            key: #key,
        }
    }
}

fn time_range(range: &TimeRange) -> TokenStream {
    let TimeRange { from, until, until_inclusive } = range;
    quote! {
        codegen::TimeRange {
            from: #from,
            until: #until,
            until_inclusive: #until_inclusive,
        }
    }
}
