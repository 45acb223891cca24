//! A base with a `discriminator` is the union of the schemas that extend it.

use serde_json::{Value, json};

use super::script::{self, one_operation};

/// What is generated for a `POST` of a pet, without its line breaks.
pub(super) fn posted(name: &str, schemas: &Value) -> String {
    let mut description = one_operation();
    let pet = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } });
    description["paths"]["/v2/pets"]["post"] = json!({
        "operationId": "addPet",
        "requestBody": { "required": true, "content": pet },
        "responses": { "200": { "description": "It.", "content": pet } },
    });
    let known = description["components"]["schemas"].as_object_mut().unwrap();
    known.extend(schemas.as_object().unwrap().clone());

    let outcome = script::run(name, &description.to_string());

    assert_eq!(outcome.refusals, [""; 0], "{name}");
    let generated = outcome.generated.unwrap();
    generated.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tags of each variant of a union, in the order of the variants.
pub(super) fn tags<'a>(generated: &'a str, union: &str) -> Vec<&'a str> {
    let (_, rule) = generated.split_once(&format!("static {union}: Rule = ")).unwrap();
    let (rule, _) = rule.split_once("static").unwrap_or((rule, ""));
    rule.split("tags: &[").skip(1).map(|rest| rest.split(']').next().unwrap()).collect()
}

pub(super) fn object(properties: &Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

pub(super) fn extending(base: &str, properties: &Value) -> Value {
    let base = json!({ "$ref": format!("#/components/schemas/{base}") });
    json!({ "allOf": [base, object(properties)] })
}

fn pet() -> Value {
    json!({
        "type": "object",
        "required": ["kind"],
        "discriminator": { "propertyName": "kind" },
        "properties": { "kind": { "type": "string" }, "name": { "type": "string", "maxLength": 9 } },
    })
}

#[test]
fn a_base_carries_what_its_children_add() {
    let made = posted(
        "base-and-children",
        &json!({
            "Pet": pet(),
            "Cat": extending("Pet", &json!({ "purr": { "type": "string" } })),
            "Dog": extending("Pet", &json!({ "bark": { "type": "string", "maxLength": 3 } })),
        }),
    );

    assert!(made.contains("send( self, ) -> Result<crate::ResponseValue<serde_json::Value>"));
    assert_eq!(tags(&made, "add_pet_body"), [r#""Cat""#, r#""Dog""#, r#""Pet""#]);
    assert!(made.contains("pub struct Dog { ///`bark` "), "{made}");
    let (_, dog) = made.split_once("static Dog: Rule = ").unwrap();
    let (dog, _) = dog.split_once("static").unwrap();
    assert!(dog.contains(r#""bark""#) && dog.contains(r#""name""#), "{dog}");
}

#[test]
fn a_mapping_names_the_children_and_the_base() {
    let mut base = pet();
    base["discriminator"]["mapping"] =
        json!({ "c": "Cat", "d": "#/components/schemas/Dog", "p": "#/components/schemas/Pet" });
    let made = posted(
        "mapped-children",
        &json!({
            "Pet": base,
            "Cat": extending("Pet", &json!({ "purr": { "type": "string" } })),
            "Dog": extending("Pet", &json!({ "bark": { "type": "string" } })),
            "PetBase": object(&json!({ "other": { "type": "string" } })),
        }),
    );

    assert_eq!(tags(&made, "add_pet_body"), [r#""c""#, r#""d""#, r#""p""#]);
    assert!(made.contains("rule: Some(&PetBase2)"), "{made}");
}

#[test]
fn children_of_children_are_variants_of_both() {
    let friend = json!({ "$ref": "#/components/schemas/Dog" });
    let made = posted(
        "children-of-children",
        &json!({
            "Pet": pet(),
            "Dog": extending("Pet", &json!({ "bark": { "type": "string" } })),
            "Puppy": extending("Dog", &json!({ "friend": friend })),
        }),
    );

    assert_eq!(tags(&made, "add_pet_body"), [r#""Dog""#, r#""Puppy""#, r#""Pet""#]);
    assert_eq!(tags(&made, "puppy_friend"), [r#""Puppy""#, r#""Dog""#]);
}

#[test]
fn a_child_with_a_discriminator_of_its_own_is_one_variant() {
    let mut dog = extending("Pet", &json!({ "breed": { "type": "string" } }));
    dog["discriminator"] = json!({ "propertyName": "breed" });
    let made = posted(
        "own-discriminator",
        &json!({
            "Pet": pet(),
            "Dog": dog,
            "Poodle": extending("Dog", &json!({ "curls": { "type": "boolean" } })),
        }),
    );

    assert_eq!(tags(&made, "add_pet_body"), [r#""Dog""#, r#""Pet""#]);
    assert!(made.contains(r#"tags: &["Dog"], required: &[], rule: Some(&add_pet_body1)"#));
    assert_eq!(tags(&made, "add_pet_body1"), [r#""Poodle""#, r#""Dog""#]);
}

#[test]
fn another_name_for_a_base_is_its_union_as_well() {
    let mut base = pet();
    base["discriminator"]["mapping"] = json!({ "d": "Dog" });
    let toy = json!({ "allOf": [{ "$ref": "#/components/schemas/Animal" }], "nullable": true });
    let made = posted(
        "other-name",
        &json!({
            "Pet": base,
            "Dog": extending("Pet", &json!({ "friend": toy })),
            "Animal": { "allOf": [{ "$ref": "#/components/schemas/Pet" }], "description": "It." },
        }),
    );

    assert_eq!(tags(&made, "add_pet_body"), [r#""d""#, r#""Pet""#]);
    assert!(made.contains("pub friend: ::std::option::Option<::serde_json::Value>"), "{made}");
}

#[test]
fn variants_that_extend_their_union_inherit_what_stands_beside_it() {
    let mut base = pet();
    base["discriminator"]["mapping"] =
        json!({ "c": "#/components/schemas/Cat", "p": "#/components/schemas/Puppy" });
    base["oneOf"] = json!([
        { "$ref": "#/components/schemas/Cat" },
        { "$ref": "#/components/schemas/Puppy" },
    ]);
    let made = posted(
        "circle",
        &json!({
            "Pet": base,
            "Cat": extending("Pet", &json!({ "purr": { "type": "string", "maxLength": 4 } })),
            "Dog": extending("Pet", &json!({ "bark": { "type": "string" } })),
            "Puppy": extending("Dog", &json!({ "friend": { "$ref": "#/components/schemas/Pet" } })),
        }),
    );

    assert!(made.contains("send( self, ) -> Result<crate::ResponseValue<serde_json::Value>"));
    assert_eq!(tags(&made, "add_pet_body"), [r#""c""#, r#""p""#]);
    assert!(made.contains(r#"("friend", &add_pet_body)"#), "{made}");
    let cat = r#"( "name", &crate::validate::Rule::Text { least: 0usize, most: Some(9usize), pattern: None, }, ), ( "purr", "#;
    assert!(made.contains(cat), "{made}");
    for field in ["kind", "name", "bark", "friend"] {
        let (_, puppy) = made.split_once("pub struct Puppy {").unwrap();
        assert!(puppy.split_once('}').unwrap().0.contains(&format!("pub {field}: ")), "{puppy}");
    }
}
