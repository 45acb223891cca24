//! Which operations are listings, and how those are paged and cut into windows.

use openapiv3::{ReferenceOr, Schema};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    model::{
        parameter::{Parameter, Place},
        schema::{array, enumeration, integer, is_any_text, is_time, optional, rust_type, string},
        schemas::{Schemas, Side},
    },
    read::Unsupported,
    write::bounds,
};

/// An operation that answers in pages.
pub(crate) struct Listing {
    pub page: String,
    pub array: Ident,
    pub cursor: Ident,
    pub item: ReferenceOr<Schema>,
    pub item_type: TokenStream,
    /// Whether it can be cut into windows of time.
    pub has_windows: bool,
    /// Whether a filter can have too many entries for one request.
    pub is_split: bool,
    /// The `crate::listing::Listing` of it.
    pub value: TokenStream,
}

/// When a record was created.
pub(crate) struct CreatedAt {
    pub field: Ident,
    pub is_optional: bool,
    /// Whether every record has it.
    pub is_sure: bool,
}

const ASCENDING: &str = "asc";
const DESCENDING: &str = "desc";
const BY_TIME: &str = "created_at";

pub(crate) const CURSOR: &str = "page_cursor";
pub(crate) const NEXT_CURSOR: &str = "next_page_cursor";

