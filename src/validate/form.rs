//! Which variants of a union a value may be.

use serde_json::Value;

use super::rule::{Rule, Variant};

impl Variant {
    pub(super) fn has_form(&self, value: &Value) -> bool {
        self.required.iter().all(|property| value.get(property).is_some())
            && self.rule.is_none_or(|rule| rule.has_form(value))
    }
}

impl Rule {
    /// Whether a value and its parts are of the types that the rule is for.
    fn has_form(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _) | (_, Value::Null) => true,
            (Self::Text { .. }, value) => value.is_string(),
            (Self::Known(texts, integers), value) => {
                value.as_str().is_some_and(|text| texts.contains(&text))
                    || value.as_i64().is_some_and(|integer| integers.contains(&integer))
            }
            (Self::Truth, value) => value.is_boolean(),
            (Self::Integer { .. }, value) => value.is_i64() || value.is_u64(),
            (Self::Number { .. }, value) => value.is_number(),
            (Self::Array { items, .. }, Value::Array(entries)) => {
                items.is_none_or(|rule| entries.iter().all(|entry| rule.has_form(entry)))
            }
            (Self::Object { properties, values, .. }, Value::Object(object)) => {
                let has_form = |(name, rule): &(&str, &Self)| {
                    object.get(*name).is_none_or(|value| rule.has_form(value))
                };
                // Other properties may be of any kind.
                properties.iter().all(has_form)
                    && (!properties.is_empty()
                        || values.is_none_or(|rule| object.values().all(|v| rule.has_form(v))))
            }
            (Self::Union { variants, .. }, value) => variants.iter().any(|v| v.has_form(value)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::validate::{Rule, Variant};

    static SHORT: Rule = Rule::Text { least: 0, most: Some(2), pattern: None };
    static FREE: Rule = Rule::Text { least: 0, most: None, pattern: None };
    static CAT: Rule = Rule::Known(&["cat"], &[]);
    static CATS: Rule = Rule::Object {
        least: 0,
        most: None,
        properties: &[("name", &SHORT), ("kind", &CAT)],
        values: None,
    };
    static DOGS: Rule =
        Rule::Object { least: 0, most: None, properties: &[("name", &FREE)], values: None };
    static FEW: Rule = Rule::Array { least: 0, most: Some(1), unique: false, items: Some(&PETS) };
    static PETS: Rule = Rule::Union {
        tag: None,
        variants: &[
            Variant { tags: &[], required: &["kind"], rule: Some(&CATS) },
            Variant { tags: &[], required: &["barks"], rule: Some(&DOGS) },
            Variant { tags: &[], required: &[], rule: Some(&FEW) },
            Variant { tags: &[], required: &[], rule: Some(&SHORT) },
        ],
    };
    static TAGGED: Rule = Rule::Union {
        tag: Some("is"),
        variants: &[
            Variant { tags: &["Cat"], required: &[], rule: Some(&CATS) },
            Variant { tags: &["Dog", "dog"], required: &[], rule: Some(&DOGS) },
        ],
    };

    #[test]
    fn the_variant_that_is_sent_is_checked() {
        let cases: &[(&Rule, Value, Result<(), &str>)] = &[
            (&PETS, json!("ab"), Ok(())),
            (&PETS, json!("abc"), Err("`a` has 3 characters, the maximum is 2")),
            (&PETS, json!(7), Ok(())),
            (&PETS, json!(null), Ok(())),
            (&PETS, json!([["a"], []]), Err("`a` has 2 entries, the maximum is 1")),
            (&PETS, json!([["abc"]]), Err("`a[0][0]` has 3 characters, the maximum is 2")),
            (
                &PETS,
                json!({ "kind": "cat", "name": "abc" }),
                Err("`a.name` has 3 characters, the maximum is 2"),
            ),
            (&PETS, json!({ "kind": "cow", "name": "abc" }), Ok(())),
            (&PETS, json!({ "barks": true, "name": "abc" }), Ok(())),
            // May be either, and passes as one of them.
            (&PETS, json!({ "kind": "cat", "barks": true, "name": "abc" }), Ok(())),
            (
                &TAGGED,
                json!({ "is": "Cat", "name": "abc" }),
                Err("`a.name` has 3 characters, the maximum is 2"),
            ),
            (&TAGGED, json!({ "is": "dog", "name": "abc" }), Ok(())),
            (&TAGGED, json!({ "is": "cow", "name": "abc" }), Ok(())),
        ];
        for (rule, value, expected) in cases {
            let expected = expected.map_err(str::to_owned);
            assert_eq!(rule.check("a", value), expected, "{value}");
        }
    }
}
