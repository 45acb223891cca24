//! Enums of the runtime that the generator has a copy of, because generated code names their
//! variants.

use std::fs;

use syn::{File, Item};

/// Returns the variants of an enum in a source file.
fn variants(file: &str, name: &str) -> Vec<String> {
    let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
    let file: File = syn::parse_str(&fs::read_to_string(path).unwrap()).unwrap();
    let is_it = |item| match item {
        Item::Enum(found) if found.ident == name => Some(found),
        _ => None,
    };
    let found = file.items.into_iter().find_map(is_it).unwrap();
    found.variants.iter().map(|variant| variant.ident.to_string()).collect()
}

#[test]
fn the_enums_of_the_generator_have_the_variants_of_the_runtime() {
    for ((own, name), (runtime, its_name)) in [
        (
            ("generator/src/model/value_kind.rs", "ValueKind"),
            ("runtime/src/validate/kind.rs", "Kind"),
        ),
        (("generator/src/model/description.rs", "Token"), ("runtime/src/operation.rs", "Token")),
    ] {
        let variants = [variants(own, name), variants(runtime, its_name)];

        assert!(variants[0].len() > 2, "{name}: {variants:?}");
        assert_eq!(variants[0], variants[1], "{name}");
    }
}