impl Schemas {
    pub(crate) fn listing(
        &self,
        parameters: &[Parameter],
        answer: Option<&str>,
    ) -> Result<Option<Listing>, Unsupported> {
        let is_cursor = |p: &Parameter| p.name == CURSOR && p.place == Place::Query;
        if !parameters.iter().any(is_cursor) {
            return Ok(None);
        }
        let page = answer.ok_or_else(|| {
            format!(
                "responses: it takes `{CURSOR}`, but its answer is not an object with properties"
            )
        })?;
        let Some((cursor, schema, _)) = self.property(page, NEXT_CURSOR)? else {
            return Err(format!(
                "responses → {page}: it takes `{CURSOR}`, but its answer has no `{NEXT_CURSOR}`"
            ));
        };
        let place = format!("responses → {page} → {NEXT_CURSOR}");
        if string(&schema).is_none_or(|cursor| !cursor.enumeration.is_empty()) {
            return Err(format!("{place}: is not a string"));
        }
        if !is_any_text(&schema) {
            return Err(format!("{place}: has a format, but a cursor is any text"));
        }
        let (records, item) = self.records(page)?;
        let item_type = rust_type(&item);

        let order = order(parameters);
        let timed = self.created_at(&item)?.is_some_and(|created_at| created_at.is_sure);
        let time_range = order.as_ref().filter(|_| timed).and_then(|_| time_range(parameters));
        let not_with_cursor =
            parameters.iter().filter(|p| p.is("x-not-with-page-cursor")).map(|p| &p.name);
        let filters = parameters.iter().filter(|p| p.place == Place::Query).filter_map(|p| {
            let (name, most) = (&p.name, array(&p.schema)?.max_items?);
            Some(quote! { (#name, #most) })
        });
        let filters: Vec<_> = filters.collect();
        let is_split = !filters.is_empty();
        let smallest_page = optional(smallest_page(parameters));
        let has_windows = time_range.is_some();
        let (order, time_range) = (optional(order), optional(time_range));
        let value = quote! {
            crate::operation::Listing {
                not_with_cursor: &[#(#not_with_cursor),*],
                filters: &[#(#filters),*],
                smallest_page: #smallest_page,
                order: #order,
                time_range: #time_range,
            }
        };
        Ok(Some(Listing {
            page: page.to_owned(),
            array: records,
            cursor: format_ident!("{cursor}"),
            item,
            item_type,
            has_windows,
            is_split,
            value,
        }))
    }

    /// The array of a page that holds its records: the only one, the one marked `x-items`, or the
    /// one called `items`.
    fn records(&self, page: &str) -> Result<(Ident, ReferenceOr<Schema>), Unsupported> {
        let mut arrays = Vec::new();
        for (field, property) in &self.object(page)?.properties {
            let schema = self.resolve_box(property)?;
            if let Some(items) = array(&schema).and_then(|array| array.items.clone()) {
                let marked = schema.schema_data.extensions.get("x-items") == Some(&true.into());
                arrays.push((field, marked, items.unbox()));
            }
        }
        let marked = arrays.iter().filter(|(_, marked, _)| *marked).count();
        let found = match (arrays.as_slice(), marked) {
            ([only], _) => Some(only),
            (several, 1) => several.iter().find(|(_, marked, _)| *marked),
            (several, 0) => {
                several.iter().find(|(field, ..)| self.field(page, "items") == Some(field))
            }
            _ => None,
        };
        let (field, _, items) = found.ok_or_else(|| {
            format!(
                "responses → {page}: has {} arrays, of which `x-items: true` marks {}",
                arrays.len(),
                if marked == 0 { "none" } else { "several" }
            )
        })?;
        if items.as_item().is_some_and(|items| items.schema_data.nullable) {
            return Err(format!("responses → {page} → {field}: a listing's records can't be null"));
        }
        Ok((format_ident!("{field}"), items.clone()))
    }

    /// A record's property that is marked `x-created-at`, or called `created_at`.
    pub(crate) fn created_at(
        &self,
        item: &ReferenceOr<Schema>,
    ) -> Result<Option<CreatedAt>, Unsupported> {
        let Some(record) = self.record(item)? else { return Ok(None) };
        let (mut called, mut sure) = (None, None);
        for about in self.fields.get(&record).into_iter().flatten().map(|(_, about)| about) {
            let (wire, marked) = (&about.wire, about.created_at);
            let Some((field, schema, required)) = self.property(&record, wire)? else { continue };
            if !is_time(&schema) || !(marked || wire == BY_TIME) {
                continue;
            }
            let is_sure = marked || required || about.required_of == Some(Side::Service);
            let is_optional = !required;
            let found = CreatedAt { field: format_ident!("{field}"), is_optional, is_sure };
            let taken = if marked { sure.replace(found) } else { called.replace(found) };
            if marked && taken.is_some() {
                return Err(format!(
                    "responses → {record}: `x-created-at: true` marks several of its properties"
                ));
            }
        }
        Ok(sure.or(called))
    }
}

fn in_query<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|p| p.name == name && p.place == Place::Query)
}

/// The least records that can be asked for at once.
fn smallest_page(parameters: &[Parameter]) -> Option<String> {
    let limit = integer(&in_query(parameters, "limit")?.schema)?;
    let least = bounds::range(limit).0.unwrap_or(1).max(1);
    let of = limit.multiple_of.unwrap_or(1).max(1);
    let sizes = limit.enumeration.iter().flatten();
    let smallest = if limit.enumeration.is_empty() {
        Some(least.saturating_add(of - 1) / of * of)
    } else {
        sizes.filter(|size| **size >= least && **size % of == 0).min().copied()
    };
    smallest.map(|size| size.to_string())
}

/// How the records are ordered by time.
fn order(parameters: &[Parameter]) -> Option<TokenStream> {
    let order = in_query(parameters, "order")?;
    let values = enumeration(&order.schema)?;
    let known = |word: &str| values.iter().flatten().find(|known| known.to_lowercase() == word);
    let (ascending, descending) = (known(ASCENDING)?, known(DESCENDING)?);
    let by = in_query(parameters, "order_by");
    let key = by.and_then(|key| {
        let values = enumeration(&key.schema)?;
        let by_time = values.iter().flatten().find(|known| known.to_lowercase() == BY_TIME)?;
        let is_default = match (default(key), values) {
            (None, [Some(only)]) => only == by_time,
            (default, _) => default == Some(by_time),
        };
        Some(quote! { crate::operation::Key { by_time: #by_time, is_default: #is_default } })
    });
    if by.is_some() && key.is_none() {
        return None;
    }
    let ascending_by_default = optional(default(order).and_then(|word| {
        (word == ascending).then_some(true).or_else(|| (word == descending).then_some(false))
    }));
    let key = optional(key);
    Some(quote! {
        crate::operation::Order {
            ascending: #ascending,
            descending: #descending,
            ascending_by_default: #ascending_by_default,
            key: #key,
        }
    })
}

/// The parameters that filter by `created_at`, or are marked as such.
fn time_range(parameters: &[Parameter]) -> Option<TokenStream> {
    let times = || parameters.iter().filter(|p| p.place == Place::Query && is_time(&p.schema));
    let marked = |extension: &str| times().find(|p| p.is(extension)).map(|p| &p.name);
    let bound = |suffix: &str| {
        let name = format!("{BY_TIME}.{suffix}");
        times().find(|p| p.name == name).map(|p| &p.name)
    };
    let from = marked("x-created-at-from").or_else(|| bound("begin")).or_else(|| bound("gte"))?;
    let inclusive = marked("x-created-at-until").or_else(|| bound("end")).or_else(|| bound("lte"));
    let (until, until_inclusive) = (inclusive.or_else(|| bound("lt"))?, inclusive.is_some());
    Some(quote! {
        crate::operation::TimeRange {
            from: #from,
            until: #until,
            until_inclusive: #until_inclusive,
        }
    })
}

fn default(parameter: &Parameter) -> Option<&str> {
    parameter.default.as_ref()?.as_str()
}
