//! The smallest value that a schema allows.

use openapiv3::{
    AdditionalProperties, IntegerType, NumberType, ReferenceOr, Schema, SchemaKind, StringFormat,
    StringType, Type,
    VariantOrUnknownOrEmpty::{Item, Unknown},
};
use serde_json::{Map, Value};

use crate::model::description::Description;

/// How deep a value may be nested.
const DEEP: usize = 16;

/// The longest text and the longest array that an example shows.
const LONG: usize = 64;

pub(super) fn value(description: &Description, slot: &ReferenceOr<Schema>) -> Option<Value> {
    at(description, slot, 0)
}

fn at(description: &Description, slot: &ReferenceOr<Schema>, depth: usize) -> Option<Value> {
    if depth > DEEP {
        return None;
    }
    let schema = description.resolve(slot).ok()?;
    let said = &schema.schema_data;
    if let Some(value) = said.example.as_ref().or(said.default.as_ref()) {
        return Some(value.clone());
    }
    match &schema.schema_kind {
        SchemaKind::Type(Type::String(string)) => text(string).map(Value::from),
        SchemaKind::Type(Type::Integer(bounds)) => integer(bounds).map(Value::from),
        SchemaKind::Type(Type::Number(bounds)) => number(bounds).map(Value::from),
        SchemaKind::Type(Type::Boolean(_)) => Some(true.into()),
        SchemaKind::Type(Type::Array(array)) => {
            // Only one value is known, so entries that have to differ can't be made.
            let least = array.min_items.unwrap_or(0).max(1);
            let may_repeat = least == 1 || !array.unique_items;
            let entry = at(description, &array.items.clone()?.unbox(), depth + 1)?;
            (may_repeat && least <= LONG).then(|| vec![entry; least].into())
        }
        SchemaKind::Type(Type::Object(object)) => {
            let mut record = Map::new();
            let name = match slot {
                ReferenceOr::Reference { reference } => reference.rsplit('/').next()?,
                ReferenceOr::Item(_) => "",
            };
            for field in &object.required {
                let wire = &description.fields.get(name)?.get(field)?.wire;
                let property = object.properties.get(field)?.clone().unbox();
                record.insert(wire.clone(), at(description, &property, depth + 1)?);
            }
            if let Some(AdditionalProperties::Schema(values)) = &object.additional_properties
                && object.properties.is_empty()
            {
                record.insert("key".into(), at(description, values, depth + 1)?);
            }
            let enough = object.min_properties.is_none_or(|least| least <= record.len());
            enough.then(|| record.into())
        }
        SchemaKind::AllOf { all_of } => at(description, all_of.first()?, depth + 1),
        _ => None,
    }
}

fn text(string: &StringType) -> Option<String> {
    if let Some(value) = string.enumeration.iter().flatten().next() {
        return Some(value.clone());
    }
    let known = match &string.format {
        Item(StringFormat::DateTime) => Some("2025-01-01T00:00:00Z"),
        Item(StringFormat::Date) => Some("2025-01-01"),
        Unknown(format) if format == "uuid" => Some("67e55044-10b1-426f-9247-bb680e5fe0c8"),
        Unknown(format) if format.starts_with("decimal") => Some("1.50"),
        _ => None,
    };
    if known.is_some() || string.pattern.is_some() {
        return known.map(str::to_owned);
    }
    let (least, most) = (string.min_length.unwrap_or(0), string.max_length.unwrap_or(LONG));
    (least <= LONG).then(|| "text".chars().cycle().take(4.min(most).max(least)).collect())
}

fn integer(bounds: &IntegerType) -> Option<i64> {
    if let Some(value) = bounds.enumeration.iter().flatten().next() {
        return Some(*value);
    }
    let above = |least: i64| least.checked_add(bounds.exclusive_minimum.into());
    let below = |most: i64| most.checked_sub(bounds.exclusive_maximum.into());
    // No integer is beyond the greatest or below the least.
    let least = bounds.minimum.map(|least| above(least).ok_or(())).transpose().ok()?;
    let most = bounds.maximum.map(|most| below(most).ok_or(())).transpose().ok()?;
    [Some(1), least, most, bounds.multiple_of].into_iter().flatten().find(|&value| {
        least.is_none_or(|least| least <= value)
            && most.is_none_or(|most| value <= most)
            && bounds.multiple_of.is_none_or(|of| value.checked_rem(of) == Some(0))
    })
}

fn number(bounds: &NumberType) -> Option<f64> {
    let (least, most) = (bounds.minimum, bounds.maximum);
    let middle = least.zip(most).map(|(least, most)| f64::midpoint(least, most));
    let above = least.map(|least| least + 1.0);
    let fits = |value: f64| {
        least.is_none_or(|least| least < value) && most.is_none_or(|most| value < most)
    };
    let candidates = match bounds.multiple_of {
        None => [Some(1.0), middle, above],
        of => [of, None, None],
    };
    candidates.into_iter().flatten().find(|&value| fits(value))
}
