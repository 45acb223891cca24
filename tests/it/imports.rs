//! Tests of the imports in each package: no cycles, a fixed order of the modules, and no mention of
//! the service in the packages that this crate is built on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The source directory of each package, and its modules in order. A module imports only from
/// itself and from modules before it.
const PACKAGES: [(&str, &[&str]); 4] = [
    (
        "runtime/src",
        &[
            "operation",
            "future",
            "lock",
            "json",
            "raw_response",
            "error",
            "decode",
            "transport",
            "retry",
            "validate",
            "auth",
            "call",
            "client",
            "listing",
            "sandbox",
            "codegen",
            "lib",
        ],
    ),
    ("generator/src", &["document", "audit", "model", "write", "lib"]),
    ("src", &["client", "generated", "sandbox", "lib"]),
    ("cli/src", &[]),
];

/// Words that belong to this service: its nouns, its variables and its name.
const WORDS: [&str; 10] = [
    "quote execution",
    "quoteexecution",
    "quote_execution",
    "deposit address",
    "deposit_address",
    "monitoring address",
    "monitoring_address",
    "institution",
    "digital_assets",
    "digital-assets",
];

/// The parameters and properties that the listings of this service use for paging.
const PAGING: [&str; 6] =
    ["page_cursor", "page-cursor", "next_page_cursor", "limit", "order_by", "created_at"];

#[test]
fn no_files_of_a_package_import_each_other() {
    for (sources, _) in PACKAGES {
        let package = Package::read(sources);
        let imports = package.imports();
        let count: usize = imports.values().map(BTreeSet::len).sum();

        assert!(count > 3, "{sources}: only {count} imports were found");
        for file in imports.keys() {
            let way = way(&imports, file, file);
            assert!(
                way.is_none(),
                "{sources}: these import each other: {}",
                way.unwrap().join(" → ")
            );
        }
    }
}

#[test]
fn the_modules_of_a_package_import_only_from_those_before_them() {
    for (sources, order) in PACKAGES {
        if order.is_empty() {
            continue;
        }
        let place = |file: &str| {
            let module = file.split(['/', '.']).next().unwrap();
            let place = order.iter().position(|known| *known == module);
            place.unwrap_or_else(|| panic!("{sources}: `{module}` has no place in the order"))
        };
        for (file, imported) in Package::read(sources).imports() {
            for other in imported {
                assert!(place(&other) <= place(&file), "{sources}: {file} imports from {other}");
            }
        }
    }
}

#[test]
fn nothing_below_the_crate_names_its_service() {
    for sources in ["runtime/src", "generator/src"] {
        for (file, code) in Package::read(sources).files {
            let code = code.to_lowercase();
            let named = WORDS.iter().find(|word| code.contains(**word));
            assert!(named.is_none(), "{sources}/{file} names `{}`", named.unwrap());
        }
    }
}

#[test]
fn what_a_listing_works_by_is_named_in_the_description_alone() {
    // This file writes warnings about operations that look like listings. Nothing is generated from
    // its names.
    let suggested = "model/normalize/suggestion.rs";
    for sources in ["runtime/src", "generator/src", "cli/src"] {
        for (file, code) in Package::read(sources).files {
            let named = PAGING.iter().find(|name| code.contains(&format!("\"{name}\"")));
            assert!(named.is_none() || file == suggested, "{sources}/{file} names {named:?}");
        }
    }
}

#[test]
fn the_client_is_thin() {
    let files = Package::read("src").files.into_iter();
    let files = files.filter(|(file, _)| !file.starts_with("sandbox"));
    let lines = files.map(|(_, code)| {
        let lines = code.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    });
    let lines: usize = lines.sum();
    assert!(lines <= 150, "{lines} lines of code");
}

/// A package's files. Each key is a path below the source directory, and each value is the file's
/// code without its tests.
struct Package {
    files: BTreeMap<String, String>,
}

impl Package {
    fn read(sources: &str) -> Self {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(sources);
        let files = files(&sources).into_iter().map(|path| {
            let code = fs::read_to_string(&path).unwrap();
            let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
            (path.strip_prefix(&sources).unwrap().to_str().unwrap().to_owned(), code)
        });
        Self { files: files.collect() }
    }

