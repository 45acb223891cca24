//! Generates a table of the example identifiers in the OpenAPI description. The sandbox contains
//! records with these identifiers, so that the examples in the docs work unchanged.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::model::Description;

pub(super) fn table(description: &Description) -> TokenStream {
    let mut examples = Vec::new();
    for record in description.records() {
        let name = &record.name;
        for field in record.fields.iter().filter(|field| field.schema.is_uuid()) {
            if let Some(example) = field.schema.example.as_ref().and_then(Value::as_str) {
                examples.push((name, &field.name, &field.wire, example));
            }
        }
    }
    examples.sort();
    let rows = examples.iter().map(|(name, _, wire, example)| quote! { (#name, #wire, #example) });
    quote! {
        /// The example identifiers in the OpenAPI description. An entry contains the name of the
        /// schema, the name of the property, and the identifier.
        #[allow(dead_code)]
        #[cfg(feature = "sandbox")]
        pub(crate) static EXAMPLE_IDS: &[(&str, &str, &str)] = &[#(#rows),*];
    }
}
