//! Which operations list, and how their listings are walked and cut.

use openapiv3::ReferenceOr;
use proc_macro2::Ident;

use crate::{
    description::{Description, Parameter, Refusal, ident},
    schema::{array, enumeration, is_time, named},
};

/// An operation that answers in pages.
pub(crate) struct Listing {
    pub array: Ident,
    pub item: String,
    pub order: Option<Order>,
    pub window: Option<Window>,
}

/// The parameters that say in which order of time the records come.
pub(crate) struct Order {
    pub parameter: String,
    /// None where the description doesn't tell what comes without the parameter.
    pub ascending_by_default: Option<bool>,
    pub key: Option<Key>,
}

/// The parameter that says by what they are ordered.
pub(crate) struct Key {
    pub parameter: String,
    pub is_default: bool,
}

pub(crate) const ASCENDING: &str = "ASC";
pub(crate) const DESCENDING: &str = "DESC";
pub(crate) const BY_TIME: &str = "CREATED_AT";

/// The parameters that cut a listing by `created_at`.
pub(crate) struct Window {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

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
        let [(array, items)] = arrays.as_slice() else {
            return Err(format!(
                "is paginated, but its response `{answer}` has {} arrays where one is needed",
                arrays.len()
            ));
        };
        let Some(ReferenceOr::Reference { reference }) = items else {
            return Err(format!(
                "is paginated, but the items of `{array}` in its response `{answer}` are not a \
                 `$ref` to a schema"
            ));
        };
        let item = named(reference, "schemas")?;
        self.object(&item)?;

        let order = Self::order(parameters);
        let window = match &order {
            Some(_) if self.is_timed(&item)? => window(parameters),
            _ => None,
        };
        Ok(Some(Listing { array: ident(array), item, order, window }))
    }

    fn order(parameters: &[Parameter]) -> Option<Order> {
        let order = parameters.iter().find(|p| p.name == "order")?;
        let values = enumeration(&order.schema)?;
        let known = |value: &str| values.iter().flatten().any(|known| known == value);
        let key = parameters.iter().find(|p| p.name == "order_by").map(|key| Key {
            parameter: key.name.clone(),
            is_default: match (default(key), enumeration(&key.schema)) {
                (None, Some([Some(only)])) => only == BY_TIME,
                (default, _) => default == Some(BY_TIME),
            },
        });
        (known(ASCENDING) && known(DESCENDING)).then(|| Order {
            parameter: order.name.clone(),
            ascending_by_default: match default(order) {
                Some(ASCENDING) => Some(true),
                Some(DESCENDING) => Some(false),
                _ => None,
            },
            key,
        })
    }

    /// Whether every record of this name says when it was created.
    pub(crate) fn is_timed(&self, item: &str) -> Result<bool, Refusal> {
        Ok(
            matches!(self.property(item, "created_at")?, Some((schema, true)) if is_time(&schema) && !schema.schema_data.nullable),
        )
    }
}

fn window(parameters: &[Parameter]) -> Option<Window> {
    let bound = |suffix: &str| {
        let name = format!("created_at.{suffix}");
        let found = parameters.iter().find(|p| p.name == name && is_time(&p.schema))?;
        Some(found.name.clone())
    };
    let from = bound("begin").or_else(|| bound("gte"))?;
    match bound("end").or_else(|| bound("lte")) {
        Some(until) => Some(Window { from, until, until_inclusive: true }),
        None => Some(Window { from, until: bound("lt")?, until_inclusive: false }),
    }
}

fn default(parameter: &Parameter) -> Option<&str> {
    parameter.schema.schema_data.default.as_ref()?.as_str()
}
