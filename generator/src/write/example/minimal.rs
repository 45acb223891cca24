//! Generates a small value that conforms to a schema, for use in an example.

use serde_json::{Map, Value};

use crate::{
    document::{Format, Integer, Number, Text},
    model::{Description, Form, Kind, Record, Schema},
};

/// The maximum nesting depth of an example value.
const MAX_DEPTH: usize = 16;

/// The maximum length of strings and arrays in an example.
const MAX_LENGTH: usize = 64;

pub(super) fn value(description: &Description, schema: &Schema) -> Option<Value> {
    at(description, schema, 0)
}

fn at(description: &Description, schema: &Schema, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(example) = &schema.example {
        return Some(example.clone());
    }
    match &schema.kind {
        Kind::Named(name) => {
            let named = description.types.get(name)?;
            named.example.clone().or_else(|| match &named.form {
                Form::Record(of) => record(description, of, depth),
                Form::Enum(of) => of.values.first().map(|(_, value)| value.clone().into()),
            })
        }
        Kind::Text(of) => text(of).map(Value::from),
        Kind::Integer(of) => integer(of).map(Value::from),
        Kind::Number(of) => number(of).map(Value::from),
        Kind::Boolean => Some(true.into()),
        Kind::Array(array) => {
            // All entries of the example are equal, so an array with `uniqueItems` can have only
            // one entry.
            let least = array.size.least.max(1);
            let may_repeat = least == 1 || !array.size.unique;
            let entry = at(description, &array.each, depth + 1)?;
            (may_repeat && least <= MAX_LENGTH).then(|| vec![entry; least].into())
        }
        Kind::Map(map) => {
            let value = at(description, &map.each, depth + 1);
            let values: Map<_, _> =
                value.map(|value| ("key".to_owned(), value)).into_iter().collect();
            (map.size.least <= values.len()).then(|| values.into())
        }
        Kind::Json => None,
    }
}

fn record(description: &Description, of: &Record, depth: usize) -> Option<Value> {
    let required = of.fields.iter().filter(|field| field.required);
    let values = required
        .map(|field| Some((field.wire.clone(), at(description, &field.schema, depth + 1)?)));
    let values = values.collect::<Option<Map<_, _>>>()?;
    (of.size.least <= values.len()).then(|| values.into())
}

fn text(of: &Text) -> Option<String> {
    let known = match of.format {
        Format::Time => "2025-01-01T00:00:00Z",
        Format::Date => "2025-01-01",
        Format::Uuid => "67e55044-10b1-426f-9247-bb680e5fe0c8",
        Format::Decimal => "1.50",
        Format::Text if of.pattern.is_some() => return None,
        Format::Text => {
            let (least, most) = (of.length.least, of.length.most.unwrap_or(MAX_LENGTH));
            let letters = "text".chars().cycle().take(4.min(most).max(least));
            return (least <= MAX_LENGTH).then(|| letters.collect());
        }
    };
    Some(known.to_owned())
}

fn integer(of: &Integer) -> Option<i64> {
    let candidates = [Some(1), of.least, of.most, of.multiple_of];
    of.known.first().copied().or_else(|| {
        candidates.into_iter().flatten().find(|&value| {
            of.least.is_none_or(|least| least <= value)
                && of.most.is_none_or(|most| value <= most)
                && of.multiple_of.is_none_or(|of| value.checked_rem(of) == Some(0))
        })
    })
}

fn number(of: &Number) -> Option<f64> {
    let middle = of.least.zip(of.most).map(|(least, most)| f64::midpoint(least, most));
    let above = of.least.map(|least| least + 1.0);
    let fits = |value: f64| {
        of.least.is_none_or(|least| least < value) && of.most.is_none_or(|most| value < most)
    };
    let candidates = match of.multiple_of {
        None => [Some(1.0), middle, above],
        of => [of, None, None],
    };
    candidates.into_iter().flatten().find(|&value| fits(value))
}
