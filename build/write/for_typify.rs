//! The copy of the schemas that progenitor gets, without what would make a client less tolerant than
//! it should be.

use openapiv3::{OpenAPI, ReferenceOr, Schema, SchemaKind, Type};

use crate::model::listing::NEXT_CURSOR;

pub(crate) fn for_typify(spec: &OpenAPI) -> OpenAPI {
    let mut spec = spec.clone();
    // The calls are generated here, not by progenitor.
    spec.paths = openapiv3::Paths::default();
    for schema in spec.components.iter_mut().flat_map(|c| c.schemas.values_mut()) {
        if let ReferenceOr::Item(schema) = schema {
            relax_schema(schema);
        }
    }
    spec
}

fn relax_schema(schema: &mut Schema) {
    (schema.schema_data.default, schema.schema_data.example) = (None, None);
    let SchemaKind::Type(kind) = &mut schema.schema_kind else { return };
    match kind {
        // A bound changes the type (`minimum: 1` is a `NonZero`); it is checked before sending.
        Type::Integer(integer) => {
            (integer.minimum, integer.maximum, integer.multiple_of) = (None, None, None);
            (integer.exclusive_minimum, integer.exclusive_maximum) = (false, false);
            integer.enumeration.clear();
        }
        Type::Number(number) => {
            (number.minimum, number.maximum, number.multiple_of) = (None, None, None);
            (number.exclusive_minimum, number.exclusive_maximum) = (false, false);
        }
        Type::String(string) => {
            (string.pattern, string.min_length, string.max_length) = (None, None, None);
        }
        Type::Array(array) => {
            (array.min_items, array.max_items, array.unique_items) = (None, None, false);
            // `lenient` reads null as an empty array.
            schema.schema_data.nullable = false;
            array.items.iter_mut().for_each(relax_boxed);
        }
        Type::Object(object) => {
            (object.min_properties, object.max_properties) = (None, None);
            // An absent array is an empty one.
            let properties = &object.properties;
            object
                .required
                .retain(|name| !properties.get(name).is_some_and(is_array) && name != NEXT_CURSOR);
            object.properties.values_mut().for_each(relax_boxed);
            if let Some(openapiv3::AdditionalProperties::Schema(values)) =
                &mut object.additional_properties
                && let ReferenceOr::Item(values) = &mut **values
            {
                relax_schema(values);
            }
        }
        Type::Boolean(_) => {}
    }
}

fn relax_boxed(schema: &mut ReferenceOr<Box<Schema>>) {
    if let ReferenceOr::Item(schema) = schema {
        relax_schema(schema);
    }
}

fn is_array(schema: &ReferenceOr<Box<Schema>>) -> bool {
    matches!(
        schema,
        ReferenceOr::Item(schema) if matches!(schema.schema_kind, SchemaKind::Type(Type::Array(_)))
    )
}
