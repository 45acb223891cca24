//! What `openapi.yaml` says, in the words that the rest of the build needs.

use std::collections::BTreeSet;

use heck::{ToPascalCase, ToSnakeCase};
use openapiv3::{
    MediaType, ObjectType, OpenAPI, Parameter as Described, ParameterSchemaOrContent, QueryStyle,
    ReferenceOr, RequestBody, Response, Schema, StatusCode,
};
use proc_macro2::Ident;
use quote::format_ident;

use crate::{
    listing::Listing,
    repeats::Repeats,
    schema::{array, is_time, named, object},
};

/// A sentence for whoever wrote the description.
pub(crate) type Refusal = String;

pub(crate) struct Description {
    pub spec: OpenAPI,
    pub operations: Vec<Operation>,
    /// Named schemas that a request body is made of.
    pub requests: BTreeSet<String>,
}

pub(crate) struct Operation {
    pub id: String,
    pub variant: Ident,
    pub function: Ident,
    pub method: String,
    pub path: String,
    pub scopes: Vec<String>,
    pub parameters: Vec<Parameter>,
    pub body: Option<String>,
    pub status: u16,
    pub answer: String,
    pub listing: Option<Listing>,
    pub repeats: Vec<Repeats>,
}

pub(crate) struct Parameter {
    pub name: String,
    pub field: Ident,
    pub required: bool,
    pub in_path: bool,
    pub description: Option<String>,
    pub schema: Schema,
    pub not_with_cursor: bool,
}

/// What builders have beside their setters.
const TAKEN: &[&str] = &["body", "client", "items", "new", "options", "pages", "send"];
impl Description {
    pub(crate) fn read(document: serde_json::Value) -> Result<Self, Refusal> {
        let mut spec: OpenAPI = serde_json::from_value(document).map_err(|e| e.to_string())?;
        crate::inline_schemas::name_inline_schemas(&mut spec)?;
        for name in spec.components.iter().flat_map(|components| components.schemas.keys()) {
            if *name != name.to_pascal_case() {
                return Err(format!("schema `{name}` is not named in PascalCase"));
            }
        }
        let mut description = Self { spec, operations: Vec::new(), requests: BTreeSet::new() };

        let mut operations = Vec::new();
        for (path, item) in &description.spec.paths.paths {
            let item = item
                .as_item()
                .ok_or_else(|| format!("{path} is a reference, which isn't served"))?;
            for (method, operation) in item.iter() {
                let shared = &item.parameters;
                operations.push(description.operation(path, method, operation, shared)?);
            }
        }
        let bodies: Vec<String> = operations.iter().filter_map(|o| o.body.clone()).collect();
        for body in bodies {
            description.reach(&body)?;
        }
        description.operations = operations;
        Ok(description)
    }

    pub(crate) fn schemas(&self) -> impl Iterator<Item = (&String, &Schema)> {
        let schemas = self.spec.components.iter().flat_map(|components| &components.schemas);
        schemas.filter_map(|(name, schema)| Some((name, schema.as_item()?)))
    }

    pub(crate) fn schema(&self, name: &str) -> Result<&Schema, Refusal> {
        self.schemas()
            .find_map(|(known, schema)| (known == name).then_some(schema))
            .ok_or_else(|| format!("there is no schema `{name}` under components.schemas"))
    }

    pub(crate) fn object(&self, name: &str) -> Result<&ObjectType, Refusal> {
        object(self.schema(name)?).ok_or_else(|| format!("schema `{name}` is not an object"))
    }

