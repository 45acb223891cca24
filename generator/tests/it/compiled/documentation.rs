//! The texts of an OpenAPI description in the generated docs. rustdoc must not read them as links,
//! tags or doctests, and no word may be lost.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{Copy, YAML, text};

/// Markdown and characters that are difficult for rustdoc.
const TEXT: &str = "A Vec<String> of [brackets], [`Missing`] and [broken](link, see \
    https://service.example/docs?of=[1].\n\
    \n# Heading <b>bold</b> <unclosed `tick & */ \"quoted\" {braces} \\ \u{202e}turned\u{202c}\n\
    \n    let indented = panic!();\n\
    \n- item\n\n      deeper();\n\
    \n# Heading\n    panic!(\"below\");\n\n-     panic!(\"beside\");\n\
    \n> ```\n> panic!(\"quoted\");\n> ```\n>\n>     panic!(\"indented\");\n\
    \n```rust\npanic!(\"ran\");\n```\n\
    \n~~~\nlet tildes: Vec<u8> = [];\n~~~\n\
    \n| a | b |\n|---|---|\n| `x | y` | <c> |\n\
    \n```\nlet \u{202e}unclosed\u{202c} = [";

/// An operation with difficult names and without descriptions.
const NAMES: &str = r##"{
    "get": {
        "operationId": "readOdd",
        "security": [{ "oauth2": ["odd`scope`"] }],
        "parameters": [
            { "name": "`tick``[x]`", "in": "query", "schema": { "type": "string" } },
            { "name": "turn\u202ed", "in": "query", "schema": { "enum": ["``a`", "`", "b\n\n    c", "<d>"] } }
        ],
        "responses": {
            "200": {
                "description": "Odd.",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Odd" } } }
            }
        }
    }
}"##;

#[test]
#[ignore = "run by .ci/run, which builds documentation anyway"]
fn hostile_texts_neither_warn_nor_run_nor_lose_a_word() {
    let copy = Copy::new("documented");
    let mut whole: Value = serde_saphyr::from_str(YAML).unwrap();
    whole["paths"]["/v2/`odd``/<b>"] = serde_json::from_str(NAMES).unwrap();
    let flows = "/components/securitySchemes/oauth2/flows/clientCredentials/scopes/odd`scope`";
    let (scopes, scope) = flows.rsplit_once('/').unwrap();
    whole.pointer_mut(scopes).unwrap()[scope] = "Odd.".into();
    whole["components"]["schemas"]["Odd"] = json!({
        "type": "object",
        "properties": { "a`b": { "type": "string" }, "[c]\u{202e}": { "type": "string" }, "": {} },
    });
    let mut count = 0;
    for part in ["/paths", "/components/schemas"] {
        spoil(whole.pointer_mut(part).unwrap(), "", &mut count);
    }
    copy.describe(&whole.to_string());

    let docs = Copy::target().join("doc/digital_assets");
    let _ = fs::remove_dir_all(&docs);
    let documented =
        copy.cargo_with(&["doc", "--no-deps", "--lib"], &[("RUSTDOCFLAGS", "-D warnings")]);
    let run = copy.cargo(&["test", "--doc", "generated::"]);

    assert!(documented.status.success(), "{}", text(&documented));
    let pages = pages(&docs);
    let lost: Vec<_> = (0..count).map(word).filter(|word| !pages.contains(word)).collect();
    assert!(lost.is_empty() && count > 50, "{count} texts, without {lost:?}");
    for part in ["Vec&lt;String&gt;", "[brackets]", "let indented", "&lt;unclosed", "deeper()"] {
        assert!(pages.contains(part), "{part}");
    }
    // Names are code spans, so Markdown and entities in them have no effect.
    for name in [
        "GET /v2/`odd``/&lt;b&gt;",
        "odd`scope`",
        "`tick``[x]`",
        "turn\\u{202e}d",
        "``a`",
        "`",
        "b\\n\\n    c",
        "&lt;d&gt;",
        "a`b",
        "[c]\\u{202e}",
        "\"\"",
    ] {
        assert!(pages.contains(&format!("<code>{name}</code>")), "{name}");
    }
    assert!(pages.contains("let \\u{202e}unclosed\\u{202c}") && !pages.contains("&amp;#x202E"));
    let run = text(&run);
    let tests =
        run.lines().filter(|line| line.starts_with("test src") || line.starts_with("test /"));
    assert!(
        tests.clone().count() > 0 && tests.clone().all(|test| test.contains("builder")),
        "{run}"
    );
    assert!(run.contains("test result: ok"), "{run}");
}

/// Returns a unique word for the first line of a text.
fn word(number: usize) -> String {
    format!("word{number}word")
}

/// Replaces the texts of operations, parameters, schemas and properties by `TEXT`, each with a
/// unique word.
fn spoil(value: &mut Value, key: &str, count: &mut usize) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let is_text = ["description", "summary"].contains(&&**name) && field.is_string();
                if is_text && key != "response" {
                    *field = format!("The {}. {TEXT}", word(*count)).into();
                    *count += 1;
                } else if !name.starts_with("x-") && !name.starts_with("example") {
                    let is_answer =
                        name.len() == 3 && name.starts_with(|c: char| c.is_ascii_digit());
                    spoil(field, if is_answer { "response" } else { name }, count);
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| spoil(entry, key, count)),
        _ => {}
    }
}

fn pages(folder: &Path) -> String {
    let mut pages = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages += &self::pages(&path);
        } else if path.extension().is_some_and(|kind| kind == "html") {
            pages += &fs::read_to_string(&path).unwrap();
        }
    }
    pages
}
