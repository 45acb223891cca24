//! What the plain description says, in the words that the rest of the build needs.

use std::{collections::BTreeSet, ops::Deref};

use heck::ToPascalCase;
use openapiv3::{OpenAPI, ReferenceOr, Schema, SchemaKind, StatusCode};
use proc_macro2::Ident;
use quote::format_ident;
use serde_json::Value;

use crate::{
    model::{
        listing::Listing,
        normalize::Normalized,
        parameter::{Parameter, Place, rust_name},
        schemas::{Schemas, Side},
    },
    read::Unsupported,
};

/// How deep types may be nested. From 126 on, rustc's default `recursion_limit` is too low.
const DEEPEST: usize = 125;

pub(crate) struct Description {
    pub schemas: Schemas,
    pub operations: Vec<Operation>,
    /// Named schemas that a request is made of.
    pub requests: BTreeSet<String>,
}

pub(crate) struct Operation {
    pub id: String,
    pub variant: Ident,
    pub function: Ident,
    pub summary: Option<String>,
    pub description: Option<String>,
    pub deprecated: bool,
    pub method: String,
    pub path: String,
    pub needs_token: bool,
    pub scopes: Vec<String>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Body>,
    /// Of a success.
    pub statuses: Vec<StatusCode>,
    /// The media types of the answer.
    pub accepted: Vec<String>,
    /// `None` if the answer is empty.
    pub answer: Option<ReferenceOr<Schema>>,
    /// Whether some successes are empty, and others aren't.
    pub may_be_empty: bool,
    pub listing: Option<Listing>,
}

pub(crate) struct Body {
    pub media_type: String,
    pub schema: ReferenceOr<Schema>,
    pub required: bool,
    pub example: Option<Value>,
}

/// Whoever has a description can ask it for its schemas.
impl Deref for Description {
    type Target = Schemas;

    fn deref(&self) -> &Schemas {
        &self.schemas
    }
}

