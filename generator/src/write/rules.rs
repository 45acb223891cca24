//! Generates the rules that check requests against the bounds in the OpenAPI description. Each rule
//! is a value of the runtime's `Rule`.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{
    document::{Format, Integer, Number, Size, Text},
    model::{Description, Form, Kind, Record, Schema},
    write::tokens::optional,
};

/// The rules that check requests. The rule for each named schema becomes a `static` with the
/// schema's name.
pub(crate) struct Rules<'a> {
    description: &'a Description,
    /// The names of the schemas that need a rule.
    bound: BTreeSet<String>,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(description: &'a Description) -> Self {
        let mut rules = Self { description, bound: BTreeSet::new() };
        loop {
            let before = rules.bound.len();
            for name in &description.requests {
                if rules.named(name).is_some() {
                    rules.bound.insert(name.clone());
                }
            }
            if rules.bound.len() == before {
                return rules;
            }
        }
    }

    /// Generates the module with the rules for named schemas. Generates nothing if no named schema
    /// needs a rule.
    pub(crate) fn module(&self) -> TokenStream {
        if self.bound.is_empty() {
            return TokenStream::new();
        }
        let statics = self.bound.iter().map(|name| {
            let (ident, rule) = (format_ident!("{name}"), self.named(name));
            quote! { pub(super) static #ident: Rule = #rule; }
        });
        quote! {
            /// The rules for the schemas that are used in requests.
            #[allow(dead_code, non_upper_case_globals)]
            mod rules {
                use oas_client::codegen::{self, Rule};

                #(#statics)*
            }
        }
    }

    /// Returns an expression of type `&Rule` for a value that a builder sends. Returns `None` if
    /// the value needs no rule.
    pub(crate) fn slot(&self, schema: &Schema) -> Option<TokenStream> {
        let rule = self.at(schema, false, &quote! { super::rules:: })?;
        Some(if let Kind::Named(_) = schema.kind {
            quote! { &#rule }
        } else {
            // A `static`, because a temporary value would be dropped at the end of the expression.
            quote! { { static RULE: codegen::Rule = #rule; &RULE } }
        })
    }

    /// Returns the expression for a value's rule, or `None` if the value needs no rule. If `null`
    /// is true, the value may be null. `module` is the path of the module with the rules for named
    /// schemas.
    fn at(&self, schema: &Schema, null: bool, module: &TokenStream) -> Option<TokenStream> {
        match &schema.kind {
            Kind::Named(name) => {
                let ident = format_ident!("{name}");
                self.bound.contains(name).then(|| quote! { #module #ident })
            }
            Kind::Text(of) => text(of),
            Kind::Integer(of) => integer(of),
            Kind::Number(of) => Some(number(of, null || schema.nullable)),
            Kind::Array(array) => {
                let items = self.at(&array.each, false, module);
                let Size { least, most, unique } = array.size;
                if items.is_none() && array.size.is_any() {
                    return None;
                }
                let (most, items) =
                    (optional(most), optional(items.map(|items| quote! { &#items })));
                Some(quote! {
                    codegen::Rule::Array {
                        least: #least, most: #most, unique: #unique, items: #items,
                    }
                })
            }
            Kind::Map(map) => object(map.size, &[], self.at(&map.each, false, module)),
            Kind::Boolean | Kind::Json => None,
        }
    }

    /// Returns the expression for a named schema's rule, or `None` if the schema needs no rule.
    fn named(&self, name: &str) -> Option<TokenStream> {
        match &self.description.types.get(name)?.form {
            Form::Enum(values) => text(&values.text),
            Form::Record(record) => self.record(record),
        }
    }

    fn record(&self, record: &Record) -> Option<TokenStream> {
        let others = record.others.as_ref();
        let others = others.and_then(|others| self.at(others, false, &quote! {}));
        // Without a rule of its own, a property would get the rule for additional properties.
        let any = others.is_some().then(|| quote! { codegen::Rule::Any });
        let properties = record.fields.iter().filter_map(|field| {
            let rule = if field.read_only {
                Some(quote! { codegen::Rule::ReadOnly })
            } else {
                self.at(&field.schema, field.null || field.clearable, &quote! {})
            };
            let wire = &field.wire;
            rule.or_else(|| any.clone()).map(|rule| quote! { (#wire, &#rule) })
        });
        object(record.size, &properties.collect::<Vec<_>>(), others)
    }
}

fn object(
    size: Size,
    properties: &[TokenStream],
    values: Option<TokenStream>,
) -> Option<TokenStream> {
    if properties.is_empty() && values.is_none() && size.is_any() {
        return None;
    }
    let (least, most) = (size.least, optional(size.most));
    let values = optional(values.map(|values| quote! { &#values }));
    Some(quote! {
        codegen::Rule::Object {
            least: #least, most: #most, properties: &[#(#properties),*], values: #values,
        }
    })
}

/// Returns the rule for a string, or `None` if the string needs no rule. Times and dates always
/// have a rule.
fn text(text: &Text) -> Option<TokenStream> {
    let bounds = bounds(text);
    if !matches!(text.format, Format::Time | Format::Date) {
        return bounds;
    }
    let bounds = optional(bounds.map(|bounds| quote! { &#bounds }));
    Some(quote! { codegen::Rule::Time { text: #bounds } })
}

/// Returns the rule for a string's length and pattern, or `None` if the string has no such bounds.
fn bounds(text: &Text) -> Option<TokenStream> {
    if !text.is_bounded() {
        return None;
    }
    let (least, most) = (text.length.least, optional(text.length.most));
    let pattern = optional(text.pattern.as_ref().map(|pattern| {
        // The pattern is compiled once, at its first use.
        quote! {
            {
                static PATTERN: codegen::Pattern = codegen::Pattern::new(#pattern);
                &PATTERN
            }
        }
    }));
    Some(quote! {
        codegen::Rule::Text { least: #least, most: #most, pattern: #pattern }
    })
}

fn integer(integer: &Integer) -> Option<TokenStream> {
    let Integer { least, most, multiple_of, .. } = *integer;
    least.or(most).or(multiple_of)?;
    let literal = |bound: Option<i64>| optional(bound.map(Literal::i64_unsuffixed));
    let (least, most, multiple) = (literal(least), literal(most), literal(multiple_of));
    Some(quote! {
        codegen::Rule::Integer { least: #least, most: #most, multiple_of: #multiple }
    })
}

/// Returns the rule for a number. Every number has a rule, because NaN and infinity must be
/// rejected: serde writes them as null.
fn number(number: &Number, null: bool) -> TokenStream {
    let Number { least, most, above, below, multiple_of } = *number;
    let literal = |bound: Option<f64>| optional(bound.map(Literal::f64_suffixed));
    let (least, most, multiple) = (literal(least), literal(most), literal(multiple_of));
    quote! {
        codegen::Rule::Number {
            least: #least, above: #above, most: #most, below: #below, multiple_of: #multiple,
            null: #null,
        }
    }
}
