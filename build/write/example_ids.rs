//! The description's examples of identifiers. The sandbox has what they name, so that examples work
//! as they are.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{description::Description, schema::is_uuid},
    read::Unsupported,
};

pub(super) fn table(description: &Description) -> Result<TokenStream, Unsupported> {
    let mut examples = Vec::new();
    for (schema, fields) in &description.fields {
        for (name, field) in fields {
            let Some(property) = description.object(schema)?.properties.get(name) else { continue };
            let property = description.resolve_box(property)?;
            let example = property.schema_data.example.as_ref().and_then(|it| it.as_str());
            if let Some(example) = example.filter(|_| is_uuid(&property)) {
                let wire = &field.wire;
                examples.push(quote! { (#schema, #wire, #example) });
            }
        }
    }
    Ok(quote! {
        /// The description's examples of identifiers, by schema and property.
        #[cfg(feature = "sandbox")]
        pub(crate) static EXAMPLE_IDS: &[(&str, &str, &str)] = &[#(#examples),*];
    })
}
