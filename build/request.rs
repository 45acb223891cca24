//! The generated builders: progenitor writes their setters and their requests, and from there on
//! the call is the crate's own.

use std::error::Error;

use proc_macro2::TokenStream;
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TypeImpl};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Expr, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, ItemStruct, Pat, Stmt, parse_quote,
    visit_mut::VisitMut,
};

use crate::{
    checks,
    description::{Description, Operation, Parameter, Refusal},
    open_enum, relaxed_copy,
    schema::array,
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
        start.attrs = vec![parse_quote! { #[doc = #doc] }, parse_quote! { #[must_use] }];
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
            Item::Struct(builder) => kept.extend(without_values_in_debug(builder)),
            Item::Impl(block) => kept.extend(builder(description, block)?),
            _ => {}
        }
    }
    Ok(quote! {
        /// One builder an operation: set its parameters, then `send` it or walk its pages.
        pub mod builder {
            use super::types;
            use crate::path::encode_path;

            #kept
        }
    })
}

/// Parameters are the caller's data: addresses, identifiers.
fn without_values_in_debug(mut builder: ItemStruct) -> TokenStream {
    let name = &builder.ident;
    let debug = quote! {
        impl std::fmt::Debug for #name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!(#name)).finish_non_exhaustive()
            }
        }
    };
    let doc = doc_of(&builder.attrs);
    builder.attrs = vec![parse_quote! { #[doc = #doc] }, parse_quote! { #[derive(Clone)] }];
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

    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        match function.sig.ident.to_string().as_str() {
            "new" => function.vis = parse_quote! { pub(crate) },
            "send" => into_request(description, operation, function)?,
            _ => document_setter(operation, function),
        }
    }
    let send = send(operation);
    let pages = pages(operation);
    Ok(quote! {
        #block
        impl<'a> #name<'a> { #send #pages }
    })
}

fn document_setter(operation: &Operation, setter: &mut ImplItemFn) {
    let doc = match operation.parameters.iter().find(|p| p.field == setter.sig.ident) {
        Some(Parameter { name, description, .. }) => {
            let description = description.as_deref().unwrap_or("A parameter of the operation.");
            format!("{description}\n\nSent as `{name}`.")
        }
        None if setter.sig.ident == "body_map" => "Changes the request's body.".to_owned(),
        None => "The request's body.".to_owned(),
    };
    setter.attrs = vec![parse_quote! { #[doc = #doc] }, parse_quote! { #[must_use] }];
}

/// Keeps of progenitor's `send` what makes the request, and puts the checks in front of it.
fn into_request(
    description: &Description,
    operation: &Operation,
    send: &mut ImplItemFn,
) -> Result<(), Refusal> {
    let stumbled = || {
        format!(
            "{}: progenitor's `send` has another shape than that of the pinned \
                               version",
            operation.id
        )
    };
    Refusals.visit_block_mut(&mut send.block);
    // The path, the headers, the request: the names of its own variables give way to parameters'.
    let stmts = &send.block.stmts;
    let headers = stmts.iter().rposition(|s| binds(s, "header_map")).ok_or_else(stumbled)?;
    let url = headers.checked_sub(1).ok_or_else(stumbled)?;
    let built = stmts.iter().skip(headers + 1).position(|stmt| matches!(stmt, Stmt::Local(_)));
    let last = built.map(|built| built + headers + 1).ok_or_else(stumbled)?;

    let mut request = stmts[last].clone();
    let Stmt::Local(local) = &mut request else { return Err(stumbled()) };
    let Some(init) = &mut local.init else { return Err(stumbled()) };
    let Expr::Try(built) = &*init.expr else { return Err(stumbled()) };
    let built = &built.expr;
    let finish: Expr = parse_quote! { #built.map_err(crate::Error::unbuilt) };

    let (given, made) = (&send.block.stmts[..url], &send.block.stmts[url..last]);
    let made = made.iter().filter(|stmt| !is_version_header(stmt));
    let checks = checks::of(description, operation)?;
    let block = quote! { { #(#given)* #checks #(#made)* #finish } };
    send.block = syn::parse2(block).map_err(|e| e.to_string())?;
    send.sig = parse_quote! {
        fn __request(self, #[allow(unused)] __call: crate::validate::Call)
            -> Result<reqwest::Request, crate::Error>
    };
    send.vis = syn::Visibility::Inherited;
    send.attrs.clear();
    Ok(())
}

/// The service's specification knows no `api-version` header.
fn is_version_header(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(..)) && stmt.to_token_stream().to_string().contains("\"api-version\"")
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

fn send(operation: &Operation) -> TokenStream {
    let (variant, answer) = (&operation.variant, format_ident!("{}", operation.answer));
    quote! {
        /// Sends the request and reads its answer.
        ///
        /// # Errors
        ///
        /// `InvalidRequest`, before anything is sent, where a parameter is missing or outside
        /// the bounds of the description; otherwise as [`ErrorKind`](crate::ErrorKind) tells.
        pub async fn send(self) -> Result<crate::ResponseValue<types::#answer>, crate::Error> {
            let client = self.client;
            let operation = crate::Operation::#variant;
            let request =
                self.__request(crate::validate::Call::Send).map_err(|e| e.of(operation))?;
            client.call(operation, request).await
        }
    }
}

fn pages(operation: &Operation) -> TokenStream {
    let Some(listing) = &operation.listing else { return quote! {} };
    let (variant, answer) = (&operation.variant, format_ident!("{}", operation.answer));
    let item = format_ident!("{}", listing.item);
    let at_scale = listing.window.as_ref().map_or(
        "",
        |_| "\n\nWith [`concurrency`](crate::Items::concurrency) it is walked by many requests at once.",
    );
    let filters = operation.parameters.iter().filter(|p| !p.in_path && array(&p.schema).is_some());
    let filters: Vec<_> = filters
        .map(|p| {
            let field = &p.field;
            if p.required {
                quote! { matches!(&self.#field, Ok(entries) if entries.is_empty()) }
            } else {
                quote! { matches!(&self.#field, Ok(Some(entries)) if entries.is_empty()) }
            }
        })
        .collect();
    let nothing = if filters.is_empty() {
        quote! { false }
    } else {
        quote! { #(#filters)||* }
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
        /// The listing page by page, as a stream.
        ///
        /// Nothing is sent before the first poll. An empty filter array is an empty listing,
        /// without a request.
        #[must_use = "streams do nothing unless polled"]
        pub fn pages(self) -> crate::Pages<types::#answer> {
            crate::Pages::new(self.__start(crate::validate::Call::Pages))
        }

        #[doc = #items_doc]
        #[must_use = "streams do nothing unless polled"]
        pub fn items(self) -> crate::Items<types::#item> {
            crate::Items::new::<types::#answer>(self.__start(crate::validate::Call::Items))
        }

        fn __start(self, call: crate::validate::Call) -> Result<crate::listing::Start, crate::Error> {
            let operation = crate::Operation::#variant;
            let (client, nothing) = (self.client.clone(), #nothing);
            let request = self.__request(call).map_err(|e| e.of(operation))?;
            Ok(crate::listing::Start { client, operation, request, nothing })
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
