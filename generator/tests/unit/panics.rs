//! A panic is told with the operation and the place in the description.

use super::{Description, Generated, generate_by};

const DESCRIPTION: &str = "
openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
security: [{ oauth2: [] }]
paths:
  /things:
    get:
      operationId: listThings
      responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Plain' } } } } }
    put:
      operationId: putThings
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Outer' } } } }
      responses: { '204': {} }
components:
  securitySchemes: { oauth2: { type: oauth2, flows: { clientCredentials: { scopes: {} } } } }
  schemas:
    Unused: { type: object, properties: { strange: { type: string } } }
    Plain: { type: object, properties: { name: { type: string } } }
    Outer: { type: object, properties: { all: { type: array, items: { $ref: '#/components/schemas/Inner' } } } }
    Inner: { type: object, properties: { strange: { type: string } } }
";

fn panic_at_something_strange(description: &Description) -> Result<Generated, Vec<String>> {
    let mut records = description.types.keys().filter_map(|name| description.record_named(name));
    assert!(records.all(|record| record.property("strange").is_none()), "too strange");
    Err(vec!["written".to_owned()])
}

#[test]
fn a_panic_is_told_with_its_operation_its_part_its_schema_and_what_it_says() {
    let outcome = generate_by(DESCRIPTION, true, panic_at_something_strange);
    let plain = DESCRIPTION.replace("strange", "plain");
    let without = generate_by(&plain, true, panic_at_something_strange);

    let line = "putThings → requestBody → Inner: the generator panics at this: too strange";
    assert_eq!(outcome.generated.unwrap_err()[0].text, line);
    assert_eq!(without.generated.unwrap_err()[0].text, "written");
}
