//! The operations of an OpenAPI description.

use digital_assets::OPENAPI_YAML;
use serde_json::Value;

pub(crate) struct Description(Value);

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) scope: String,
    pub(crate) parameters: Vec<Value>,
    pub(crate) is_listing: bool,
    cursor: Option<String>,
    statement: Value,
}

/// Returns the crate's own OpenAPI description.
pub(crate) fn published() -> Description {
    Description::of(OPENAPI_YAML)
}

impl Description {
    pub(crate) fn of(yaml: &str) -> Self {
        Self(serde_saphyr::from_str(yaml).unwrap())
    }

    pub(crate) fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, item) in self.0["paths"].as_object().unwrap() {
            for (method, statement) in item.as_object().unwrap() {
                let parameters = statement["parameters"].as_array().into_iter().flatten();
                let parameters: Vec<_> = parameters.map(|it| self.resolved(it).clone()).collect();
                let scope = &statement["security"][0]["oauth2"][0];
                let pagination = self.pagination(statement, &parameters);
                operations.push(Operation {
                    id: statement["operationId"].as_str().unwrap().to_owned(),
                    method: method.to_uppercase(),
                    path: path.clone(),
                    scope: scope.as_str().unwrap_or_default().to_owned(),
                    parameters,
                    is_listing: pagination.is_object(),
                    cursor: pagination["cursor"].as_str().map(str::to_owned),
                    statement: statement.clone(),
                });
            }
        }
        operations
    }

    /// Returns the `x-pagination` that applies to an operation: its own, or else the first rule at the
    /// top level of the description whose names the operation has. Returns null if there is none.
    fn pagination(&self, statement: &Value, parameters: &[Value]) -> Value {
        if let Some(own) = statement.get("x-pagination") {
            return own.clone();
        }
        let schema = statement.pointer("/responses/200/content/application~1json/schema");
        let applies = |rule: &&Value| {
            let next = rule["next"].as_str().unwrap().trim_start_matches('/');
            parameters.iter().any(|parameter| parameter["name"] == rule["cursor"])
                && schema.is_some_and(|it| self.resolved(it)["properties"].get(next).is_some())
        };
        let mut rules = self.0["x-pagination"].as_array().into_iter().flatten();
        rules.find(applies).cloned().unwrap_or_default()
    }

    /// Returns the target of the node's `$ref`, or the node itself if it has none.
    pub(crate) fn resolved<'a>(&'a self, node: &'a Value) -> &'a Value {
        match node["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.trim_start_matches('#')).unwrap(),
            None => node,
        }
    }
}

impl Operation {
    /// Returns the name of the client's method: `list_things` for `listThings`.
    pub(crate) fn name(&self) -> String {
        let snake =
            |c: char| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.into() };
        self.id.chars().map(snake).collect()
    }

    /// Returns the request body's JSON media type, with its schema and its example.
    pub(crate) fn body(&self) -> Option<&Value> {
        self.statement.pointer("/requestBody/content/application~1json")
    }

    /// Returns the JSON media type of the 200 response, with its schema and its example.
    pub(crate) fn response(&self) -> Option<&Value> {
        self.statement.pointer("/responses/200/content/application~1json")
    }

    /// Returns the name of the cursor parameter if the operation is a listing.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}
