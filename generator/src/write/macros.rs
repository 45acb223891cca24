//! Generates calls to the runtime's macros.
//!
//! The formatter doesn't format the arguments of macros. Therefore, the arguments are first
//! formatted as plain items between two markers. The markers are then replaced with a macro call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

const BEGIN: &str = "__BEGIN_";
const END: &str = "__END";

/// Puts items between two markers, so that [`called`] can turn the items into the arguments of the
/// macro `name`. Returns `None` if there are no items.
pub(super) fn group(name: &str, items: &TokenStream) -> Option<TokenStream> {
    let (begin, end) = (format_ident!("{BEGIN}{name}"), format_ident!("{END}"));
    (!items.is_empty()).then(|| quote! { const #begin: () = (); #items const #end: () = (); })
}

/// Turns each group of items between two markers into a macro call. `file` is formatted code.
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
