//! Inline enums and objects get names, so that one rule (open enums, open records) holds for all.

use heck::ToPascalCase;
use openapiv3::{AdditionalProperties, OpenAPI, Parameter, ReferenceOr, Schema, SchemaKind, Type};

use crate::{
    description::Refusal,
    schema::{enumeration, object},
    visit::{items_mut, operations_mut, parameter_mut},
};

type Found = Vec<(String, Schema)>;

pub(crate) fn name_inline_schemas(spec: &mut OpenAPI) -> Result<(), Refusal> {
    let mut found = Found::new();
    for (path, item) in items_mut(&mut spec.paths) {
        for parameter in &mut item.parameters {
            name_parameter(&path.to_pascal_case(), parameter, &mut found);
        }
        for operation in operations_mut(item) {
            let id = operation.operation_id.clone().unwrap_or_default().to_pascal_case();
            for parameter in &mut operation.parameters {
                name_parameter(&id, parameter, &mut found);
            }
            if let Some(ReferenceOr::Item(body)) = &mut operation.request_body {
                for media in body.content.values_mut() {
                    media.schema.iter_mut().for_each(|s| name(&format!("{id}Body"), s, &mut found));
                }
            }
            for response in operation.responses.responses.values_mut() {
                let ReferenceOr::Item(response) = response else { continue };
                for media in response.content.values_mut() {
                    let name_of = format!("{id}Response");
                    media.schema.iter_mut().for_each(|schema| name(&name_of, schema, &mut found));
                }
            }
        }
    }

    let components = spec.components.get_or_insert_default();
    for parameter in components.parameters.values_mut() {
        name_parameter("", parameter, &mut found);
    }
    for (of, response) in &mut components.responses {
        let ReferenceOr::Item(response) = response else { continue };
        for media in response.content.values_mut() {
            media.schema.iter_mut().for_each(|schema| name(of, schema, &mut found));
        }
    }
    for (of, body) in &mut components.request_bodies {
        let ReferenceOr::Item(body) = body else { continue };
        for media in body.content.values_mut() {
            media.schema.iter_mut().for_each(|schema| name(of, schema, &mut found));
        }
    }
    for (of, schema) in &mut components.schemas {
        if let ReferenceOr::Item(schema) = schema {
            name_parts(of, schema, &mut found);
        }
    }
    for (name, schema) in found {
        if components.schemas.insert(name.clone(), ReferenceOr::Item(schema)).is_some() {
            return Err(format!("an inline schema would be called `{name}`, which exists"));
        }
    }
    Ok(())
}

fn name_parameter(of: &str, parameter: &mut ReferenceOr<Parameter>, found: &mut Found) {
    if let Some((parameter, schema)) = parameter_mut(parameter) {
        name(&format!("{of}{}", parameter.to_pascal_case()), schema, found);
    }
}

/// Replaces an inline enum or object by a reference to `called`; of anything else, its parts.
fn name(called: &str, slot: &mut ReferenceOr<Schema>, found: &mut Found) {
    let ReferenceOr::Item(schema) = slot else { return };
    name_parts(called, schema, found);
    let is_record = object(schema).is_some_and(|object| !object.properties.is_empty());
    if is_record || enumeration(schema).is_some() {
        found.push((called.to_owned(), schema.clone()));
        *slot = ReferenceOr::ref_(&format!("#/components/schemas/{called}"));
    }
}

fn name_parts(of: &str, schema: &mut Schema, found: &mut Found) {
    match &mut schema.schema_kind {
        SchemaKind::Type(Type::Object(object)) => {
            for (property, slot) in &mut object.properties {
                name_boxed(&format!("{of}{}", property.to_pascal_case()), slot, found);
            }
            if let Some(AdditionalProperties::Schema(values)) = &mut object.additional_properties {
                name(&format!("{of}Value"), values, found);
            }
        }
        SchemaKind::Type(Type::Array(array)) => {
            array.items.iter_mut().for_each(|slot| name_boxed(&format!("{of}Item"), slot, found));
        }
        _ => {}
    }
}

fn name_boxed(called: &str, slot: &mut ReferenceOr<Box<Schema>>, found: &mut Found) {
    let mut plain = slot.clone().unbox();
    name(called, &mut plain, found);
    *slot = match plain {
        ReferenceOr::Item(schema) => ReferenceOr::boxed_item(schema),
        ReferenceOr::Reference { reference } => ReferenceOr::Reference { reference },
    };
}