    pub(crate) fn resolve<'a>(
        &'a self,
        schema: &'a ReferenceOr<Schema>,
    ) -> Result<&'a Schema, Refusal> {
        match schema {
            ReferenceOr::Item(schema) => Ok(schema),
            ReferenceOr::Reference { reference } => self.schema(&named(reference, "schemas")?),
        }
    }

    pub(crate) fn resolve_box(&self, schema: &ReferenceOr<Box<Schema>>) -> Result<Schema, Refusal> {
        self.resolve(&schema.clone().unbox()).cloned()
    }

    /// The name of an object that is referred to.
    pub(crate) fn object_named(
        &self,
        slot: Option<&ReferenceOr<Box<Schema>>>,
    ) -> Result<Option<String>, Refusal> {
        let Some(ReferenceOr::Reference { reference }) = slot else { return Ok(None) };
        let name = named(reference, "schemas")?;
        Ok(object(self.schema(&name)?).map(|_| name))
    }

    /// The schema of a property, and whether it is required.
    pub(crate) fn property(
        &self,
        object: &str,
        name: &str,
    ) -> Result<Option<(Schema, bool)>, Refusal> {
        let object = self.object(object)?;
        let Some(property) = object.properties.get(name) else { return Ok(None) };
        Ok(Some((self.resolve_box(property)?, object.required.iter().any(|r| r == name))))
    }

    fn operation(
        &self,
        path: &str,
        method: &str,
        operation: &openapiv3::Operation,
        shared: &[ReferenceOr<Described>],
    ) -> Result<Operation, Refusal> {
        let place = format!("{} {path}", method.to_uppercase());
        let id =
            operation.operation_id.clone().ok_or_else(|| format!("{place} has no operationId"))?;
        let of = |refusal: String| format!("{id}: {refusal}");

        let mut parameters: Vec<Parameter> = Vec::new();
        for parameter in operation.parameters.iter().chain(shared) {
            let parameter = self.parameter(parameter).map_err(of)?;
            if !parameters.iter().any(|own| own.name == parameter.name) {
                parameters.push(parameter);
            }
        }
        let body = operation.request_body.as_ref().map(|body| self.body(body)).transpose();
        let body = body.map_err(of)?;
        let (status, answer) = self.answer(operation).map_err(of)?;

        Ok(Operation {
            variant: format_ident!("{}", id.to_pascal_case()),
            function: ident(&id),
            method: method.to_uppercase(),
            path: path.to_owned(),
            scopes: self.scopes(operation).map_err(of)?,
            listing: self.listing(&parameters, &answer).map_err(of)?,
            repeats: Repeats::of(self, body.as_deref(), &answer).map_err(of)?,
            parameters,
            body,
            status,
            answer,
            id,
        })
    }

    fn scopes(&self, operation: &openapiv3::Operation) -> Result<Vec<String>, Refusal> {
        let required = operation.security.as_ref().or(self.spec.security.as_ref());
        match required.map(Vec::as_slice) {
            Some([requirement]) if requirement.values().any(|scopes| !scopes.is_empty()) => {
                Ok(requirement.values().flatten().cloned().collect())
            }
            Some([_, _, ..]) => Err("has several security requirements, of which only one could \
                                     be met"
                .into()),
            _ => Err("names no OAuth scope under `security`".into()),
        }
    }

    fn parameter(&self, described: &ReferenceOr<Described>) -> Result<Parameter, Refusal> {
        let described = match described {
            ReferenceOr::Item(described) => described,
            ReferenceOr::Reference { reference } => {
                let name = named(reference, "parameters")?;
                let components = self.spec.components.as_ref();
                components.and_then(|c| c.parameters.get(&name)?.as_item()).ok_or_else(|| {
                    format!("there is no parameter `{name}` under components.parameters")
                })?
            }
        };
        let data = described.parameter_data_ref();
        let name = &data.name;
        let ParameterSchemaOrContent::Schema(schema) = &data.format else {
            return Err(format!("parameter `{name}` is described by `content`, not by `schema`"));
        };
        let schema = self.resolve(schema)?.clone();
        if TAKEN.contains(&ident(name).to_string().as_str()) {
            return Err(format!("parameter `{name}` is called like a method of every builder"));
        }
        if object(&schema).is_some() {
            return Err(format!("parameter `{name}` is an object"));
        }
        let in_path = match described {
            Described::Path { .. } if array(&schema).is_some() || is_time(&schema) => {
                return Err(format!("parameter `{name}` of the path is an array or a time"));
            }
            Described::Path { .. } => true,
            Described::Query { style: QueryStyle::Form, .. }
                if data.explode != Some(false) || array(&schema).is_none() =>
            {
                false
            }
            Described::Query { .. } => {
                return Err(format!("parameter `{name}` is not in `style: form, explode: true`"));
            }
            Described::Header { .. } | Described::Cookie { .. } => {
                return Err(format!("parameter `{name}` is neither in the path nor in the query"));
            }
        };
        Ok(Parameter {
            field: ident(name),
            required: data.required,
            in_path,
            description: data.description.clone(),
            schema,
            not_with_cursor: match data.extensions.get("x-not-with-page-cursor") {
                None => false,
                Some(serde_json::Value::Bool(excluded)) => *excluded,
                Some(_) => return Err(format!("x-not-with-page-cursor of `{name}` is no boolean")),
            },
            name: name.clone(),
        })
    }

    fn body(&self, body: &ReferenceOr<RequestBody>) -> Result<String, Refusal> {
        let body = match body {
            ReferenceOr::Item(body) => body,
            ReferenceOr::Reference { reference } => {
                let name = named(reference, "requestBodies")?;
                let components = self.spec.components.as_ref();
                components
                    .and_then(|c| c.request_bodies.get(&name)?.as_item())
                    .ok_or_else(|| format!("there is no request body `{name}`"))?
            }
        };
        match body.content.first() {
            Some((kind, media)) if kind == "application/json" && body.content.len() == 1 => {
                self.media(media, "request body")
            }
            _ => Err("has a request body that is not application/json alone".into()),
        }
    }

    /// The one success status and the name of what it carries.
    fn answer(&self, operation: &openapiv3::Operation) -> Result<(u16, String), Refusal> {
        let mut successes =
            operation.responses.responses.iter().filter_map(|(status, response)| match status {
                StatusCode::Code(code) if (200..300).contains(code) => Some((*code, response)),
                _ => None,
            });
        let (Some((status, response)), None) = (successes.next(), successes.next()) else {
            return Err("does not declare exactly one success status".into());
        };
        let content = match response {
            ReferenceOr::Item(Response { content, .. }) => content,
            ReferenceOr::Reference { reference } => {
                let name = named(reference, "responses")?;
                let components = self.spec.components.as_ref();
                let response = components.and_then(|c| c.responses.get(&name)?.as_item());
                &response.ok_or_else(|| format!("there is no response `{name}`"))?.content
            }
        };
        let media = content
            .get("application/json")
            .ok_or_else(|| format!("declares no application/json for status {status}"))?;
        Ok((status, self.media(media, "response")?))
    }

    fn media(&self, media: &MediaType, what: &str) -> Result<String, Refusal> {
        let Some(ReferenceOr::Reference { reference }) = &media.schema else {
            return Err(format!("its {what} is not an object"));
        };
        let name = named(reference, "schemas")?;
        self.object(&name)?;
        Ok(name)
    }

    /// Notes a schema, and what it is made of, as part of a request.
    fn reach(&mut self, name: &str) -> Result<(), Refusal> {
        if !self.requests.insert(name.to_owned()) {
            return Ok(());
        }
        let Some(object) = object(self.schema(name)?) else { return Ok(()) };
        let mut parts = Vec::new();
        for property in object.properties.values() {
            match property {
                ReferenceOr::Reference { reference } => parts.push(named(reference, "schemas")?),
                ReferenceOr::Item(schema) => {
                    let items = array(schema).and_then(|array| array.items.clone());
                    if let Some(ReferenceOr::Reference { reference }) = items {
                        parts.push(named(&reference, "schemas")?);
                    }
                }
            }
        }
        parts.iter().try_for_each(|part| self.reach(part))
    }
}

/// The field that progenitor gives to a name of the wire.
pub(crate) fn ident(name: &str) -> Ident {
    let snake = name.to_snake_case();
    syn::parse_str(&snake).unwrap_or_else(|_| format_ident!("{snake}_"))
}
