//! The generated builders: progenitor writes their setters and their requests, and from there on
//! the call is the crate's own.

use std::error::Error;

use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TypeImpl};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Expr, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, ItemStruct, Pat, Stmt, parse_quote,
    visit_mut::VisitMut,
};

use crate::{
    checks::{self, optional},
    description::{Description, Operation, Parameter, Refusal},
    open_enum, relaxed_copy,
    schema::{array, in_words, is_time},
};

/// The three parts of progenitor's output that are used. Its `Client`, its `Error` and its hooks
/// are not: `src/client.rs` and `src/call.rs` stand in their place.
pub(crate) struct Generated {
    pub(crate) types: ItemMod,
    pub builder: ItemMod,
    pub starts: ItemImpl,
}

impl Generated {
    pub(crate) fn by_progenitor(description: &Description) -> Result<Self, Box<dyn Error>> {
        let spec = relaxed_copy::relaxed(&description.spec);
        let settings = settings(description)?;
        // What it doesn't support, it panics at.
        let generated =
            std::panic::catch_unwind(|| Generator::new(&settings).generate_tokens(&spec));
        let tokens =
            generated.map_err(|_| "progenitor can't generate a client for it: see above")??;
        let (mut types, mut builder, mut starts) = (None, None, None);
        for item in syn::parse2::<syn::File>(tokens)?.items {
            match item {
                Item::Mod(module) if module.ident == "types" => types = Some(module),
                Item::Mod(module) if module.ident == "builder" => builder = Some(module),
                // The last of the inherent ones: the first has the constructors.
                Item::Impl(block) if block.trait_.is_none() => starts = Some(block),
                _ => {}
            }
        }
        let missing = "progenitor's output has another shape than that of the pinned version";
        Ok(Self {
            types: types.ok_or(missing)?,
            builder: builder.ok_or(missing)?,
            starts: starts.ok_or(missing)?,
        })
    }
}

fn settings(description: &Description) -> Result<GenerationSettings, Box<dyn Error>> {
    let mut settings = GenerationSettings::default();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_hooks(HooksMode::Expected)
        .with_derive("PartialEq");
    // `decimal` is the format that other generators read as a float.
    for format in ["decimal-text", "decimal"] {
        settings.with_conversion(
            serde_json::from_value(serde_json::json!({ "type": "string", "format": format }))?,
            "crate::types::Decimal",
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
    }
    for name in open_enum::names(description) {
        let impls = [TypeImpl::Display, TypeImpl::FromStr].into_iter();
        settings.with_replacement(name, format!("crate::types::{name}"), impls);
    }
    Ok(settings)
}

/// `Client::list_…()`: where a call begins.
pub(crate) fn starts(
    description: &Description,
    mut block: ItemImpl,
) -> Result<TokenStream, Refusal> {
    for item in &mut block.items {
        let ImplItem::Fn(start) = item else { continue };
        let operation = description
            .operations
            .iter()
            .find(|operation| operation.function == start.sig.ident)
            .ok_or_else(|| format!("`{}` is no operation of the description", start.sig.ident))?;
        let doc = doc_of(&start.attrs);
        // Progenitor ends with an example that no compiler sees.
        let doc = doc.split("```").next().unwrap_or_default().trim_end();
        let scopes = operation.scopes.join("`, `");
        let doc = format!("{doc}\n\nNeeds the scope `{scopes}`.");
        let (function, builder) = (&operation.function, &operation.variant);
        *start = parse_quote! {
            #[doc = #doc]
            pub fn #function(&self) -> builder::#builder {
                builder::#builder::new(self.clone())
            }
        };
    }
    Ok(block.into_token_stream())
}

pub(crate) fn module(
    description: &Description,
    mut module: ItemMod,
) -> Result<TokenStream, Refusal> {
    let items = module.content.take().map(|(_, items)| items).unwrap_or_default();
    let mut kept = TokenStream::new();
    for item in items {
        match item {
            Item::Struct(builder) => kept.extend(owning(builder)),
            Item::Impl(block) => kept.extend(builder(description, block)?),
            _ => {}
        }
    }
    Ok(quote! {
        /// One builder per operation: set its parameters, then `send` it or list its pages.
        pub mod builder {
            use super::types;
            use crate::path::encode_path;

            #kept
        }
    })
}

