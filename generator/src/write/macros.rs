//! Calls of the runtime's macros. Their contents have the form of items, so that they are formatted
//! like items.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

const BEGIN: &str = "__BEGIN_";
const END: &str = "__END";

/// The items between marks, which [`called`] converts to a call of this macro. Empty if there are
/// no items.
pub(super) fn group(name: &str, items: &TokenStream) -> Option<TokenStream> {
    let (begin, end) = (format_ident!("{BEGIN}{name}"), format_ident!("{END}"));
    (!items.is_empty()).then(|| quote! { const #begin: () = (); #items const #end: () = (); })
}

/// Converts the marks in a formatted file: each group becomes a call of its macro.
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
