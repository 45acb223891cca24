//! Operations, with everything that they refer to.

use heck::ToPascalCase;
use serde_json::{Map, Value, json};

use super::{Normalizer, schema::words};
use crate::{
    model::{
        docs,
        names::{Named, Names},
        resolved::resolved,
    },
    read::{
        Unsupported,
        audit::{JSON, is_same, json, media_type},
        reference::{self, Section},
    },
};

const METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];

impl<'a> Normalizer<'a> {
    pub(super) fn paths(&mut self) -> Result<Value, Unsupported> {
        let mut functions = Names::default();
        let mut plain = Map::new();
        let paths = self.document.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            let mut methods = Map::new();
            for (method, operation) in item.as_object().into_iter().flatten() {
                if !METHODS.contains(&method.as_str()) {
                    continue;
                }
                let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
                let name = functions.give(Named::Operation, id);
                let operation = self
                    .operation(item, operation, &name)
                    .map_err(|refusal| format!("{id} → schemas: {refusal}"))?;
                methods.insert(method.clone(), operation);
            }
            if !methods.is_empty() {
                plain.insert(path.clone(), methods.into());
            }
        }
        Ok(plain.into())
    }

    fn operation(
        &mut self,
        item: &'a Value,
        operation: &'a Value,
        name: &str,
    ) -> Result<Value, Unsupported> {
        let type_name = name.to_pascal_case();
        let mut plain = Map::new();
        for keyword in ["operationId", "deprecated"] {
            if let Some(value) = operation.get(keyword) {
                plain.insert(keyword.into(), value.clone());
            }
        }
        for keyword in ["summary", "description"] {
            if let Some(text) = operation.get(keyword).and_then(Value::as_str) {
                plain.insert(keyword.into(), docs::doc(text).into());
            }
        }
        plain.insert("x-rust-name".into(), name.into());
        plain.insert("security".into(), self.security(operation));
        let parameters = self.parameters(item, operation, &type_name)?;
        plain.insert("parameters".into(), parameters.into());
        if let Some(body) = operation.get("requestBody") {
            let body = self.resolved(Section::RequestBodies, body)?;
            let (kind, content) = match json(body.get("content")) {
                Ok(Some((kind, media))) => {
                    let schema = self.media(media, &format!("{type_name}Body"))?;
                    (kind, json!({ "schema": schema, "example": example(media) }))
                }
                _ => (JSON, json!({ "schema": {} })),
            };
            let required = body.get("required").and_then(Value::as_bool).unwrap_or_default();
            let content = json!({ media_type(kind).unwrap_or(JSON): content });
            plain.insert("requestBody".into(), json!({ "required": required, "content": content }));
        }
        // Every success with a body has the same schema.
        let mut answered = None;
        let mut responses = Map::new();
        for (status, response) in
            operation.get("responses").and_then(Value::as_object).into_iter().flatten()
        {
            if !status.starts_with('2') {
                continue;
            }
            let response = self.resolved(Section::Responses, response)?;
            let mut answer = Map::from_iter([("description".into(), "".into())]);
            if let Ok(Some((kind, media))) = json(response.get("content")) {
                let schema = match answered.take() {
                    Some(schema) => schema,
                    None => self.answer(media, &format!("{type_name}Response"))?,
                };
                let content = json!({ media_type(kind).unwrap_or(JSON): { "schema": schema } });
                answer.insert("content".into(), content);
                answered = Some(schema);
            }
            responses.insert(status.to_uppercase(), answer.into());
        }
        plain.insert("responses".into(), responses.into());
        Ok(plain.into())
    }

    fn media(&mut self, media: &'a Value, called: &str) -> Result<Value, Unsupported> {
        match media.get("schema") {
            Some(schema) => self.schema(schema, called),
            None => Ok(json!({})),
        }
    }

    fn answer(&mut self, media: &'a Value, called: &str) -> Result<Value, Unsupported> {
        match media.get("schema") {
            Some(schema) => self.entry(schema, called),
            None => Ok(json!({})),
        }
    }

    fn parameters(
        &mut self,
        item: &'a Value,
        operation: &'a Value,
        type_name: &str,
    ) -> Result<Vec<Value>, Unsupported> {
        let mut setters = Names::default();
        let mut seen = Vec::new();
        let mut plain = Vec::new();
        for list in [operation.get("parameters"), item.get("parameters")] {
            for parameter in list.and_then(Value::as_array).into_iter().flatten() {
                let of = if parameter.get("$ref").is_some() { "" } else { type_name };
                let parameter = self.resolved(Section::Parameters, parameter)?;
                let text =
                    |keyword| parameter.get(keyword).and_then(Value::as_str).unwrap_or_default();
                let (place, name) = (text("in"), text("name"));
                let ignored = place == "header"
                    && matches!(&*name.to_lowercase(), "accept" | "content-type" | "authorization");
                if seen.iter().any(|known| is_same(*known, (place, name))) || ignored {
                    continue;
                }
                seen.push((place, name));
                let mut made = parameter.as_object().cloned().unwrap_or_default();
                made.retain(|keyword, _| {
                    !matches!(keyword.as_str(), "examples" | "style" | "explode" | "allowReserved")
                });
                made.insert("x-separator".into(), separator(parameter).into());
                made.insert("example".into(), json!(example(parameter)));
                let schema = parameter.get("schema").unwrap_or(&Value::Null);
                let said = resolved(self.document, schema)?;
                let entry = said.get("items").map(|items| resolved(self.document, items));
                let entry = entry.transpose()?.unwrap_or_else(|| said.clone());
                let words = words(&entry, parameter.get("description"));
                made.insert("description".into(), words.into());
                made.insert("x-default".into(), said.get("default").cloned().into());
                let schema = self
                    .schema(schema, &format!("{of}{}", name.to_pascal_case()))
                    .map_err(|refusal| format!("{place} {name}: {refusal}"))?;
                made.insert("schema".into(), schema);
                made.insert("x-rust-name".into(), setters.give(Named::Setter, name).into());
                plain.push(made.into());
            }
        }
        Ok(plain)
    }

    /// The security alternative that a token is requested for: the first that names a scope.
    fn security(&self, operation: &Value) -> Value {
        let required = operation.get("security").or_else(|| self.document.get("security"));
        let alternatives =
            required.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let served: Vec<Vec<Value>> = alternatives
            .iter()
            .filter_map(Value::as_object)
            .filter(|schemes| schemes.keys().all(|scheme| self.has_client_credentials(scheme)))
            .map(|schemes| {
                schemes.values().filter_map(Value::as_array).flatten().cloned().collect()
            })
            .collect();
        let no_token = alternatives.is_empty()
            || alternatives.iter().any(|a| a.as_object().is_some_and(Map::is_empty));
        match served.into_iter().find(|scopes| !scopes.is_empty()) {
            Some(scopes) => json!([{ "oauth2": scopes }]),
            None if no_token => json!([]),
            None => json!([{ "oauth2": [] }]),
        }
    }

    fn has_client_credentials(&self, scheme: &str) -> bool {
        let schemes = self.document.get("components").and_then(|c| c.get("securitySchemes"));
        let scheme = schemes.and_then(|schemes| schemes.get(scheme));
        scheme.is_some_and(|scheme| scheme.pointer("/flows/clientCredentials").is_some())
    }

    fn resolved(&self, section: Section, value: &'a Value) -> Result<&'a Value, Unsupported> {
        if value.get("$ref").is_none() {
            return Ok(value);
        }
        reference::resolve(self.document, section, value).map(|(_, target)| target)
    }
}

/// What separates the entries of an array in a query, unless each is a pair of its own.
fn separator(parameter: &Value) -> Option<&'static str> {
    match parameter.get("style").and_then(Value::as_str) {
        Some("pipeDelimited") => Some("|"),
        Some("spaceDelimited") => Some(" "),
        _ => (parameter.get("explode") == Some(&Value::Bool(false))).then_some(","),
    }
}

/// The only example, or the first of several.
fn example(of: &Value) -> Option<&Value> {
    let several = || of.get("examples")?.as_object()?.values().find_map(|one| one.get("value"));
    of.get("example").or_else(several)
}