    /// Returns the other files that each file imports from. A re-export doesn't count as an import.
    fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let imports = self.files.iter().map(|(file, code)| {
            let module = module(file);
            let paths = paths(&without_comments(code)).into_iter();
            let found = paths.filter_map(|path| self.file_of(&absolute(&module, &path)?));
            (file.clone(), found.filter(|other| other != file).collect())
        });
        imports.collect()
    }

    /// Returns the file that defines the item at this path of the package, or that re-exports it
    /// from outside its module.
    fn file_of(&self, path: &[String]) -> Option<String> {
        let mut module = Vec::new();
        let mut names = path.iter();
        for name in names.by_ref() {
            module.push(name.clone());
            if self.file(&module).is_none() {
                module.pop();
                let file = self.file(&module)?;
                let code = without_comments(&self.files[&file]);
                let exported = exports(&code).into_iter().find(|(_, known)| known == name);
                return match exported {
                    Some((from, _)) => {
                        let from = absolute(&module, &from)?;
                        // An item from another package has no file here.
                        self.file(&from)?;
                        let deeper = from.len() > module.len() && from.starts_with(&module);
                        if deeper {
                            self.file_of(&[from, vec![name.clone()]].concat())
                        } else {
                            Some(file)
                        }
                    }
                    None => Some(file),
                };
            }
        }
        self.file(&module)
    }

    fn file(&self, module: &[String]) -> Option<String> {
        let path = module.join("/");
        let names = if path.is_empty() {
            ["lib.rs".to_owned(), "main.rs".to_owned()]
        } else {
            [format!("{path}.rs"), format!("{path}/mod.rs")]
        };
        names.into_iter().find(|name| self.files.contains_key(name))
    }
}

/// Returns a chain of imports from one file to another.
fn way(imports: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in imports.get(way.last()?).into_iter().flatten() {
            let longer = [way.clone(), vec![next.clone()]].concat();
            if next == to {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                ways.push(longer);
            }
        }
    }
    None
}

/// Returns the Rust files in a directory, without tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let code = entries
        .filter(|path| !matches!(path.file_stem().unwrap().to_str(), Some("tests" | "fixture")));
    code.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

fn module(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs");
    let names = path.split('/').filter(|name| !matches!(*name, "mod" | "lib" | "main"));
    names.map(str::to_owned).collect()
}

/// Returns the full path from the root of the package, or `None` if the path belongs to another
/// package.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut from = module.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => from.clear(),
        "self" => {}
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                from.pop();
                rest = &rest[1..];
            }
            return Some([from, rest.to_vec()].concat());
        }
        _ => return None,
    }
    Some([from, rest[1..].to_vec()].concat())
}

fn without_comments(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the paths that a file imports or names, except its re-exports.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        match statement.rfind("use ").filter(|at| is_statement(&statement[..*at])) {
            Some(at) => {
                let exports = statement[..at].trim_end().ends_with(['b', ')']);
                if !exports {
                    found.extend(tree(statement[at + 4..].trim_end_matches(';')));
                }
                rest.push_str(&statement[..at]);
            }
            None => rest.push_str(statement),
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            if rest[..at]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '$' | '"' | '_'))
                || rest[..at].ends_with("](")
            {
                continue;
            }
            let path = rest[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let names = path.into_iter().next().unwrap().split("::").map(str::to_owned);
            found.push(names.filter(|name| !name.is_empty()).collect());
        }
    }
    found
}

/// Returns whether the text before `use` ends another item, or is the visibility of this `use`.
fn is_statement(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix("pub").unwrap_or(before).trim_end();
    let before = match before.rfind("pub(") {
        Some(at) if before.ends_with(')') => before[..at].trim_end(),
        _ => before,
    };
    before.is_empty() || before.ends_with(['}', '{', ']', ';'])
}

/// Returns a module's re-exports: the path of the module that has the item, and the item's name.
fn exports(code: &str) -> Vec<(Vec<String>, String)> {
    let statements = code.split_inclusive(';').filter_map(|statement| {
        let at = statement.rfind("use ")?;
        let exports = statement[..at].trim_end().ends_with(['b', ')']);
        exports.then(|| statement[at + 4..].trim_end_matches(';').to_owned())
    });
    let paths = statements.flat_map(|statement| tree(&statement)).collect::<Vec<_>>().into_iter();
    let paths = paths.filter_map(|mut path| {
        let name = path.pop()?;
        let first = path.first()?;
        if !matches!(first.as_str(), "crate" | "self" | "super") {
            path.insert(0, "self".to_owned());
        }
        Some((path, name))
    });
    paths.collect()
}

/// Returns the paths in a tree such as `a::{b, c::{self, d as e}}`.
fn tree(text: &str) -> Vec<Vec<String>> {
    let text = text.trim();
    let Some((head, group)) = text.split_once('{') else {
        let path = text.split(" as ").next().unwrap();
        let names = path.split("::").map(|name| name.trim().to_owned());
        let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        if names.len() > 1 && names.last().is_some_and(|name| name == "self") {
            names.pop();
        }
        return if names.is_empty() { Vec::new() } else { vec![names] };
    };
    let head: Vec<_> = head
        .split("::")
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let mut depth = 0;
    let parts = group.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| {
            let parts = if part.trim() == "self" { vec![Vec::new()] } else { tree(part) };
            parts.into_iter().map(|part| [head.clone(), part].concat()).collect::<Vec<_>>()
        })
        .collect()
}
