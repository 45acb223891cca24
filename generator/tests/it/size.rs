//! Large OpenAPI descriptions.

use crate::script::{one_operation, run};

/// Returns a description with one operation, and with this statement at the top level.
fn with(statement: &str) -> String {
    one_operation().to_string().replacen('{', &format!("{{{statement},"), 1)
}

fn list(entry: &str, length: usize) -> String {
    format!("[{}]", vec![entry; length].join(","))
}

#[test]
fn a_large_description_is_read() {
    let aliases = list("*a", 1_000);
    for (case, statement) in [
        ("nodes", format!("x-a: {}", list("0", 251_000))),
        ("aliases", format!("x-a: &a {{}}, x-b: {aliases}")),
        ("nodes of aliases", format!("x-a: &a {}, x-b: {aliases}", list("0", 1_100))),
        ("levels", format!("x-a: {}{}", "[".repeat(200), "]".repeat(200))),
    ] {
        let outcome = run(&with(&statement));

        assert_eq!(outcome.refusals, [""; 0], "{case}");
        assert!(outcome.generated.is_some(), "{case}");
    }
}

#[test]
fn a_refusal_of_a_large_description_has_its_place() {
    let outcome = run(&with(&format!("x-a: &a {{}}, x-b: {}, other: 1", list("*a", 1_000))));

    let reason = "is not a keyword of the document in OpenAPI 3.0";
    assert_eq!(outcome.refusals, [format!("document → other: {reason}")]);
}
