//! The items that generated code uses. This module isn't a public API: anything here may change in
//! the next version. The generator and the runtime must have the same version.

pub use reqwest::Method;

pub use crate::{
    __open_enums as open_enums, __read_from_object as read_from_object,
    __record_builder as record_builder, __records as records, __request as request,
    __response as response, __text_value as text_value, AuthStyle, CallOptions, Client,
    ClientBuilder, ClientCredentials, Environment, Error, GeneratedClient, Id, Items, Operation,
    Pages, ResponseValue, TokenSource,
    call::{Draft, Parameter, PreparedCall, Sender, rfc3339},
    decode::{
        Decimal, MayBeRounded, Open, Unknown, converted, from_object, optional, or_blank,
        or_blank_time, or_empty, or_null, or_null_or_blank, or_null_time, or_whole, others,
        required, text, time, unknown,
    },
    listing::{Paging, Record, Timed, sealed},
    operation::{
        BodyKind, Details, Listing, Order, OrderKey, PageSize, Service, TimeRange, Token, operation,
    },
    validate::{Kind, Mode, Pattern, Rule},
};

/// Creates a builder for a client that sends its requests to `base_url`.
pub fn builder<C: From<Client>>(service: &'static Service, base_url: String) -> ClientBuilder<C> {
    ClientBuilder::new(service, base_url)
}

/// Returns a clone of the client's sender.
#[must_use]
pub fn sender(client: &Client) -> Sender {
    client.sender.clone()
}

/// Returns the pages of the listing whose first call is `start`.
pub fn pages<L: Paging>(start: Result<PreparedCall, Error>) -> Pages<L::Page> {
    Pages::new::<L>(start)
}

/// Returns the records of the listing whose first call is `start`.
pub fn items<L: Paging>(
    listing: &'static Listing,
    start: Result<PreparedCall, Error>,
) -> Items<L::Item> {
    Items::new::<L>(listing, start)
}
