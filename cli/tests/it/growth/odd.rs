//! Commands for kinds of operations that aren't in `openapi.yaml`.

use std::{path::Path, process::Output};

use serde_json::json;

use super::{service::Service, text};

fn lines(run: &Output) -> String {
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    text(&run.stdout)
}

/// A command that changes or deletes something takes its parameters only from options. Otherwise, a
/// setting that is meant for listings could select what is deleted.
///
/// The tool's own settings, such as the client's id, aren't parameters of any command.
pub(super) fn parameters_of_a_change_are_arguments(tool: &Path) {
    let service = Service::of(&[("get /v2/owners/", r#"{"id":"1"}"#)]);

    for (arguments, needed) in [
        (&["delete-credentials"][..], "delete-credentials needs --client-id; see --help\n"),
        (&["get-credentials"], "get-credentials needs --client-id; see --help\n"),
        (&["patch-pet", "--id", "1", "--body", "{}"], "patch-pet needs --owner; see --help\n"),
    ] {
        let run = service.run(tool, arguments);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(text(&run.stderr).ends_with(needed), "{run:?}");
        let help = text(&service.run(tool, &[arguments[0], "--help"]).stdout);
        assert!(!help.contains("[setting"), "{help}");
    }
    assert_eq!(service.requests(), [""; 0]);

    lines(&service.run(tool, &["delete-credentials", "--client-id", "another"]));
    lines(&service.run(tool, &["get-owner"]));
    let asked = service.requests();
    assert_eq!(asked, ["delete /v2/credentials/another", "get /v2/owners/from-a-setting"]);
    let help = text(&service.run(tool, &["get-owner", "--help"]).stdout);
    assert!(help.contains("[setting: DIGITAL_ASSETS_OWNER]"), "{help}");
}

pub(super) fn parameters_of_one_name_have_an_option_each(tool: &Path) {
    let service = Service::of(&[("/pets/", r#"{"id":"1"}"#)]);

    lines(&service.run(tool, &["get-pet", "--id-2", "in-the-path", "--id", "in-the-query"]));

    let asked = "get /v2/owners/from-a-setting/pets/in-the-path?id=in-the-query";
    assert_eq!(service.requests(), [asked]);
}

pub(super) fn a_body_is_demanded_where_the_description_demands_it(tool: &Path) {
    let service = Service::of(&[]);
    let patch = ["patch-pet", "--owner", "o", "--id", "1"];

    lines(&service.run(tool, &patch));
    lines(&service.run(tool, &[&patch[..], &["--body", r#"{"id":"2"}"#]].concat()));

    let line = "patch /v2/owners/o/pets/1";
    assert_eq!(service.requests(), [line, &format!(r#"{line} {{"id":"2"}}"#)]);
    assert_eq!(service.run(tool, &["create-transfer"]).status.code(), Some(2));
    for (command, demanded) in [("patch-pet", false), ("create-transfer", true)] {
        let help = text(&service.run(tool, &[command, "--help"]).stdout);
        let usage = help.lines().find(|line| line.starts_with("Usage:")).unwrap();
        assert_eq!(usage.contains("--body"), demanded, "{usage}");
    }
}

pub(super) fn a_listing_is_sent_its_body(tool: &Path) {
    let service = Service::of(&[("/search", r#"{"items":[{"id":"1"}]}"#)]);

    let run = service.run(tool, &["search-pets", "--body", r#"{"id":"2"}"#]);

    assert_eq!(lines(&run), "{\"id\":\"1\"}\n");
    assert_eq!(service.requests(), [r#"post /v2/search {"id":"2"}"#]);
    let sync = text(&service.run(tool, &["sync", "--help"]).stdout);
    assert!(sync.contains("list-labels") && !sync.contains("search-pets"), "{sync}");
}

pub(super) fn records_without_known_fields_come_whole_in_each_format(tool: &Path) {
    let service = Service::of(&[
        ("/names", r#"{"items":["Ann, B","C\nD"]}"#),
        ("/events", r#"{"items":[{"id":"1"},"gone"]}"#),
        ("/counts", r#"{"items":[{"a":1,"b":2},{}]}"#),
    ]);

    for (command, records, csv) in [
        ("list-names", [r#""Ann, B""#, r#""C\nD""#], "\"Ann, B\"\r\n\"C\nD\"\r\n"),
        ("list-events", [r#"{"id":"1"}"#, r#""gone""#], "\"{\"\"id\"\":\"\"1\"\"}\"\r\ngone\r\n"),
        ("list-counts", [r#"{"a":1,"b":2}"#, "{}"], "\"{\"\"a\"\":1,\"\"b\"\":2}\"\r\n{}\r\n"),
    ] {
        let of = |format| lines(&service.run(tool, &[command, "--format", format]));
        let [first, second] = records;

        assert_eq!(of("jsonl"), format!("{first}\n{second}\n"));
        assert_eq!(of("json"), format!("[\n{first},\n{second}\n]\n"));
        assert_eq!(of("csv"), format!("value\r\n{csv}"));
        assert_eq!(of("table").lines().count(), 3, "{command}");
        assert!(of("parquet").contains("value"), "{command}");
        let help = text(&service.run(tool, &[command, "--help"]).stdout);
        assert!(help.contains("Columns: value."), "{help}");
    }
}

pub(super) fn fields_without_a_name_come_in_each_format(tool: &Path) {
    let service = Service::of(&[("/labels", r#"{"items":[{"id":"1","b":2,"c":3},{"id":"2"}]}"#)]);
    let of =
        |arguments: &[&str]| lines(&service.run(tool, &[&["list-labels"], arguments].concat()));

    assert_eq!(of(&[]), "{\"id\":\"1\",\"b\":2,\"c\":3}\n{\"id\":\"2\"}\n");
    assert_eq!(of(&["--columns", "id"]), "{\"id\":\"1\"}\n{\"id\":\"2\"}\n");
    let csv = "id,extra\r\n1,\"{\"\"b\"\":2,\"\"c\"\":3}\"\r\n2,\r\n";
    assert_eq!(of(&["--format", "csv"]), csv);
    assert_eq!(of(&["--format", "csv", "--columns", "extra"]).lines().next(), Some("extra"));
    assert!(of(&["--format", "table"]).contains(r#"{"b":2,"c":3}"#));
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/labels.parquet");
    of(&["--output", file, "--force"]);
    assert!(text(&std::fs::read(file).unwrap()).contains(r#"{"b":2,"c":3}"#));
    let ddl = ["sync", "list-labels", "--to", "postgres://h/d", "--dry-run"];
    assert!(lines(&service.run(tool, &ddl)).contains("\"extra\" JSONB"));
}

/// The bookings are listed in ascending order of `booked_at`, the time that the description marks,
/// except for the last booking. By `created_at`, they are in descending order.
pub(super) fn a_table_is_verified_in_whatever_order_it_is_listed(tool: &Path) {
    let time = |second: u32| {
        format!("2025-01-01T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
    };
    let booking = |second: u32| {
        let (booked_at, created_at) = (time(second), time(86_399 - second));
        json!({ "id": second.to_string(), "booked_at": booked_at, "created_at": created_at })
    };
    let mut bookings: Vec<_> = (1..12_000).chain([0]).map(booking).collect();
    // One booking is listed twice, first in an older version, which is the last of the first 5,000
    // records.
    let mut older = booking(5_000);
    older["created_at"] = time(0).into();
    bookings.insert(4_999, older);
    let page = json!({ "items": bookings });
    let service = Service::of(vec![("/bookings", &*page.to_string().leak())].leak());
    let file = concat!("sqlite://", env!("CARGO_TARGET_TMPDIR"), "/bookings.sqlite");
    let _ = std::fs::remove_file(file.trim_start_matches("sqlite://"));

    lines(&service.run(tool, &["sync", "list-bookings", "--to", file]));
    let verified = service.run(tool, &["verify", "list-bookings", "--from", file]);

    let said = text(&verified.stderr);
    let equal = "compared 12001 records from the service: 0 missing, 0 additional, 0 different\n";
    assert!(verified.status.success() && said.ends_with(equal), "{said}");
}
