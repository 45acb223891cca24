//! Tests that the rows of `OPERATIONS` contain everything in the OpenAPI description.

use serde_json::Value;

use super::description::{self, Description};
use crate::specification::OPERATIONS;

#[test]
fn each_row_has_every_parameter_and_every_field_of_the_description() {
    let description = description::published();
    for operation in description.operations() {
        let row = OPERATIONS
            .iter()
            .find(|row| row.method == operation.method && row.path == operation.path);
        let row = row.unwrap_or_else(|| panic!("{} has no row in `OPERATIONS`", operation.id));
        let mut missing = Vec::new();
        for parameter in operation.parameters.iter().filter(|it| it["in"] == "query") {
            let name = parameter["name"].as_str().unwrap();
            let is_sent =
                [format!("?{name}="), format!("&{name}=")].iter().any(|it| row.target.contains(it));
            if !is_sent && operation.cursor() != Some(name) {
                missing.push(name.to_owned());
            }
        }
        for (content, text) in
            [(operation.body(), row.body), (operation.response(), &(row.response)())]
        {
            if let Some(content) = content {
                let value = text.parse().unwrap_or_default();
                description.lacking(&content["schema"], &value, "", &mut missing);
            }
        }
        assert!(
            missing.is_empty(),
            "the row of {} in `OPERATIONS` of tests/it/specification.rs lacks {} (step 5 of CONTRIBUTING.md)",
            operation.id,
            missing.join(", ")
        );
    }
}

impl Description {
    /// Adds to `missing` the path of each property in the schema that the value lacks.
    fn lacking(&self, schema: &Value, value: &Value, path: &str, missing: &mut Vec<String>) {
        let schema = self.resolved(schema);
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}/{name}");
            match value.get(name) {
                Some(value) => self.lacking(property, value, &path, missing),
                None => missing.push(path),
            }
        }
        for item in value.as_array().into_iter().flatten() {
            self.lacking(&schema["items"], item, path, missing);
        }
    }
}
