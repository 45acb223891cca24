//! Chooses unique Rust names for the generated code.

use std::collections::BTreeSet;

use heck::{ToPascalCase, ToSnakeCase};

/// The names that are already taken in one namespace.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

/// The kind of item that a name is for, which determines the name's case and the reserved names.
#[derive(Clone, Copy)]
pub(crate) enum Named {
    /// A type in the generated module `types`.
    Type,
    /// A variant of an open enum.
    Variant,
    /// A field of a type.
    Field,
    /// A builder's setter for a parameter.
    Setter,
    /// A `Client` method for an operation. The operation's builder and constant have the same name
    /// in a different case.
    Operation,
}

/// The keywords of the Rust 2024 edition, including reserved keywords.
const KEYWORDS: &str = "abstract as async await become box break const continue crate do dyn else \
     enum extern false final fn for gen if impl in let loop macro match mod move mut override priv \
     pub ref return Self self static struct super trait true try type typeof unsafe unsized use \
     virtual where while yield";

/// The names from Rust's prelude and derive macros that the generated code uses.
const PRELUDE: &str = "AsRef Box Clone Copy Debug Default Deserialize Drop Eq Err Extend Fn FnMut \
     FnOnce From Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result \
     Self Send Serialize Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec";

/// The names that the module `types` contains in every client.
const TYPES: &[&str] = &["Decimal", "Unknown"];

/// The names of builder methods that don't set a parameter.
const BUILDER: &[&str] =
    &["body", "builder", "check", "clone", "items", "maybe", "new", "options", "pages", "send"];

/// The names of `Client` methods that don't belong to an operation.
const CLIENT: &[&str] =
    &["builder", "clone", "from_env", "release_holds", "with_credentials", "with_options"];

impl Names {
    /// Chooses a Rust name that is unique in this namespace, and marks it as taken. `wire` is the
    /// item's name in the OpenAPI description.
    pub(crate) fn give(&mut self, named: Named, wire: &str) -> String {
        let name = spelled(named, wire);
        let numbered = |number: usize| match named {
            Named::Type | Named::Variant => format!("{name}{number}"),
            Named::Field | Named::Setter | Named::Operation => {
                format!("{}_{number}", name.trim_end_matches('_'))
            }
        };
        // Two different method names can produce the same builder name, so the builder's name is
        // recorded.
        let taken_by = |name: &str| match named {
            Named::Operation => name.to_pascal_case(),
            _ => name.to_owned(),
        };
        let mut free = name.clone();
        let mut number = 1;
        while !self.taken.insert(taken_by(&free)) {
            number += 1;
            free = numbered(number);
        }
        free
    }
}

fn is_prelude(name: &str) -> bool {
    PRELUDE.split(' ').any(|known| known == name)
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split(' ').any(|known| known == name)
}

fn spelled(named: Named, wire: &str) -> String {
    let plain: String =
        wire.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = match named {
        Named::Type | Named::Variant => settled(&plain, str::to_pascal_case),
        _ => settled(&plain, str::to_snake_case),
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match named {
        Named::Type if !starts => format!("X{name}"),
        Named::Type if is_prelude(&name) || TYPES.contains(&&*name) => {
            format!("{name}Type")
        }
        Named::Variant if name.is_empty() && wire.is_empty() => "Empty".to_owned(),
        Named::Variant if !starts => format!("Value{name}"),
        Named::Variant if matches!(&*name, "Unknown" | "Self") => format!("{name}Value"),
        Named::Type | Named::Variant => name,
        _ if !starts => format!("x{name}"),
        Named::Field if is_keyword(&name) => format!("{name}_"),
        Named::Setter if is_keyword(&name) || BUILDER.contains(&&*name) => {
            format!("{name}_")
        }
        Named::Operation
            if is_keyword(&name)
                || CLIENT.contains(&&*name)
                || is_prelude(&name.to_pascal_case())
                || name == "all" =>
        {
            format!("{name}_operation")
        }
        _ => name,
    }
}

/// Applies `case` to a name until the name no longer changes, so that typify doesn't change it
/// either. For example, `A_B` becomes `AB`, and then `Ab`.
fn settled(name: &str, case: fn(&str) -> String) -> String {
    let once = case(name);
    let again = case(&once);
    if once == again { once } else { settled(&again, case) }
}
