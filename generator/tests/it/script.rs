//! Runs the generator on descriptions.

use oas_client_build::Finding;
use serde_json::{Value, json};

/// The generator's messages about an OpenAPI description, and the generated client.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) refusals: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) generated: Option<String>,
}

pub(crate) fn run(description: &str) -> Outcome {
    let outcome = oas_client_build::generate(description, true);
    let (refusals, generated) = match outcome.generated {
        Ok(generated) => (Vec::new(), Some(generated)),
        Err(refusals) => (texts(refusals), None),
    };
    Outcome { refusals, warnings: texts(outcome.warnings), generated }
}

fn texts(findings: Vec<Finding>) -> Vec<String> {
    let placed = findings.into_iter().inspect(|it| assert!(it.place.is_some(), "no place: {it}"));
    placed.map(|finding| finding.text).collect()
}

/// Generates the command-line tool's table of operations.
pub(crate) fn table(description: &str) -> String {
    oas_client_build::generate_tool(description, true, "things").generated.unwrap()
}

/// Returns a supported description with one operation, `readThing`.
pub(crate) fn one_operation() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Things", "version": "1.0.0" },
        "paths": {
            "/v2/things": {
                "get": {
                    "operationId": "readThing",
                    "security": [{ "oauth2": ["things:read"] }],
                    "parameters": [
                        { "name": "size", "in": "query", "schema": { "type": "integer" } },
                    ],
                    "responses": {
                        "200": {
                            "description": "A thing.",
                            "content": {
                                "application/json": {
                                    "schema": { "$ref": "#/components/schemas/Thing" },
                                },
                            },
                        },
                    },
                },
            },
        },
        "components": {
            "schemas": {
                "Thing": { "type": "object", "properties": { "name": { "type": "string" } } },
            },
            "securitySchemes": {
                "other": { "type": "oauth2", "flows": { "clientCredentials": {} } },
                "oauth2": {
                    "type": "oauth2",
                    "flows": {
                        "clientCredentials": {
                            "tokenUrl": "https://auth.example.com/oauth2/token",
                            "scopes": { "things:read": "Read things" },
                        },
                    },
                },
            },
        },
    })
}
