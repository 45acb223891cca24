//! `x-repeats-request`: what an answer has to repeat from its request.

use std::collections::BTreeSet;

use openapiv3::ReferenceOr;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::{
    description::{Operation, not_null},
    refusal::Refusal,
    schema::array,
    schemas::Schemas,
};

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

/// Refuses `x-repeats-request` on properties that are no answer's own.
pub(crate) fn elsewhere(
    description: &Schemas,
    operations: &[Operation],
) -> Result<Vec<Refusal>, Refusal> {
    let mut own = BTreeSet::new();
    for answer in operations.iter().filter_map(|operation| operation.answer.as_ref()) {
        own.extend(description.record(not_null(answer))?);
    }
    let mut refusals = Vec::new();
    for operation in operations {
        let body = operation.body.as_ref().map(|body| &body.schema);
        for (side, slot) in [("requestBody", body), ("responses", operation.answer.as_ref())] {
            let mut reached = BTreeSet::new();
            slot.map_or(Ok(()), |slot| description.reach(slot, true, &mut reached))?;
            for record in reached.iter().filter(|record| !own.contains(*record)) {
                let fields = description.fields.get(record).into_iter().flatten();
                let marked = |repeats: &Value| *repeats != Value::Bool(false);
                for (_, about) in
                    fields.filter(|(_, about)| about.repeats.as_ref().is_some_and(marked))
                {
                    refusals.push(format!(
                        "{} → {side} → {record} → {} → x-repeats-request: stands on what is not an answer's own property",
                        operation.id, about.wire
                    ));
                }
            }
        }
    }
    Ok(refusals)
}
