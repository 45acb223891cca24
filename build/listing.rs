//! Which operations list, and how their listings are walked and cut.

use openapiv3::ReferenceOr;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    checks::optional,
    description::{Description, Parameter, Refusal, ident},
    schema::{array, enumeration, is_time, named},
};

/// An operation that answers in pages.
pub(crate) struct Listing {
    pub array: Ident,
    pub item: String,
    /// Whether it can be cut into windows of time.
    pub has_windows: bool,
    /// The `crate::listing::Listing` of it.
    pub value: TokenStream,
}

const ASCENDING: &str = "ASC";
const DESCENDING: &str = "DESC";
const BY_TIME: &str = "CREATED_AT";

pub(crate) const CURSOR: &str = "page_cursor";
pub(crate) const NEXT_CURSOR: &str = "next_page_cursor";

impl Description {
    pub(crate) fn listing(
        &self,
        parameters: &[Parameter],
        answer: &str,
    ) -> Result<Option<Listing>, Refusal> {
        if !parameters.iter().any(|p| p.name == CURSOR) {
            return Ok(None);
        }
        let page = self.object(answer)?;
        if !page.properties.contains_key(NEXT_CURSOR) {
            return Err(format!(
                "takes `{CURSOR}`, but its response `{answer}` has no \
                                `{NEXT_CURSOR}`"
            ));
        }
        let mut arrays = Vec::new();
        for (name, property) in &page.properties {
            if let Some(array) = array(&self.resolve_box(property)?) {
                arrays.push((name, array.items.clone()));
            }
        }
        let [(records, items)] = arrays.as_slice() else {
            return Err(format!(
                "is paginated, but its response `{answer}` has {} arrays where one is needed",
                arrays.len()
            ));
        };
        let Some(ReferenceOr::Reference { reference }) = items else {
            return Err(format!(
                "is paginated, but the items of `{records}` in its response `{answer}` are not a \
                 `$ref` to a schema"
            ));
        };
        let item = named(reference, "schemas")?;
        self.object(&item)?;

        let order = order(parameters);
        let time_range = match &order {
            Some(_) if self.is_timed(&item)? => time_range(parameters),
            _ => None,
        };
        let not_with_cursor = parameters.iter().filter(|p| p.not_with_cursor).map(|p| &p.name);
        let filters = parameters.iter().filter(|p| !p.in_path).filter_map(|p| {
            let (name, most) = (&p.name, array(&p.schema)?.max_items?);
            Some(quote! { (#name, #most) })
        });
        let has_limit = parameters.iter().any(|p| p.name == "limit");
        let has_windows = time_range.is_some();
        let (order, time_range) = (optional(order), optional(time_range));
        let value = quote! {
            crate::listing::Listing {
                not_with_cursor: &[#(#not_with_cursor),*],
                filters: &[#(#filters),*],
                has_limit: #has_limit,
                order: #order,
                time_range: #time_range,
            }
        };
        Ok(Some(Listing { array: ident(records), item, has_windows, value }))
    }

    /// Whether every record of this name says when it was created.
    pub(crate) fn is_timed(&self, item: &str) -> Result<bool, Refusal> {
        Ok(
            matches!(self.property(item, "created_at")?, Some((schema, true)) if is_time(&schema) && !schema.schema_data.nullable),
        )
    }
}

/// In which order of time the records come.
fn order(parameters: &[Parameter]) -> Option<TokenStream> {
    let order = parameters.iter().find(|p| p.name == "order")?;
    let values = enumeration(&order.schema)?;
    let known = |value: &str| values.iter().flatten().any(|known| known == value);
    let key = parameters.iter().find(|p| p.name == "order_by").map(|key| {
        let is_default = match (default(key), enumeration(&key.schema)) {
            (None, Some([Some(only)])) => only == BY_TIME,
            (default, _) => default == Some(BY_TIME),
        };
        quote! { crate::listing::Key { by_time: #BY_TIME, is_default: #is_default } }
    });
    let ascending_by_default = optional(match default(order) {
        Some(ASCENDING) => Some(true),
        Some(DESCENDING) => Some(false),
        _ => None,
    });
    let key = optional(key);
    (known(ASCENDING) && known(DESCENDING)).then(|| {
        quote! {
            crate::listing::Order {
                ascending: #ASCENDING,
                descending: #DESCENDING,
                ascending_by_default: #ascending_by_default,
                key: #key,
            }
        }
    })
}

/// The parameters that filter by `created_at`.
fn time_range(parameters: &[Parameter]) -> Option<TokenStream> {
    let bound = |suffix: &str| {
        let name = format!("created_at.{suffix}");
        parameters.iter().find(|p| p.name == name && is_time(&p.schema)).map(|p| &p.name)
    };
    let from = bound("begin").or_else(|| bound("gte"))?;
    let inclusive = bound("end").or_else(|| bound("lte"));
    let (until, until_inclusive) = (inclusive.or_else(|| bound("lt"))?, inclusive.is_some());
    Some(quote! {
        crate::listing::TimeRange {
            from: #from,
            until: #until,
            until_inclusive: #until_inclusive,
        }
    })
}

fn default(parameter: &Parameter) -> Option<&str> {
    parameter.schema.schema_data.default.as_ref()?.as_str()
}
