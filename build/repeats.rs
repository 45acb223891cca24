//! `x-repeats-request`: what an answer has to repeat from its request.

use openapiv3::ReferenceOr;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::{refusal::Refusal, schema::array, schemas::Schemas};

/// A property of the answer, and its namesake in the request.
pub(crate) struct Repeats {
    property: String,
    /// For an array of objects: the fields that each element repeats from the request.
    fields: Option<Vec<String>>,
}

impl Repeats {
    /// Everything that an answer has to repeat from its request's body.
    pub(crate) fn of(
        description: &Schemas,
        body: Option<&str>,
        answer: Option<&str>,
    ) -> Result<Vec<Self>, Refusal> {
        let Some(answer) = answer else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let fields = description.fields.get(answer).into_iter().flatten();
        for (name, repeats) in fields.map(|(_, about)| (&about.wire, &about.repeats)) {
            let fields = match repeats {
                Some(Value::Bool(true)) => None,
                None | Some(Value::Bool(false)) => continue,
                Some(names) => Some(serde_json::from_value(names.clone()).map_err(|_| {
                    format!("responses → {name} → x-repeats-request: is neither `true` nor a list of names")
                })?),
            };
            let repeats = Self { property: name.clone(), fields };
            for (side, record) in [("request", body), ("answer", Some(answer))] {
                if !repeats.is_in(description, record)? {
                    return Err(format!(
                        "responses → {name} → x-repeats-request: names a field that the {side} doesn't have"
                    ));
                }
            }
            found.push(repeats);
        }
        Ok(found)
    }

    /// Whether a record has the property, and its elements have the fields.
    fn is_in(&self, description: &Schemas, record: Option<&str>) -> Result<bool, Refusal> {
        let Some(record) = record else { return Ok(false) };
        let Some((_, schema, _)) = description.property(record, &self.property)? else {
            return Ok(false);
        };
        let Some(fields) = &self.fields else { return Ok(true) };
        let element = array(&schema).and_then(|array| array.items.clone()).map(ReferenceOr::unbox);
        let Some(element) = element else { return Ok(false) };
        let Some(element) = description.record(&element)? else { return Ok(false) };
        Ok(fields.iter().all(|field| description.field(&element, field).is_some()))
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        let property = &self.property;
        let part = match &self.fields {
            None => quote! { Whole },
            Some(fields) => quote! { Elements(&[#(#fields),*]) },
        };
        quote! {
            crate::decode::Repeats { property: #property, part: crate::decode::Part::#part }
        }
    }
}
