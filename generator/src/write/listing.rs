//! Generates an operation's `codegen::Listing`, which names the parameters for paging, filtering
//! and sorting.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{Listing, Order, OrderKey, PageSize, TimeRange},
    write::tokens::optional,
};

pub(crate) fn value(listing: &Listing) -> TokenStream {
    let Listing { cursor, not_with_cursor, .. } = listing;
    let filters = listing.filters.iter().map(|(name, most)| quote! { (#name, #most) });
    let size = optional(listing.size.as_ref().map(|PageSize { parameter, smallest }| {
        let smallest = optional(smallest.as_ref());
        quote! { codegen::PageSize { parameter: #parameter, smallest: #smallest } }
    }));
    let time = optional(listing.created_at.as_ref());
    let order = optional(listing.order.as_ref().map(order));
    let time_range = optional(listing.time_range.as_ref().map(time_range));
    quote! {
        codegen::Listing {
            cursor: #cursor,
            not_with_cursor: &[#(#not_with_cursor),*],
            filters: &[#(#filters),*],
            size: #size,
            time: #time,
            order: #order,
            time_range: #time_range,
        }
    }
}

fn order(order: &Order) -> TokenStream {
    let Order { parameter, ascending, descending, ascending_by_default, key } = order;
    let ascending_by_default = optional(ascending_by_default.as_ref());
    let key = optional(key.as_ref().map(|OrderKey { parameter, by_time, is_default }| {
        quote! {
            codegen::OrderKey { parameter: #parameter, by_time: #by_time, is_default: #is_default }
        }
    }));
    quote! {
        codegen::Order {
            parameter: #parameter,
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
