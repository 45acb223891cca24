//! Converts operations, with their parameters, bodies and responses.

use std::collections::BTreeSet;

use heck::{ToPascalCase, ToShoutySnakeCase};
use serde_json::Value;

use super::{Normalizer, errors::Errors, named_parameters::Parts, rules::Paging};
use crate::{
    document::{
        Declared, JSON, Message, OperationKey, Statements, Step, Unsupported, declared, is_ignored,
        json, reference, resolved,
        security::{self, Alternative},
    },
    model::{
        ApiKey, Body, Named, Names, Operation, Parameter, ParameterIn, Responses, Security, Token,
    },
};

/// The maximum nesting depth of types. Deeper types would exceed rustc's default `recursion_limit`.
const MAX_TYPE_DEPTH: usize = 125;

impl<'a> Normalizer<'a> {
    /// Adds the supported operations to the model. The audit has already rejected all other
    /// operations.
    pub(super) fn operations(
        &mut self,
        supported: &BTreeSet<OperationKey<'_>>,
    ) -> Result<(), Vec<Message>> {
        let mut functions = Names::default();
        let mut errors = Vec::new();
        let mut paging = Paging::of(self.document);
        for (path, item) in self.document.object("paths") {
            for (method, operation) in item.as_object().into_iter().flatten() {
                if !supported.contains(&(path.as_str(), method.as_str())) {
                    continue;
                }
                let id = operation.text("operationId").unwrap_or_default();
                let function = functions.give(Named::Operation, id);
                let (path, method) = (path.clone(), method.clone());
                let step = Step::Operation { path, method, name: id.to_owned() };
                match self.operation(item, &step, operation, &function, &mut paging) {
                    Ok(operation) => self.description.operations.push(operation),
                    Err(of_it) => errors.extend(of_it),
                }
            }
        }
        self.description.warnings = paging.warnings();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn operation(
        &mut self,
        item: &'a Value,
        step: &Step,
        operation: &'a Value,
        function: &str,
        paging: &mut Paging<'_>,
    ) -> Result<Operation, Vec<Message>> {
        let called = function.to_pascal_case();
        let mut errors = Errors::default();
        let parameters = self.parameters(item, operation, &called, &mut errors);
        let body = operation.get("requestBody").map(|body| self.body(body, &called));
        let body = errors.keep(body.transpose().map_err(of_schemas)).flatten();
        let responses = errors.keep(self.responses(operation, &called).map_err(of_schemas));
        let sides = [
            ("requestBody", body.as_ref().map(|body| &body.schema)),
            ("responses", responses.as_ref().and_then(|responses| responses.schema.as_ref())),
        ];
        for (side, schema) in sides {
            if schema.is_some_and(|schema| self.description.depth(schema) > MAX_TYPE_DEPTH) {
                let reason = format!(
                    "schemas are nested more than {MAX_TYPE_DEPTH} levels deep, which Rust can't \
                     compile"
                );
                errors.add(Message::new(vec![side.into()], reason));
            }
        }
        let listing = parameters.as_deref().zip(responses.as_ref());
        let listing = listing.and_then(|(parameters, responses)| {
            let parts = Parts { parameters, body: body.as_ref(), responses };
            let own = operation.get("x-pagination");
            let found = paging.listing(&self.description, step, own, parts);
            found.map_err(|found| found.into_iter().for_each(|error| errors.add(error))).ok()?
        });
        if let Some(listing) = &listing {
            self.description.make_cursor_optional(listing);
        }
        let security = self.security(operation);
        let text = |keyword| operation.text(keyword).map(|text| text.trim_end().to_owned());
        let Step::Operation { path, method, name: id } = step else { return Err(Vec::new()) };
        let made = Operation {
            id: id.clone(),
            variant: called,
            function: function.to_owned(),
            constant: function.to_shouty_snake_case(),
            summary: text("summary"),
            description: text("description"),
            deprecated: operation.is_true("deprecated"),
            idempotent: operation.is_true("x-idempotent"),
            method: method.to_uppercase(),
            path: path.clone(),
            security,
            parameters: parameters.unwrap_or_default(),
            body,
            responses: responses.unwrap_or_default(),
            listing,
        };
        errors.or(made, step)
    }

    fn body(&mut self, body: &'a Value, called: &str) -> Result<Body, Unsupported> {
        let body = reference::target(self.document, "requestBodies", body)?;
        let json = json(body.get("content"))?;
        let (_, media_type, media) = json.unwrap_or((JSON, JSON, &Value::Null));
        let schema = media.get("schema").unwrap_or(&Value::Null);
        let keywords = resolved(self.document, schema)?;
        let schema = self.schema(schema, &format!("{called}Body"))?;
        Ok(Body {
            media_type: media_type.to_owned(),
            description: self.docs(&schema, &keywords, body),
            schema,
            required: body.is_true("required"),
            example: self.example(media).cloned(),
        })
    }

    /// Converts the successful responses of an operation. The audit has checked that all responses
    /// with a body have the same schema.
    fn responses(&mut self, operation: &'a Value, called: &str) -> Result<Responses, Unsupported> {
        let mut responses = Responses::default();
        let mut is_empty = false;
        for (status, response) in operation.object("responses") {
            if !status.starts_with('2') {
                continue;
            }
            responses.statuses.push(status.parse().map_or((200, 299), |status| (status, status)));
            let response = reference::target(self.document, "responses", response)?;
            let Some((_, kind, media)) = json(response.get("content"))? else {
                is_empty = true;
                continue;
            };
            if responses.media_types.iter().all(|known| known != kind) {
                responses.media_types.push(kind.to_owned());
            }
            if responses.schema.is_none() {
                let schema = self.entry(media.get("schema"), &format!("{called}Response"))?;
                responses.schema = Some(schema);
            }
        }
        responses.may_be_empty = is_empty && responses.schema.is_some();
        Ok(responses)
    }

    /// Converts the parameters of an operation. If a parameter has an error, adds the error to
    /// `errors` and returns `None`.
    fn parameters(
        &mut self,
        item: &'a Value,
        operation: &'a Value,
        called: &str,
        errors: &mut Errors,
    ) -> Option<Vec<Parameter>> {
        let mut setters = Names::default();
        let mut parameters = Vec::new();
        let (declared, _) = declared(self.document, item, operation);
        for Declared { location, name, written, target } in declared {
            if location == "header" && is_ignored(name) {
                continue;
            }
            let called = if written.get("$ref").is_some() { "" } else { called };
            let setter = setters.give(Named::Setter, name);
            let parameter = self.parameter(target, (location, name), called, &setter);
            let rejected = |error| of_schemas(format!("{location} {name}: {error}"));
            parameters.push(errors.keep(parameter.map_err(rejected)));
        }
        parameters.into_iter().collect()
    }

    fn parameter(
        &mut self,
        described: &Value,
        (location, name): (&str, &str),
        called: &str,
        setter: &str,
    ) -> Result<Parameter, Unsupported> {
        let schema = described.get("schema").unwrap_or(&Value::Null);
        let keywords = resolved(self.document, schema)?;
        let schema = self.schema(schema, &format!("{called}{}", name.to_pascal_case()))?;
        Ok(Parameter {
            name: name.to_owned(),
            setter: setter.to_owned(),
            location: match location {
                "path" => ParameterIn::Path,
                "query" => ParameterIn::Query,
                _ => ParameterIn::Header,
            },
            required: described.is_true("required"),
            deprecated: described.is_true("deprecated") || keywords.is_true("deprecated"),
            description: self.docs(&schema, &keywords, described),
            example: self.example(described).cloned(),
            default: keywords.get("default").filter(|default| !default.is_null()).cloned(),
            separator: separator(described),
            schema,
        })
    }

    /// Returns the `example` of a parameter or of a media type, or else the first of its
    /// `examples`.
    fn example<'b>(&'b self, of: &'b Value) -> Option<&'b Value> {
        let value = |one| reference::target(self.document, "examples", one).ok()?.get("value");
        of.get("example").or_else(|| of.object("examples").find_map(|(_, one)| value(one)))
    }

    /// Returns how the requests of an operation are authenticated.
    ///
    /// The scopes of the token come from the first alternative in `security` that names a scope.
    fn security(&self, operation: &'a Value) -> Security {
        let is_own = operation.get("security").is_some();
        let stated = if is_own { operation } else { self.document }.list("security");
        let stated = stated.iter().filter_map(Value::as_object);
        let supported = stated.filter_map(|it| security::alternative(self.document, it).ok());
        let supported: Vec<Alternative<'_>> = supported.collect();
        let with_token: Vec<_> = supported.iter().filter_map(|it| it.scopes.as_ref()).collect();
        let token = match with_token.len() {
            0 => Token::Never,
            count if count == supported.len() => Token::Always,
            _ => Token::IfAny,
        };
        let scopes = with_token.into_iter().find(|scopes| !scopes.is_empty());
        let scopes = scopes.into_iter().flatten().map(|scope| (*scope).to_owned()).collect();
        let headers: BTreeSet<_> = supported.iter().flat_map(|it| &it.api_keys).collect();
        let api_keys = headers.into_iter().map(|header| ApiKey {
            header: (*header).to_owned(),
            required: supported.iter().all(|it| it.api_keys.contains(header)),
        });
        Security { token, scopes, api_keys: api_keys.collect() }
    }
}

/// Returns the message about an error in a schema of an operation.
fn of_schemas(reason: Unsupported) -> Message {
    Message::new(vec!["schemas".into()], reason)
}

/// Returns the separator between the entries of an array in a query, or `None` if each entry is
/// sent as a separate parameter.
fn separator(parameter: &Value) -> Option<char> {
    match parameter.text("style") {
        Some("pipeDelimited") => Some('|'),
        Some("spaceDelimited") => Some(' '),
        _ => (parameter.get("explode") == Some(&Value::Bool(false))).then_some(','),
    }
}
