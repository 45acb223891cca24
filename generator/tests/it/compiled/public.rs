//! OpenAPI descriptions of other services, for `tests/description/public`: prints the supported
//! operations and the reasons for errors, and compiles all supported operations together.

#![allow(clippy::print_stdout, reason = "the test prints a table")]

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use serde_json::{Map, Value, json};

use super::{Copy, text};
use crate::script;

pub(super) const METHODS: [&str; 8] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

#[test]
#[ignore = "run by tests/description/public"]
fn what_is_served_of_public_descriptions_compiles() {
    let files = env::var("DESCRIPTIONS").expect("the files' names, a line each");
    for file in files.lines() {
        let yaml = fs::read_to_string(file).unwrap();
        let options = serde_saphyr::options! { strict_booleans: true, budget: None };
        let whole: Value = serde_saphyr::from_str_with_options(&yaml, options).unwrap();
        let name = Path::new(file).file_stem().unwrap().to_str().unwrap().replace('.', "-");
        compiles(&name, &report(&name, &whole));
    }
}

/// Prints the numbers of supported operations and of errors, and returns the supported operations.
fn report(name: &str, whole: &Value) -> Value {
    let mut served = Map::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut count, mut as_described) = (0, 0);
    for (path, item) in whole["paths"].as_object().unwrap() {
        let is_method = |keyword: &str| METHODS.contains(&keyword);
        for method in item.as_object().unwrap().keys().filter(|keyword| is_method(keyword)) {
            count += 1;
            let mut item = item.clone();
            item.as_object_mut()
                .unwrap()
                .retain(|keyword, _| keyword == method || !is_method(keyword));
            let alone = of(whole, &json!({ path: item }));
            let refusals = script::run(&alone.to_string()).refusals;
            as_described += usize::from(refusals.is_empty());
            let open = without_security(alone);
            let outcome = script::run(&open.to_string());
            let others: BTreeSet<_> = outcome.refusals.iter().map(|line| reason(line)).collect();
            let all: BTreeSet<_> = refusals.iter().map(|line| reason(line)).collect();
            for reason in all.union(&others) {
                *reasons.entry(reason.clone()).or_default() += 1;
            }
            if outcome.generated.is_some() {
                let kept = served.entry(path).or_insert_with(|| item.clone());
                kept[method] = item[method].clone();
            }
        }
    }
    let left: usize = served.values().map(|item| methods(item).count()).sum();
    println!("\n{name}: {count} operations, {as_described} supported, {left} without `security`");
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in reasons {
        println!("{count:6}  {reason}");
    }
    let served = without_security(of(whole, &served.into()));
    let made = script::run(&served.to_string()).generated;
    let made = made.expect("operations that are supported alone are supported together");
    let count = |code: &str| made.matches(code).count();
    let (listings, windows) = (count("pub fn items(self)"), count("time_range: Some("));
    println!("   {listings} are listings, {windows} of them in windows");
    served
}

fn methods(item: &Value) -> impl Iterator<Item = &String> {
    item.as_object().unwrap().keys().filter(|keyword| METHODS.contains(&keyword.as_str()))
}

/// Returns the reason for an error, without names from the description.
pub(super) fn reason(line: &str) -> String {
    let (place, reason) = line.split_once(": ").unwrap_or_else(|| panic!("no reason in {line}"));
    let field = place.rsplit(" → ").next().unwrap();
    let mut parts = reason.split('`');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(after)) = (parts.next(), parts.next()) {
        plain += "`…`";
        plain += after;
    }
    // For an unsupported keyword, the reason is only clear together with the keyword.
    if METHODS.contains(&field) || ["explode", "style", "not", "nullable"].contains(&field) {
        return format!("{field}: {plain}");
    }
    plain
}

fn without_security(mut description: Value) -> Value {
    description.as_object_mut().unwrap().remove("security");
    for item in description["paths"].as_object_mut().unwrap().values_mut() {
        for (_, operation) in item.as_object_mut().unwrap() {
            if let Some(operation) = operation.as_object_mut() {
                operation.remove("security");
            }
        }
    }
    description
}

/// Returns the part of a description with these paths and the components that they use.
pub(super) fn of(whole: &Value, paths: &Value) -> Value {
    let mut part = json!({ "openapi": whole["openapi"], "info": whole["info"], "paths": paths });
    for keyword in ["security", "tags", "x-pagination"] {
        if let Some(value) = whole.get(keyword) {
            part[keyword] = value.clone();
        }
    }
    let mut components = Map::new();
    if let Some(schemes) = whole["components"].get("securitySchemes") {
        components.insert("securitySchemes".into(), schemes.clone());
    }
    let mut left = references(paths);
    while let Some(reference) = left.pop() {
        let mut parts = reference.trim_start_matches("#/components/").splitn(2, '/');
        let (Some(section), Some(name)) = (parts.next(), parts.next()) else { continue };
        let Some(target) = whole["components"][section].get(name) else { continue };
        let known = components.entry(section).or_insert_with(|| json!({}));
        if known.get(name).is_none() {
            known[name] = target.clone();
            left.extend(references(target));
        }
    }
    part["components"] = components.into();
    part
}

/// Returns the references in a value.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.starts_with("#/components/") => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(references).collect(),
        Value::Object(fields) => fields.values().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

fn compiles(name: &str, served: &Value) {
    let count: usize =
        served["paths"].as_object().unwrap().values().map(|i| methods(i).count()).sum();
    if count == 0 {
        return;
    }
    let copy = Copy::new(&format!("public-{name}"));
    copy.describe(&served.to_string());
    let check = copy.cargo(&["check", "--lib", "--features", "pattern,schemars"]);
    let said = text(&check);
    assert!(check.status.success(), "{name}: {said}");
    let mut warnings = said.lines().filter(|line| line.starts_with("warning"));
    assert!(warnings.all(|line| line.contains("openapi.yaml:")), "{name}: {said}");
    println!("   the {count} compile together");
}
