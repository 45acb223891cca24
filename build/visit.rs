//! The parts of a description that are changed in place, which openapiv3 only lends to be read.

use openapiv3::{
    Operation, Parameter, ParameterSchemaOrContent, PathItem, Paths, ReferenceOr, Schema,
};

pub(crate) fn items_mut(paths: &mut Paths) -> impl Iterator<Item = (&String, &mut PathItem)> {
    paths.paths.iter_mut().filter_map(|(path, item)| match item {
        ReferenceOr::Item(item) => Some((path, item)),
        ReferenceOr::Reference { .. } => None,
    })
}

pub(crate) fn operations_mut(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    [get, put, post, delete, options, head, patch, trace].into_iter().flatten()
}

/// A parameter's name and its schema, where it has them here.
pub(crate) fn parameter_mut(
    parameter: &mut ReferenceOr<Parameter>,
) -> Option<(&str, &mut ReferenceOr<Schema>)> {
    let ReferenceOr::Item(parameter) = parameter else { return None };
    let data = match parameter {
        Parameter::Query { parameter_data, .. }
        | Parameter::Header { parameter_data, .. }
        | Parameter::Path { parameter_data, .. }
        | Parameter::Cookie { parameter_data, .. } => parameter_data,
    };
    match &mut data.format {
        ParameterSchemaOrContent::Schema(schema) => Some((&data.name, schema)),
        ParameterSchemaOrContent::Content(_) => None,
    }
}
