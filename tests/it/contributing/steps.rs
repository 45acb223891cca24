//! Finds forgotten steps for a new operation by reading the repository's files.

use std::{fs, path::Path};

use super::description::{Description, Operation};

/// A step's number, its file, what an operation needs in the file, and a function that returns
/// whether the file's text contains it.
type Needed = (u8, &'static str, &'static str, fn(&Operation, &str) -> bool);

/// Returns a line for each step from CONTRIBUTING.md that was forgotten in the repository at
/// `root`.
pub(super) fn forgotten(root: &Path) -> Vec<String> {
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let places: [Needed; 7] = [
        (3, "src/sandbox/routes.rs", "line in `ROUTES`", has_route),
        (4, "tests/golden/client.rs", "method, so renew the file", has_method),
        (4, "tests/golden/api.txt", "line, so renew the file", has_public_method),
        (5, "tests/it/specification.rs", "row in `OPERATIONS`", has_row),
        (5, "tests/it/sandbox/pages.rs", "row in `LISTINGS`", has_pages),
        (6, "README.md", "row in the table of operations", has_table_row),
        (6, "CHANGELOG.md", "line", has_name),
    ];
    let operations = Description::of(&read("openapi.yaml")).operations();
    let mut forgotten = Vec::new();
    for (step, file, what, has) in places {
        let text = read(file);
        for operation in operations.iter().filter(|operation| !has(operation, &text)) {
            let id = &operation.id;
            forgotten.push(format!("{file} has no {what}: {id} (step {step} of CONTRIBUTING.md)"));
        }
    }
    forgotten
}

fn has_route(operation: &Operation, text: &str) -> bool {
    text.contains(&format!("\n    {}, ", operation.name().to_uppercase()))
}

fn has_method(operation: &Operation, text: &str) -> bool {
    text.contains(&format!("    pub fn {}(&self)", operation.name()))
}

fn has_public_method(operation: &Operation, text: &str) -> bool {
    text.contains(&format!("::Client::{}(&self)", operation.name()))
}

fn has_row(operation: &Operation, text: &str) -> bool {
    let Operation { method, path, scope, .. } = operation;
    let row =
        [format!("method: {method:?},"), format!("path: {path:?},"), format!("scope: {scope:?},")];
    text.contains(&row.join("\n        "))
}

/// Returns whether `text` has a row with the listing's path, ignoring path parameters. Returns true
/// if the operation isn't a listing.
fn has_pages(operation: &Operation, text: &str) -> bool {
    let is_its = |path: &str| {
        let mut pairs = std::iter::zip(path.split('/'), operation.path.split('/'));
        path.split('/').count() == operation.path.split('/').count()
            && pairs.all(|(sent, described)| described.starts_with('{') || sent == described)
    };
    let mut paths = text.split("path: \"").skip(1).filter_map(|rest| rest.split('"').next());
    !operation.is_listing || paths.any(is_its)
}

fn has_table_row(operation: &Operation, text: &str) -> bool {
    let (name, scope) =
        (format!("| `{}` |", operation.name()), format!("| `{}` |", operation.scope));
    text.lines().any(|line| line.starts_with(&name) && line.ends_with(&scope))
}

fn has_name(operation: &Operation, text: &str) -> bool {
    text.contains(&format!("`{}`", operation.name()))
}
