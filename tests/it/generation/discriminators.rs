//! The tags of a union's variants reach the rule that a request is checked against.

use serde_json::{Value, json};

use super::{
    inheritance::{object, posted, tags},
    script::{self, one_operation},
};

/// A union of a cat and a dog, and these statements.
fn pet(mapping: &Value, beside: &Value) -> Value {
    let mut pet = json!({
        "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
        "discriminator": { "propertyName": "kind", "mapping": mapping },
    });
    pet.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    let kind = json!({ "type": "string" });
    let mut cat = object(&json!({ "kind": kind, "says": { "type": "string", "maxLength": 4 } }));
    cat["required"] = json!(["says", "kind"]);
    let dog = object(&json!({ "kind": kind, "says": { "type": "string", "maxLength": 7 } }));
    json!({ "Pet": pet, "Cat": cat, "Dog": dog })
}

#[test]
fn what_stands_beside_a_union_leaves_its_tags() {
    let mapping = json!({ "c": "#/components/schemas/Cat", "d": "#/components/schemas/Dog" });
    let name = json!({ "name": { "type": "string", "maxLength": 5 } });
    let cases = [
        ("words", json!({ "title": "A pet", "nullable": true, "x-tag": 1 }), &[][..]),
        ("type", json!({ "type": "object" }), &[]),
        ("required", json!({ "required": ["kind"] }), &[]),
        ("closed", json!({ "type": "object", "additionalProperties": false }), &[]),
        ("properties", json!({ "type": "object", "properties": name }), &["most: Some(5usize)"]),
        ("count", json!({ "minProperties": 2 }), &["least: 2usize"]),
        ("all", json!({ "allOf": [{ "properties": name }] }), &["most: Some(5usize)"]),
    ];
    for (case, beside, bounds) in cases {
        let made = posted(&format!("beside-{case}"), &pet(&mapping, &beside));

        assert_eq!(tags(&made, "add_pet_body"), [r#""c""#, r#""d""#], "{case}");
        for bound in [&["most: Some(4usize)", "most: Some(7usize)"], bounds].concat() {
            assert!(made.contains(bound), "{case}: {bound}\n{made}");
        }
    }
}

#[test]
fn a_variant_that_says_all_that_stands_beside_its_union_keeps_its_name() {
    let beside = json!({ "type": "object", "required": ["kind"] });
    let made = posted("beside-nothing-new", &pet(&json!({}), &beside));

    assert!(made.contains("pub struct Cat {") && !made.contains("pub struct Dog {"), "{made}");
    assert_eq!(tags(&made, "add_pet_body"), [r#""Cat""#, r#""Dog""#]);
}

#[test]
fn a_mapping_may_lead_to_another_name_of_a_variant() {
    let feline = [
        json!({ "$ref": "#/components/schemas/Cat" }),
        json!({ "allOf": [{ "$ref": "#/components/schemas/Cat" }], "description": "A cat." }),
    ];
    for (number, feline) in feline.into_iter().enumerate() {
        for said in ["#/components/schemas/Feline", "Feline"] {
            let mut schemas = pet(&json!({ "c": said, "d": "Dog" }), &json!({}));
            schemas["Feline"] = feline.clone();
            let made = posted(&format!("other-name-{number}"), &schemas);
            schemas["Pet"]["oneOf"][0] = json!({ "$ref": "#/components/schemas/Feline" });
            schemas["Pet"]["discriminator"]["mapping"]["c"] = json!("Cat");
            let turned = posted(&format!("other-name-turned-{number}"), &schemas);

            assert_eq!(tags(&made, "add_pet_body"), [r#""c""#, r#""d""#]);
            assert_eq!(tags(&turned, "add_pet_body"), [r#""c""#, r#""d""#]);
        }
    }
}

#[test]
fn a_tag_that_leads_to_no_variant_is_told() {
    let mapping = json!({ "c": "Cat", "d": "Dog", "b": "#/components/schemas/Bird", "s": "Dogs" });
    let mut schemas = pet(&mapping, &json!({}));
    let pets = schemas["Pet"]["oneOf"].as_array_mut().unwrap();
    pets.push(json!({ "$ref": "#/components/schemas/Dogs" }));
    schemas["Dogs"] =
        json!({ "anyOf": [{ "$ref": "#/components/schemas/Dog" }, { "type": "string" }] });
    let mut description = one_operation();
    let pet = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } });
    description["paths"]["/v2/things"]["put"] = json!({
        "operationId": "putPet",
        "requestBody": { "content": pet },
        "responses": { "200": { "description": "It.", "content": pet } },
    });
    let known = description["components"]["schemas"].as_object_mut().unwrap();
    known.extend(schemas.as_object().unwrap().clone());

    let outcome = script::run("no-variant", &description.to_string());

    assert_eq!(outcome.refusals, [""; 0]);
    let at = "putPet → requestBody → content → application/json → schema → Pet → discriminator → mapping";
    assert_eq!(
        outcome.warnings,
        [
            format!("{at} → b: leads to none of the variants and is ignored"),
            format!("{at} → s: leads to a union that has no such tag and is ignored"),
        ]
    );
}
