//! `x-repeats-request`: what an answer has to repeat of its request.

use openapiv3::ReferenceOr;
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    description::{Description, Refusal},
    schema::array,
};

/// A property of the answer, and its namesake in the request.
pub(crate) struct Repeats {
    property: String,
    /// Of an array of objects, the fields of each that repeat those of the request's.
    fields: Option<Vec<String>>,
}

impl Repeats {
    /// All that an answer has to repeat of the body of its request.
    pub(crate) fn of(
        description: &Description,
        body: Option<&str>,
        answer: &str,
    ) -> Result<Vec<Self>, Refusal> {
        let mut found = Vec::new();
        for (name, property) in &description.object(answer)?.properties {
            let ReferenceOr::Item(schema) = property else { continue };
            let Some(repeats) = schema.schema_data.extensions.get("x-repeats-request") else {
                continue;
            };
            let fields = match repeats {
                serde_json::Value::Bool(true) => None,
                names => Some(serde_json::from_value(names.clone()).map_err(|_| {
                    format!("x-repeats-request of `{name}` is neither `true` nor a list of names")
                })?),
            };
            let repeats = Self { property: name.clone(), fields };
            if !repeats.is_sent(description, body)? {
                return Err(format!("x-repeats-request of `{name}` names what no request has"));
            }
            found.push(repeats);
        }
        Ok(found)
    }

    fn is_sent(&self, description: &Description, body: Option<&str>) -> Result<bool, Refusal> {
        let Some(body) = body else { return Ok(false) };
        let Some((sent, _)) = description.property(body, &self.property)? else { return Ok(false) };
        let Some(fields) = &self.fields else { return Ok(true) };
        let element = array(&sent).and_then(|array| array.items.as_ref());
        let Some(element) = description.object_named(element)? else { return Ok(false) };
        let known = &description.object(&element)?.properties;
        Ok(fields.iter().all(|field| known.contains_key(field)))
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
