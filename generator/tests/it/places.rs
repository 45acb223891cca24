//! The line and the column of errors and warnings.

use oas_client_build::generate;

const YAML: &str = "\
openapi: 3.0.3
info: { title: Things, version: '1' }
paths:
  /things/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: readThing
      parameters:
        - name: size
          in: query
          schema: { type: integer }
        - $ref: '#/components/parameters/Side'
      responses:
        '200':
          description: A thing.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Thing'
components:
  parameters:
    Side: { name: side, in: query, schema: { type: string } }
  schemas:
    Named:
      type: object
      required: [name]
      properties:
        name: { type: string }
    Thing:
      allOf:
        - $ref: '#/components/schemas/Named'
        - type: object
          properties:
            parts:
              type: array
              items:
                type: object
                properties:
                  count: { type: integer }
  securitySchemes:
    oauth2: { type: oauth2, flows: { clientCredentials: { tokenUrl: /token, scopes: {} } } }
    typo: { type: oauth2, flows: { clientCredentials: { tokenURL: /token } } }
";

/// Returns the messages about the description after a replacement, with their locations.
fn messages(from: &str, to: &str) -> Vec<String> {
    assert!(YAML.contains(from), "{from}");
    let outcome = generate(&YAML.replacen(from, to, 1), false);
    let refusals = outcome.generated.err().unwrap_or_default();
    outcome.warnings.iter().chain(&refusals).map(ToString::to_string).collect()
}

#[test]
fn each_refusal_and_each_warning_has_the_line_and_the_column_of_its_statement() {
    let cases = [
        // An error in the document itself.
        ("openapi: 3.0.3", "openapi: 3.1.0", "1:1: openapi"),
        ("info: {", "servers: 1\ninfo: {", "2:1: document → servers"),
        ("paths:", "paths: 1\nx-paths:", "3:1: document → paths"),
        ("info: {", "servers: [{ url: /v2 }]\ninfo: {", "2:13: document → servers[0] → url: has"),
        // An error in an operation, which is named by its `operationId` or by its path.
        (
            "operationId: readThing",
            "summary: A",
            "7:5: GET /things/{id}: has no operationId: add one",
        ),
        ("get:", "servers: [{}]\n    get:", "7:5: readThing → /things/{id} → servers"),
        (
            "operationId: readThing",
            "operationId: readThing\n      callback: 1",
            "9:7: readThing → callback",
        ),
        // An error in an operation's security, not in the security scheme.
        (
            "operationId: readThing",
            "operationId: readThing\n      security:\n        - {}\n        - oauth2: [b]",
            "11:11: readThing → security[1] → oauth2: the scope `b`",
        ),
        (
            "operationId: readThing",
            "operationId: readThing\n      security: [{ oauth2: [] }, { key: [] }]",
            "9:36: readThing → security[1] → key: is not declared",
        ),
        (
            "operationId: readThing",
            "operationId: readThing\n      security: [{ typo: [] }]",
            "44:57: readThing → typo → flows → clientCredentials → tokenURL",
        ),
        // An error in a parameter of an operation, of a path, or of `components`.
        ("schema: { type: integer }", "style: spaced", "12:11: readThing → query size → style"),
        (
            "in: path, required: true",
            "in: path, required: false",
            "6:31: readThing → path id → required",
        ),
        (
            "in: query, schema: { type: string }",
            "in: query, schema: { type: text }",
            "23:46: readThing → query side",
        ),
        (
            "- $ref: '#/components/parameters/Side'",
            "- $ref: '#/components/parameters/Side'\n          required: true",
            "14:11: readThing → query side → required",
        ),
        // An error in a schema: after references, in a part of `allOf`, or in a property.
        ("name: { type: string }\n", "name: { type: string, maximum: 1 }\n", "29:31: "),
        ("count: { type: integer }\n", "count: { type: integr }\n", "40:28: "),
        ("required: [name]", "required: [name, other]", "27:7: "),
        ("type: array\n", "type: array\n              uniqItems: true\n", "37:15: "),
    ];
    let mut wrong = Vec::new();
    for (from, to, place) in cases {
        let messages = messages(from, to);
        if !messages.iter().any(|line| line.starts_with(&format!(":{place}"))) {
            wrong.push(format!("{to}: expected {place}, found {messages:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_duplicate_key_is_reported_by_its_name() {
    for (from, to, place) in [
        ("      parameters:\n", "      operationId: readOther\n      parameters:\n", "9:7"),
        ("info: {", "paths: {}\ninfo: {", "4:1"),
    ] {
        let messages = messages(from, to);

        let key = if place == "4:1" { "paths" } else { "operationId" };
        let line = format!(":{place}: the key `{key}` appears twice: remove one of them");
        assert_eq!(messages, [line]);
    }
}

#[test]
fn json_has_places_too_and_broken_yaml_has_one() {
    let json = "{\n  \"openapi\": \"3.0.3\",\n  \"info\": 1, \"paths\": {}\n}";
    let refused = generate(json, false).generated.unwrap_err();
    assert_eq!(refused[0].to_string(), ":3:3: document → info: is not an object");

    let refused = generate("openapi: 3.0.3\npaths: [\n", false).generated.unwrap_err();
    assert!(refused[0].place.is_some(), "{refused:?}");
}