/// A builder owns its client. Its Debug shows no parameters: they are the caller's data.
fn owning(mut builder: ItemStruct) -> TokenStream {
    let name = &builder.ident;
    let debug = quote! {
        impl std::fmt::Debug for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!(#name)).finish_non_exhaustive()
            }
        }
    };
    let doc = doc_of(&builder.attrs);
    builder.attrs = vec![
        parse_quote! { #[doc = #doc] },
        parse_quote! { #[derive(Clone)] },
        parse_quote! { #[must_use = "a call does nothing until it is sent or listed"] },
    ];
    builder.generics = syn::Generics::default();
    for field in &mut builder.fields {
        if field.ident.as_ref().is_some_and(|name| name == "client") {
            field.ty = parse_quote! { crate::Client };
        }
    }
    quote! { #builder #debug }
}

fn builder(description: &Description, mut block: ItemImpl) -> Result<TokenStream, Refusal> {
    let syn::Type::Path(name) = &*block.self_ty else { return Ok(block.into_token_stream()) };
    let name = name.path.segments.last().map(|s| s.ident.clone());
    let operation = description
        .operations
        .iter()
        .find(|operation| Some(&operation.variant) == name.as_ref())
        .ok_or_else(|| format!("{name:?} is no operation of the description"))?;

    block.generics = syn::Generics::default();
    block.self_ty = parse_quote! { #name };
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        match function.sig.ident.to_string().as_str() {
            "new" => {
                function.vis = parse_quote! { pub(crate) };
                function.sig.inputs = parse_quote! { client: crate::Client };
            }
            "send" => into_call(description, operation, function)?,
            _ => setter(operation, function)?,
        }
    }
    let block = reworded(block.into_token_stream());
    let send = send(operation);
    let pages = pages(operation);
    Ok(quote! {
        #block
        impl #name { #send #pages }
    })
}

/// Arrays are taken from whatever can be iterated, and what can't be converted is told in our words.
fn setter(operation: &Operation, setter: &mut ImplItemFn) -> Result<(), Refusal> {
    let field = setter.sig.ident.clone();
    let Some(parameter) = operation.parameters.iter().find(|p| p.field == field) else {
        let doc = match field.to_string().as_str() {
            "body_map" => "Changes the request's body.",
            _ => "The request's body.",
        };
        setter.attrs = vec![parse_quote! { #[doc = #doc] }];
        return Ok(());
    };
    let Parameter { name, description, schema, required, .. } = parameter;
    let description = description.as_deref().unwrap_or("A parameter of the operation.");
    let doc = format!("{description}\n\nSent as `{name}`.");
    let kind = converted(setter)
        .ok_or_else(|| format!("{}: progenitor's `{field}` {OTHER_SHAPE}", operation.id))?;
    let some = if *required {
        quote! {}
    } else {
        quote! { .map(Some) }
    };
    *setter = if let Some(entry) = entry(&kind) {
        parse_quote! {
            #[doc = #doc]
            pub fn #field(
                mut self,
                entries: impl IntoIterator<Item = impl Into<#entry>>,
            ) -> Self {
                self.#field = Ok(entries.into_iter().map(Into::into).collect())#some;
                self
            }
        }
    } else {
        let problem = format!("`{name}` is not {}", in_words(schema));
        parse_quote! {
            #[doc = #doc]
            pub fn #field(mut self, value: impl TryInto<#kind>) -> Self {
                self.#field = value.try_into()#some.map_err(|_| #problem.to_owned());
                self
            }
        }
    };
    Ok(())
}

/// The type that a setter of progenitor's converts to.
fn converted(setter: &ImplItemFn) -> Option<syn::Type> {
    let bounds = setter.sig.generics.where_clause.as_ref()?.predicates.first()?;
    let syn::WherePredicate::Type(bounds) = bounds else { return None };
    let syn::TypeParamBound::Trait(bound) = bounds.bounds.first()? else { return None };
    argument(&bound.path)
}

fn entry(kind: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = kind else { return None };
    path.path.segments.last().filter(|last| last.ident == "Vec")?;
    argument(&path.path)
}

/// The one generic argument of a type or a trait.
fn argument(path: &syn::Path) -> Option<syn::Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(kind) => Some(kind.clone()),
        _ => None,
    }
}

/// Makes the call, with the checks in front, where progenitor's `send` makes a request.
fn into_call(
    description: &Description,
    operation: &Operation,
    send: &mut ImplItemFn,
) -> Result<(), Refusal> {
    let stumbled = || format!("{}: progenitor's `send` {OTHER_SHAPE}", operation.id);
    Refusals.visit_block_mut(&mut send.block);
    // The parameters, then the path and the headers: the names of its own variables give way to
    // parameters'.
    let stmts = &send.block.stmts;
    let headers = stmts.iter().rposition(|s| binds(s, "header_map")).ok_or_else(stumbled)?;
    let given = &stmts[..headers.checked_sub(1).ok_or_else(stumbled)?];

    let checks = checks::of(description, operation)?;
    let variant = &operation.variant;
    let path = path(operation);
    let query = query(operation);
    let body =
        optional(operation.body.as_ref().map(|_| quote! { crate::validate::json("body", &body)? }));
    let nothing = nothing(operation);
    *send = parse_quote! {
        fn __start(
            self,
            #[allow(unused)] __usage: crate::validate::Use,
        ) -> Result<crate::call::Start, crate::Error> {
            let __start = move || {
                #(#given)*
                #checks
                let mut __query = crate::call::Query::default();
                #query
                Ok(crate::call::Start {
                    client,
                    is_empty: #nothing,
                    call: crate::call::Call {
                        operation: crate::Operation::#variant,
                        path: #path,
                        query: __query,
                        body: #body,
                    },
                })
            };
            __start().map_err(|error: crate::Error| error.of(crate::Operation::#variant))
        }
    };
    Ok(())
}

const OTHER_SHAPE: &str = "has another shape than that of the pinned version";

fn path(operation: &Operation) -> TokenStream {
    let mut template = operation.path.clone();
    let mut arguments = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.in_path) {
        let place = format!("{{{}}}", parameter.name);
        if let Some(at) = template.find(&place) {
            arguments.push((at, &parameter.field));
        }
    }
    arguments.sort_by_key(|(at, _)| *at);
    for parameter in operation.parameters.iter().filter(|p| p.in_path) {
        template = template.replace(&format!("{{{}}}", parameter.name), "{}");
    }
    let arguments = arguments.iter().map(|(_, field)| quote! { encode_path(&#field.to_string()) });
    quote! { format!(#template, #(#arguments),*) }
}

/// In the order of their names.
fn query(operation: &Operation) -> TokenStream {
    let mut parameters: Vec<_> = operation.parameters.iter().filter(|p| !p.in_path).collect();
    parameters.sort_by_key(|p| &p.name);
    let lines =
        parameters.into_iter().map(|Parameter { name, field, required, schema, .. }| {
            let (entries, one) = match array(schema) {
                Some(array) => {
                    (true, array.items.clone().and_then(|items| items.unbox().into_item()))
                }
                None => (false, Some(schema.clone())),
            };
            let values = match (entries, required) {
                (true, true) | (false, false) => quote! { #field.iter() },
                (true, false) => quote! { #field.iter().flatten() },
                (false, true) => quote! { [&#field].into_iter() },
            };
            let as_text = one.filter(is_time).map(|_| quote! { .map(crate::call::rfc3339) });
            quote! { __query.add(#name, #values #as_text); }
        });
    quote! { #(#lines)* }
}

/// Whether a filter array is empty.
fn nothing(operation: &Operation) -> TokenStream {
    let filters = operation.parameters.iter().filter(|p| !p.in_path && array(&p.schema).is_some());
    let empty: Vec<_> = filters
        .map(|Parameter { field, required, .. }| {
            if *required {
                quote! { #field.is_empty() }
            } else {
                quote! { #field.as_ref().is_some_and(Vec::is_empty) }
            }
        })
        .collect();
    if empty.is_empty() {
        quote! { false }
    } else {
        quote! { #(#empty)||* }
    }
}

fn binds(stmt: &Stmt, name: &str) -> bool {
    matches!(stmt, Stmt::Local(local) if matches!(&local.pat, Pat::Ident(pat) if pat.ident == name))
}

/// Progenitor's `Error::InvalidRequest` is ours.
struct Refusals;

impl VisitMut for Refusals {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Path(path) if path.path == parse_quote! { Error::InvalidRequest }) {
            *expr = parse_quote! { crate::Error::invalid };
        }
        syn::visit_mut::visit_expr_mut(self, expr);
    }
}

/// Progenitor's messages in our words.
pub(crate) fn reworded(tokens: TokenStream) -> TokenStream {
    let reworded = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), reworded(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        TokenTree::Literal(literal) => match in_our_words(&literal.to_string()) {
            Some(text) => TokenTree::Literal(Literal::string(&text)),
            None => TokenTree::Literal(literal),
        },
        other => other,
    });
    reworded.collect()
}

fn in_our_words(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    if let Some(name) = text.strip_suffix(" was not initialized") {
        return Some(format!("`{name}` is missing"));
    }
    if let Some(name) = text.strip_prefix("no value supplied for ") {
        return Some(format!("`{name}` is missing"));
    }
    let converted = text.strip_prefix("error converting supplied value for ");
    let converted = converted.or_else(|| {
        text.strip_prefix("conversion to `")
            .and_then(|rest| rest.split_once("` for "))
            .map(|of| of.1)
    })?;
    let name = converted.trim_end_matches(": {}").trim_end_matches(" failed");
    Some(format!("`{name}` can't be converted: {{}}"))
}

fn send(operation: &Operation) -> TokenStream {
    let answer = format_ident!("{}", operation.answer);
    quote! {
        /// Options of this call or listing. What they name overrides the client's.
        pub fn options(mut self, options: crate::CallOptions) -> Self {
            self.client = self.client.with_options(options);
            self
        }

        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, where a parameter is missing or outside
        /// the bounds of the description; otherwise as [`ErrorKind`](crate::ErrorKind) tells.
        pub async fn send(self) -> Result<crate::ResponseValue<types::#answer>, crate::Error> {
            self.__start(crate::validate::Use::Send)?.send().await
        }
    }
}

fn pages(operation: &Operation) -> TokenStream {
    let Some(listing) = &operation.listing else { return quote! {} };
    let (answer, item) = (format_ident!("{}", operation.answer), format_ident!("{}", listing.item));
    let value = &listing.value;
    let at_scale = if listing.has_windows {
        "\n\nWith [`concurrency`](crate::Items::concurrency) many requests list it at once."
    } else {
        ""
    };
    let split = operation
        .parameters
        .iter()
        .any(|p| array(&p.schema).is_some_and(|a| a.max_items.is_some()));
    let split = if split {
        "\n\nA filter with more entries than one request may carry is split over several, and \
         their records are merged in order."
    } else {
        ""
    };
    let items_doc = format!(
        "Every record of the listing, from page to page, as a stream.\n\nNothing is sent before \
         the first poll. An empty filter array is an empty listing, without a request.{split}{at_scale}"
    );
    quote! {
        pub(crate) const LISTING: &'static crate::listing::Listing = &#value;

        /// The listing page by page, as a stream.
        ///
        /// Nothing is sent before the first poll. An empty filter array is an empty listing,
        /// without a request.
        #[must_use = "streams do nothing unless polled"]
        pub fn pages(self) -> crate::Pages<types::#answer> {
            crate::Pages::new(self.__start(crate::validate::Use::Pages))
        }

        #[doc = #items_doc]
        #[must_use = "streams do nothing unless polled"]
        pub fn items(self) -> crate::Items<types::#item> {
            crate::Items::new::<types::#answer>(Self::LISTING, self.__start(crate::validate::Use::Items))
        }
    }
}

fn doc_of(attrs: &[syn::Attribute]) -> String {
    attrs
        .iter()
        .filter_map(|attr| match &attr.meta {
            syn::Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
                Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
        .collect::<Vec<_>>()
        .join("\n")
}