impl Description {
    /// The description, or everything in it that is refused.
    pub(crate) fn of(normalized: Normalized) -> Result<Self, Vec<Unsupported>> {
        let one = |refusal: Unsupported| vec![refusal];
        let spec: OpenAPI =
            serde_json::from_value(normalized.document).map_err(|error| one(error.to_string()))?;
        let mut refusals = Vec::new();
        let mut description = Self {
            schemas: Schemas { spec, fields: normalized.fields },
            operations: Vec::new(),
            requests: BTreeSet::new(),
        };
        let mut operations = Vec::new();
        for (path, item) in &description.spec.paths.paths {
            for (method, operation) in
                item.as_item().into_iter().flat_map(openapiv3::PathItem::iter)
            {
                let id = operation.operation_id.clone().unwrap_or_default();
                match description.operation(path, method, operation) {
                    Ok(operation) => operations.push(operation),
                    Err(refusal) => refusals.push(format!("{id} → {refusal}")),
                }
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        description.operations = operations;
        description.reached().map_err(one)?;
        Ok(description)
    }

    /// Whether it uses every part of the crate. A small one may have no listing, for example.
    pub(crate) fn uses_all_parts(&self) -> bool {
        let any = |part: &dyn Fn(&Operation) -> bool| self.operations.iter().any(part);
        let listing = |part: fn(&Listing) -> bool| {
            any(&|operation| operation.listing.as_ref().is_some_and(part))
        };
        listing(|listing| listing.has_windows)
            && listing(|listing| listing.is_split)
            && any(&|operation| operation.body.is_some())
            && any(&|operation| operation.needs_token)
            && any(&|operation| operation.parameters.iter().any(|p| p.place == Place::Path))
    }

    fn operation(
        &self,
        path: &str,
        method: &str,
        operation: &openapiv3::Operation,
    ) -> Result<Operation, Unsupported> {
        let name = rust_name(operation.extensions.get("x-rust-name"))?;
        let parameters: Vec<Parameter> = operation
            .parameters
            .iter()
            .filter_map(ReferenceOr::as_item)
            .map(|parameter| self.parameter(parameter))
            .collect::<Result<_, _>>()?;
        let body = operation.request_body.as_ref().and_then(ReferenceOr::as_item).map(|body| {
            let (media_type, media) = body.content.first()?;
            let (schema, example) = (media.schema.clone()?, media.example.clone());
            let media_type = media_type.clone();
            Some(Body { media_type, schema, required: body.required, example })
        });
        let (statuses, responses): (Vec<_>, Vec<_>) =
            operation.responses.responses.clone().into_iter().unzip();
        let answers = responses.iter().map(|response| response.as_item()?.content.first());
        let mut accepted: Vec<String> = Vec::new();
        for (kind, _) in answers.clone().flatten() {
            if !accepted.contains(kind) {
                accepted.push(kind.clone());
            }
        }
        let answer = answers.clone().flatten().find_map(|(_, media)| media.schema.clone());
        let may_be_empty = answer.is_some() && answers.clone().any(|media| media.is_none());
        let required = operation.security.as_deref().unwrap_or_default();
        let body = body.flatten();
        let sides = [
            ("requestBody", body.as_ref().map(|body| &body.schema)),
            ("responses", answer.as_ref()),
        ];
        for (side, slot) in sides {
            if slot.map_or(Ok(0), |slot| self.depth(slot))? > DEEPEST {
                return Err(format!(
                    "{side}: schemas are nested more than {DEEPEST} deep, which Rust can't compile"
                ));
            }
        }
        let record = |slot: Option<&ReferenceOr<Schema>>| match slot {
            Some(slot) => self.record(slot),
            None => Ok(None),
        };
        let whole = answer.as_ref().map(not_null);
        let answered = record(whole)?;
        let listing = self.listing(&parameters, answered.as_deref())?;
        if listing.is_some() && (may_be_empty || whole != answer.as_ref()) {
            return Err("responses: a listing's answer can't be empty or null".into());
        }

        Ok(Operation {
            id: operation.operation_id.clone().unwrap_or_default(),
            variant: format_ident!("{}", name.to_pascal_case()),
            function: format_ident!("{name}"),
            summary: operation.summary.clone(),
            description: operation.description.clone(),
            deprecated: operation.deprecated,
            method: method.to_uppercase(),
            path: path.to_owned(),
            needs_token: !required.is_empty(),
            scopes: required.iter().flat_map(|r| r.values()).flatten().cloned().collect(),
            listing,
            parameters,
            body,
            statuses,
            accepted,
            answer,
            may_be_empty,
        })
    }

    /// Notes what requests are made of.
    fn reached(&mut self) -> Result<(), Unsupported> {
        let (mut sent, mut others) = (BTreeSet::new(), BTreeSet::new());
        for operation in &self.operations {
            if let Some(body) = &operation.body {
                self.reach(&body.schema, true, &mut sent)?;
            }
            for parameter in &operation.parameters {
                self.reach(&parameter.slot, true, &mut sent)?;
            }
            if let Some(answer) = &operation.answer {
                self.reach(answer, false, &mut others)?;
            }
        }
        let is_used = |name: &String| sent.contains(name) || others.contains(name);
        if let Some(components) = &mut self.schemas.spec.components {
            components.schemas.retain(|name, _| is_used(name));
        }
        self.schemas.fields.retain(|name, _| is_used(name));
        self.schemas.leave_out_read_only(sent.difference(&others));
        self.schemas.require(Side::Client, sent.difference(&others));
        self.schemas.require(Side::Service, others.difference(&sent));
        self.requests = sent;
        Ok(())
    }
}

/// The record of an answer that may be null.
pub(crate) fn not_null(answer: &ReferenceOr<Schema>) -> &ReferenceOr<Schema> {
    match answer.as_item().map(|schema| &schema.schema_kind) {
        Some(SchemaKind::AllOf { all_of }) => all_of.first().unwrap_or(answer),
        _ => answer,
    }
}
