//! The model of a description: its operations, and the schemas that they use.

mod description;
pub(crate) use description::{
    ApiKey, Body, Description, Operation, Parameter, ParameterIn, Responses, Security, Token,
};
mod listing;
pub(crate) use listing::{Listing, More, Next, Order, OrderKey, PageSize, TimeRange};
pub(crate) mod markdown;
mod names;
pub(crate) use names::{Named, Names};
mod normalize;
pub(crate) use normalize::normalize;
mod schema;
pub(crate) use schema::{Entries, Kind, Schema};
mod schemas;
pub(crate) use schemas::{Enum, Field, Form, Record, Side, Type};
mod value_kind;
pub(crate) use value_kind::ValueKind;
