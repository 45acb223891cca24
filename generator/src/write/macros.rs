//! Calls of the runtime's macros. Their contents have the form of items, so that they are formatted as
//! items are.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

const BEGIN: &str = "__BEGIN_";
const END: &str = "__END";

/// The items, between marks that [`called`] makes a call of this macro. Nothing without items.
pub(super) fn group(name: &str, items: &TokenStream) -> Option<TokenStream> {
    let (begin, end) = (format_ident!("{BEGIN}{name}"), format_ident!("{END}"));
    (!items.is_empty()).then(|| quote! { const #begin: () = (); #items const #end: () = (); })
}

/// The formatted file, with a call of its macro around each group.
pub(super) fn called(file: &str) -> String {
    let mut called = String::new();
    let mut is_within = false;
    for line in file.lines() {
        let mark = line.trim_start().strip_prefix("const ").and_then(|rest| rest.split(':').next());
        let indent = &line[..line.len() - line.trim_start().len()];
        match mark.map(|mark| (mark.strip_prefix(BEGIN), mark == END)) {
            Some((Some(name), _)) => {
                called.extend([indent, "codegen::", name, "! {\n"]);
                is_within = true;
            }
            Some((None, true)) => {
                called.extend([indent, "}\n"]);
                is_within = false;
            }
            _ => {
                let deeper = if is_within && !line.is_empty() { "    " } else { "" };
                called.extend([deeper, line, "\n"]);
            }
        }
    }
    called
}
