//! Each warning is one line: the operation, the path to the part of the OpenAPI description, and
//! advice.

use serde_json::{Value, json};

use super::sent;
use crate::script::{Outcome, one_operation, run};

#[test]
fn a_scope_that_is_not_declared_is_a_warning_and_is_requested() {
    let mut description = one_operation();
    description["paths"]["/v2/things"]["get"]["security"] = json!([{ "oauth2": ["things:write"] }]);

    let outcome = run(&description.to_string());

    assert_eq!(outcome.refusals, [""; 0]);
    assert_eq!(
        outcome.warnings,
        [
            "readThing → security[0] → oauth2: the scope `things:write` is not declared in a flow of \
          the scheme; it is requested anyway"
        ]
    );
    assert!(outcome.generated.unwrap().contains(r#"&["things:write"]"#));
}

/// Returns the warnings about a request body with this schema, without the prefix that they share.
fn warnings(schema: &Value) -> Vec<String> {
    let mut description = one_operation();
    description["paths"]["/v2/things"]["put"] = sent(schema);

    let outcome = run(&description.to_string());

    assert_eq!(outcome.refusals, [""; 0]);
    let place = "replaceThing → requestBody → content → application/json → schema → ";
    outcome.warnings.iter().map(|line| line.replace(place, "")).collect()
}

#[test]
fn a_name_that_a_part_requires_is_a_property_of_the_whole_or_a_warning() {
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    let part = json!({ "required": ["name", "nmae"], "properties": { "size": {} } });

    let warnings = warnings(&json!({ "allOf": [thing, part] }));

    assert_eq!(warnings, ["required: `nmae` is not a property, so it is ignored"]);
}

#[test]
fn a_default_that_its_schema_does_not_allow_is_a_warning() {
    let invalid = |reason: &str| vec![format!("default: `DEFAULT` is not a valid value: {reason}")];
    for (schema, expected) in [
        (
            json!({ "type": "string", "enum": ["a"], "default": "b" }),
            invalid("`enum` doesn't contain it"),
        ),
        (
            json!({ "type": "integer", "enum": [1], "default": 2 }),
            invalid("`enum` doesn't contain it"),
        ),
        (
            json!({ "type": "integer", "maximum": 5, "default": 6 }),
            invalid("it violates `maximum`"),
        ),
        (
            json!({ "type": "number", "minimum": 5, "exclusiveMinimum": true, "default": 5 }),
            invalid("it violates `minimum`"),
        ),
        (
            json!({ "type": "string", "minLength": 3, "default": "äö" }),
            invalid("it violates `minLength`"),
        ),
        (
            json!({ "type": "array", "items": {}, "maxItems": 1, "default": [1, 2] }),
            invalid("it violates `maxItems`"),
        ),
        (json!({ "type": "boolean", "default": "no" }), invalid("it isn't of the type `boolean`")),
        (json!({ "type": "string", "enum": ["a"], "default": "a" }), vec![]),
        (json!({ "type": "integer", "minimum": 5, "default": 5 }), vec![]),
        (json!({ "type": "integer", "default": 5.0 }), vec![]),
        (json!({ "type": "string", "maxLength": 2, "default": "äö" }), vec![]),
        (json!({ "type": "string", "default": null }), vec![]),
    ] {
        let default = schema["default"].to_string();
        let sent = json!({ "type": "object", "properties": { "a": schema } });

        let expected: Vec<_> = expected
            .iter()
            .map(|line| format!("a → {}", line.replace("DEFAULT", &default)))
            .collect();
        assert_eq!(warnings(&sent), expected, "{schema}");
    }
}

#[test]
fn a_bound_of_another_type_is_a_warning() {
    let sent = json!({ "type": "object", "maxItems": 3, "properties": {
        "price": { "type": "string", "format": "decimal", "maximum": 100, "maxLength": 9 },
        "rows": { "type": "array", "maxItems": 9, "maxLength": 3, "items": {} },
    } });

    assert_eq!(
        warnings(&sent),
        [
            "maxItems: applies to another type, so it is ignored",
            "price → maximum: applies to another type, so it is ignored",
            "rows → maxLength: applies to another type, so it is ignored",
        ]
    );
}

#[test]
fn a_number_that_is_called_a_decimal_is_a_warning() {
    let reason = "the client reads numbers as 64-bit floats, which round decimals: if the service \
                  sends strings, write `type: string` and `format: decimal-text`";
    for format in ["decimal", "decimal-text"] {
        let amount = json!({ "type": "number", "format": format });
        let sent = json!({ "type": "object", "properties": { "amount": amount } });

        assert_eq!(warnings(&sent), [format!("amount → format: {reason}")]);
    }
    let exact = json!({ "type": "string", "format": "decimal" });
    let float = json!({ "type": "number", "format": "double" });
    for other in [exact, float] {
        assert_eq!(warnings(&other), [""; 0]);
    }

    let mut description = one_operation();
    let decimal = json!({ "type": "number", "format": "decimal" });
    let amount = json!({ "$ref": "#/components/schemas/Amount" });
    description["components"]["schemas"]["Amount"] = decimal;
    description["components"]["schemas"]["Thing"]["properties"] =
        json!({ "a": amount, "b": { "type": "array", "items": amount } });

    // A component that is used twice is reported once.
    assert_eq!(run(&description.to_string()).warnings.len(), 1);
}

#[test]
fn a_path_in_the_url_of_a_server_is_a_warning() {
    for (url, path) in [
        ("https://api.example.com", None),
        ("https://api.example.com/", None),
        ("{base_url}", None),
        ("/", None),
        ("https://api.example.com/v2/", Some("/v2")),
        ("https://{region}.example.com:8080/a/{b}", Some("/a/{b}")),
        ("//api.example.com/v2", Some("/v2")),
        ("{base_url}/v2", Some("/v2")),
        ("/v2", Some("/v2")),
        ("v2", Some("v2")),
    ] {
        let mut description = one_operation();
        description["servers"] = json!([{ "url": url }]);

        let Outcome { warnings, generated, .. } = run(&description.to_string());

        let reason = "requests don't contain this path: add it to the base URL that your program \
                      sets, or to each path";
        let line =
            |path| format!("document → servers[0] → url: has the path `{path}`, but {reason}");
        assert_eq!(warnings, path.map(line).into_iter().collect::<Vec<_>>(), "{url}");
        assert!(generated.is_some());
    }
}

#[test]
fn an_operation_that_states_no_security_among_others_is_a_warning() {
    let mut description = one_operation();
    description["paths"]["/v2/things"]["post"] =
        json!({ "operationId": "addThing", "responses": { "204": { "description": "Done." } } });
    let warned = |description: &Value| run(&description.to_string()).warnings;

    let reason = "has no `security`, so requests are sent without a token: add the required \
                  scope, or `security: []`";
    assert_eq!(warned(&description), [format!("addThing: {reason}")]);

    let mut open = description.clone();
    open["paths"]["/v2/things"]["post"]["security"] = json!([]);
    let mut of_all = description.clone();
    of_all["security"] = json!([{ "oauth2": ["things:read"] }]);
    let mut without_schemes = description;
    without_schemes["paths"]["/v2/things"]["get"].as_object_mut().unwrap().remove("security");
    without_schemes["components"].as_object_mut().unwrap().remove("securitySchemes");
    for description in [open, of_all, without_schemes] {
        assert_eq!(warned(&description), [""; 0]);
    }
}
