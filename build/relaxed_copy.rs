//! The copy of the description that progenitor gets: what would make a client less tolerant than
//! it should be, or the generator stumble, is left out of it.

use openapiv3::{
    AdditionalProperties, OpenAPI, Parameter, ReferenceOr, Schema, SchemaKind, StatusCode, Type,
};

use crate::{
    listing::NEXT_CURSOR,
    visit::{items_mut, operations_mut, parameter_mut},
};

pub(crate) fn relaxed(spec: &OpenAPI) -> OpenAPI {
    let mut spec = spec.clone();
    for (_, item) in items_mut(&mut spec.paths) {
        item.parameters.iter_mut().for_each(relax_parameter);
        for operation in operations_mut(item) {
            operation.parameters.iter_mut().for_each(relax_parameter);
            // Failures are read by hand, whatever their shape; the generator wants them alike.
            operation.responses.default = None;
            operation.responses.responses.retain(
                |status, _| matches!(status, StatusCode::Code(code) if (200..300).contains(code)),
            );
        }
    }
    if let Some(components) = &mut spec.components {
        components.parameters.values_mut().for_each(relax_parameter);
        for schema in components.schemas.values_mut() {
            if let ReferenceOr::Item(schema) = schema {
                relax_schema(schema);
            }
        }
    }
    spec
}

fn relax_parameter(parameter: &mut ReferenceOr<Parameter>) {
    if let Some((_, ReferenceOr::Item(schema))) = parameter_mut(parameter) {
        relax_schema(schema);
    }
}

fn relax_schema(schema: &mut Schema) {
    schema.schema_data.default = None;
    let SchemaKind::Type(kind) = &mut schema.schema_kind else { return };
    match kind {
        // A bound changes the type (`minimum: 1` is a `NonZero`); it is checked before sending.
        Type::Integer(integer) => (integer.minimum, integer.maximum) = (None, None),
        Type::Number(number) => (number.minimum, number.maximum) = (None, None),
        Type::String(string) => {
            (string.pattern, string.min_length, string.max_length) = (None, None, None);
        }
        Type::Array(array) => {
            (array.min_items, array.max_items) = (None, None);
            // And so is null.
            schema.schema_data.nullable = false;
            array.items.iter_mut().for_each(relax_boxed);
        }
        Type::Object(object) => {
            // An absent array is an empty one.
            let properties = &object.properties;
            object
                .required
                .retain(|name| !properties.get(name).is_some_and(is_array) && name != NEXT_CURSOR);
            object.properties.values_mut().for_each(relax_boxed);
            if let Some(AdditionalProperties::Any(false)) = object.additional_properties {
                object.additional_properties = None;
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
