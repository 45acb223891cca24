//! Spector's scenarios, for `tests/description/spector`: compiles their supported operations
//! together, which `tests/spector/play.rs` then calls.

#![allow(clippy::print_stdout, reason = "the table is the program's output")]

use std::{collections::BTreeMap, env, fs};

use serde_json::{Map, Value, json};

use super::{
    Copy,
    copy::root,
    public::{METHODS, of, reason},
    text,
};
use crate::script;

#[test]
#[ignore = "run by tests/description/spector"]
fn what_is_served_of_spector_passes_its_scenarios() {
    let file = env::var("SPECTOR").expect("what tests/spector/describe.js wrote");
    let mut spector: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let (served, refused) = split(&spector["description"]);
    for scenario in spector["scenarios"].as_array_mut().unwrap() {
        judge(scenario, &refused);
    }

    let copy = Copy::new("spector");
    copy.describe(&served.to_string());
    fs::create_dir_all(copy.0.join("src/bin")).unwrap();
    fs::copy(root().join("tests/spector/play.rs"), copy.0.join("src/bin/play.rs")).unwrap();
    let script = copy.0.join("build.rs");
    let build = fs::read_to_string(&script).unwrap();
    let build = build.replace(
        "fn main() {",
        "fn main() {\n    oas_client_build::run_tool(\"openapi.yaml\", \"digital_assets\");",
    );
    fs::write(script, build).unwrap();
    let manifest = copy.0.join("Cargo.toml");
    let packages = fs::read_to_string(&manifest).unwrap().replacen(
        "\n[dependencies]\n",
        "\n[dependencies]\ntokio = { version = \"1\", features = [\"net\", \"rt\", \"time\"] }\n",
        1,
    );
    fs::write(manifest, packages).unwrap();
    let scenarios = copy.0.join("scenarios.json");
    fs::write(&scenarios, spector["scenarios"].to_string()).unwrap();
    let run = ["run", "--quiet", "--bin", "play", "--features", "pattern"];
    let played = copy.cargo_with(&run, &[("SCENARIOS", scenarios.to_str().unwrap())]);

    println!("{}", text(&played));
    assert!(played.status.success());
}

/// Returns the description of the supported operations, and the errors of the others by method and
/// path.
fn split(whole: &Value) -> (Value, BTreeMap<String, String>) {
    let (mut served, mut refused) = (Map::new(), BTreeMap::new());
    for (path, item) in whole["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(METHODS.contains(&&**method), "{method}");
            let alone = of(whole, &json!({ path: { method: operation } }));
            if let Some(refusal) = script::run(&alone.to_string()).refusals.first() {
                refused.insert(format!("{} {path}", method.to_uppercase()), reason(refusal));
            } else {
                let item = served.entry(path).or_insert_with(|| json!({}));
                item[method] = operation.clone();
            }
        }
    }
    (of(whole, &served.into()), refused)
}

/// Adds the reason to a scenario that can't be played.
fn judge(scenario: &mut Value, refused: &BTreeMap<String, String>) {
    let calls = scenario["calls"].as_array_mut().unwrap();
    let name =
        |call: &Value| Some(format!("{} {}", call["method"].as_str()?, call["path"].as_str()?));
    let refusal = calls.iter().find_map(|call| refused.get(&name(call)?)).cloned();
    let unsaid = calls.iter().find_map(|call| call["unsaid"].as_str()).map(str::to_owned);
    calls.retain(|call| call.get("unsaid").is_none());
    scenario["refused"] = refusal.into();
    if let Some(unsaid) = unsaid {
        scenario["unsaid"] = unsaid.into();
    }
}
