//! What the description says, in one form: the operations, and the schemas that they reach.

pub(crate) mod bounds;
pub(crate) use bounds::{BOUNDS, Integer, Number, Size, format_of, integers, range};
mod description;
pub(crate) use description::{Answer, Body, Description, Operation, Parameter, ParameterIn, Token};
pub(crate) mod docs;
mod listing;
pub(crate) use listing::{CURSOR, Listing, NEXT_CURSOR};
mod names;
pub(crate) use names::{Named, Names};
mod normalize;
pub(crate) use normalize::{DEEP, component, normalize, only_part};
mod resolved;
pub(crate) use resolved::{leads_back, resolved};
mod schema;
pub(crate) use schema::{Entries, Format, Kind, Schema, Text, optional};
mod schemas;
pub(crate) use schemas::{Enum, Field, Form, Record, Side, Type};
mod shape;
pub(crate) use shape::{PARTS, Shape, is_union, is_word, shape};
