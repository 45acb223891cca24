//! Operations that are only added to `openapi.yaml` become commands without a change in the tool.

mod odd;
mod second;
mod service;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use digital_assets::OPENAPI_YAML;
use serde_json::Value;

use crate::copy::{Copy, copy_all, root};

/// The scopes of the added operations.
const SCOPES: &str = "            'transfer:read_transfer': Read transfers.
            'transfer:write_transfer': Make transfers.
            parcels.read: Read parcels
            parcels.write: Add parcels
            depots.read: Read depots
";

/// Returns a copy of the crate that contains a copy of the tool. Only the package names and the
/// OpenAPI description are changed.
fn grown() -> Copy {
    let copy = Copy::new("grown-tool");
    for part in ["cli/Cargo.toml", "cli/build.rs", "cli/README.md", "cli/src"] {
        copy_all(&root().join(part), &copy.0.join(part));
    }
    let more = include_str!("../../../../generator/tests/it/compiled/more.yaml");
    let schemas = include_str!("../../../../generator/tests/it/compiled/more_schemas.yaml");
    let [odd_paths, odd_schemas] = parts(include_str!("odd.yaml"));
    let [second_paths, second_schemas] =
        parts(include_str!("../../../../examples/parcels/openapi.yaml"));
    let paths = format!("{more}{odd_paths}{second_paths}");
    let schemas = format!("{schemas}{odd_schemas}{second_schemas}");
    let yaml = OPENAPI_YAML
        .replace("\ncomponents:\n", &format!("\n{paths}components:\n"))
        .replace("\n  schemas:\n", &format!("\n  schemas:\n{schemas}"))
        .replace("\n          scopes:\n", &format!("\n          scopes:\n{SCOPES}"));
    copy.describe(&yaml);

    rewrite(&copy.0.join("Cargo.toml"), |manifest| {
        manifest.replace("[workspace]\n", "[workspace]\nmembers = [\"cli\"]\n")
    });
    rewrite(&copy.0.join("cli/Cargo.toml"), |manifest| {
        manifest
            .replace("name = \"digital-assets-cli\"", "name = \"digital-assets-grown-cli\"")
            .replace("name = \"digital-assets\"", "name = \"digital-assets-grown\"")
            .replace("{ path = \"..\"", "{ package = \"digital-assets-grown-tool\", path = \"..\"")
            .replace(
                "path = \"../generator\"",
                &format!("path = \"{}/generator\"", root().display()),
            )
    });
    copy
}

/// Returns the paths and the schemas in an OpenAPI description.
fn parts(yaml: &str) -> [&str; 2] {
    let (paths, components) = yaml.split_once("components:\n").unwrap();
    [paths.split_once("paths:\n").unwrap().1, components.split_once("  schemas:\n").unwrap().1]
}

fn rewrite(path: &Path, change: impl Fn(String) -> String) {
    fs::write(path, change(fs::read_to_string(path).unwrap())).unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn operations_that_are_added_to_the_description_alone_have_their_commands() {
    let copy = grown();
    let build = copy.cargo(&["build", "--package", "digital-assets-grown-cli"]);
    assert!(build.status.success(), "{}", crate::copy::text(&build));
    let tool = Copy::target().join("debug/digital-assets-grown");
    let run =
        |arguments: &[&str]| -> Output { Command::new(&tool).args(arguments).output().unwrap() };

    let help = text(&run(&["--help"]).stdout);
    for command in ["list-transfers", "create-transfer", "list-moves", "get-transfer-leg"] {
        assert!(help.contains(&format!("  {command} ")), "{command}: {help}");
    }
    let page = text(&run(&["list-transfers", "--help"]).stdout);
    for words in [
        "--state <STATE>",
        "PENDING, COMPLETED",
        "--ids",
        "--created-at-gte <TIME>",
        "--concurrency",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains("Columns: id, amount, fee, created_at, state"), "{page}");
    let ddl = text(&run(&["sync", "list-transfers", "--to", "postgres://h/d", "--dry-run"]).stdout);
    assert!(ddl.contains("CREATE TABLE IF NOT EXISTS \"transfers\""), "{ddl}");
    assert!(ddl.contains("\"amount\" NUMERIC") && ddl.contains("\"feeLines\" JSONB"), "{ddl}");

    // The sandbox doesn't have these operations, so their calls fail with a 404, or because their
    // scopes are unknown.
    for arguments in [
        &["list-transfers", "--ids", "a,b,c", "--state", "COMPLETED"][..],
        &["get-transfer-leg", "--transfer-id", "t1", "--number", "9"],
        &["create-transfer", "--body", r#"{"target":{"assetCodes":["EUR"]}}"#],
    ] {
        let called = run(&[arguments, &["--sandbox"]].concat());
        assert_eq!(called.status.code(), Some(1), "{arguments:?}: {}", text(&called.stderr));
        let said = text(&called.stderr);
        assert!(said.contains("404") || said.contains("scope"), "{arguments:?}: {said}");
    }
    let refused = run(&["get-transfer-leg", "--transfer-id", "t1", "--number", "10", "--sandbox"]);
    assert!(text(&refused.stderr).contains("the maximum is 9"), "{}", text(&refused.stderr));
    let described = run(&["description", "--json"]).stdout;
    let described: Value = serde_json::from_slice(&described).unwrap();
    assert!(described["paths"].get("/v2/transfer/transfers").is_some());

    odd::parameters_of_a_change_are_arguments(&tool);
    odd::parameters_of_one_name_have_an_option_each(&tool);
    odd::a_body_is_demanded_where_the_description_demands_it(&tool);
    odd::a_listing_is_sent_its_body(&tool);
    odd::records_without_known_fields_come_whole_in_each_format(&tool);
    odd::fields_without_a_name_come_in_each_format(&tool);
    odd::a_table_is_verified_in_whatever_order_it_is_listed(&tool);
    second::options_are_those_of_the_description(&tool);
    second::a_listing_is_read_by_its_own_names(&tool);
    second::a_table_is_filled_and_verified_by_its_own_names(&tool);
    second::what_makes_no_sense_is_refused_by_its_own_names(&tool);
}
