//! Commands for the listings in `examples/parcels`, which has no names in common with `openapi.yaml`.

use std::{fs, path::Path, process::Output};

use super::{service::Service, text};

/// A string in the body of each token request, and the response.
const TOKEN: (&str, &str) =
    ("grant_type", r#"{"access_token":"word","token_type":"bearer","expires_in":3600}"#);

/// The identifier of the parcel whose scans are listed.
const PARCEL: &str = "00000000-0000-0000-0000-000000000007";

fn parcels() -> Service {
    Service::of(&[
        TOKEN,
        (
            "after=c1",
            r#"{"data":[{"id":"00000000-0000-0000-0000-000000000002","state":"DELIVERED","booked_at":"2025-01-02T00:00:00Z"}],"meta":{}}"#,
        ),
        (
            "booked_since=2025-01-02",
            r#"{"data":[{"id":"00000000-0000-0000-0000-000000000002","state":"DELIVERED","booked_at":"2025-01-02T00:00:00Z"}],"meta":{}}"#,
        ),
        (
            "/parcels?",
            r#"{"data":[{"id":"00000000-0000-0000-0000-000000000001","state":"DELIVERED","booked_at":"2025-01-01T00:00:00Z"}],"meta":{"next":"c1"}}"#,
        ),
    ])
}

/// Returns the requests since the previous call, without token requests.
fn asked(service: &Service) -> Vec<String> {
    let requests = service.requests().into_iter();
    requests.filter(|request| !request.contains(TOKEN.0)).collect()
}

fn lines(run: &Output) -> Vec<String> {
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    text(&run.stdout).lines().map(str::to_owned).collect()
}

pub(super) fn options_are_those_of_the_description(tool: &Path) {
    let help = text(&parcels().run(tool, &["list-parcels", "--help"]).stdout);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");

    for words in [
        "The number of parcels in a page. This is the page size; --max limits the number of \
         records.",
        "Stop after N records; --per-page is only the page size",
        "Only parcels booked before this time. A date (2025-01-31, today, yesterday)",
        "Columns: id, state, depot, note, booked_at.",
        "--concurrency",
    ] {
        assert!(help.contains(words), "{words}: {help}");
    }
    let help = text(&parcels().run(tool, &["list-depots", "--help"]).stdout);
    assert!(!help.contains("--concurrency") && help.contains("--page-size"), "{help}");
}

pub(super) fn a_listing_is_read_by_its_own_names(tool: &Path) {
    let service = parcels();
    let filters = ["--booked-since", "2025-01-01", "--booked-before", "2025-02"];
    let list = [&["list-parcels", "--concurrency", "1", "--columns", "id"], &filters[..]].concat();

    let listed = lines(&service.run(tool, &list));

    assert_eq!(listed.len(), 2);
    let query = "booked_before=2025-02-01T00%3A00%3A00Z&booked_since=2025-01-01T00%3A00%3A00Z\
        &per_page=1000";
    let line = format!("get /parcels?{query}");
    assert_eq!(asked(&service), [line.clone(), format!("{line}&after=c1")]);

    let service = Service::of(&[
        TOKEN,
        (
            "page_token=t1",
            r#"{"scans":[{"id":2,"scanned_at":"2025-01-02T00:00:00Z"}],"page":{"has_more":false}}"#,
        ),
        (
            "/scans",
            r#"{"scans":[{"id":1,"scanned_at":"2025-01-01T00:00:00Z"}],"page":{"has_more":true,"token":"t1"}}"#,
        ),
    ]);
    let list = ["list-scans", "--id", PARCEL, "--count", "1", "--concurrency", "1"];
    let listed = lines(&service.run(tool, &[&list[..], &["--until", "2025-01"]].concat()));
    assert_eq!(listed.len(), 2);
    let until = "until=2025-01-31T23%3A59%3A59.999999999Z";
    let queries = [format!("count=1&{until}"), format!("{until}&page_token=t1")];
    assert_eq!(
        asked(&service),
        queries.map(|query| format!("get /parcels/{PARCEL}/scans?{query}"))
    );
}

pub(super) fn a_table_is_filled_and_verified_by_its_own_names(tool: &Path) {
    let service = parcels();
    let file = concat!("sqlite://", env!("CARGO_TARGET_TMPDIR"), "/parcels.sqlite");
    let _ = fs::remove_file(file.trim_start_matches("sqlite://"));

    lines(&service.run(tool, &["sync", "list-parcels", "--concurrency", "1", "--to", file]));
    let line = "get /parcels?per_page=1000&sort=oldest_first";
    assert_eq!(asked(&service), [line.to_owned(), format!("{line}&after=c1")]);

    // The service lists only one of the table's two records. The other one isn't additional,
    // because it was booked before the filter's start.
    let filters = ["--booked-since", "2025-01-02", "--booked-before", "2025-02"];
    let verify = ["verify", "list-parcels", "--concurrency", "1", "--from", file];
    let verify = [&verify[..], &filters, &["--per-page", "7", "--sort", "newest_first"]].concat();
    let verified = text(&service.run(tool, &verify).stderr);
    let equal = "compared 1 record from the service: 0 missing, 0 additional, 0 different\n";
    assert!(verified.ends_with(equal), "{verified}");

    // The primary key of scans is a number.
    let ddl = ["sync", "list-scans", "--to", "postgres://h/d", "--dry-run", "--id", PARCEL];
    let ddl = lines(&service.run(tool, &ddl)).join("\n");
    assert!(ddl.contains("\"id\" BIGINT PRIMARY KEY NOT NULL"), "{ddl}");
}

pub(super) fn what_makes_no_sense_is_refused_by_its_own_names(tool: &Path) {
    let service = parcels();
    let to = ["--to", concat!("sqlite://", env!("CARGO_TARGET_TMPDIR"), "/refused.sqlite")];
    let time = "2025-02-01T00:00:00Z";

    for (arguments, reason) in [
        (
            &["list-parcels", "--booked-since", time, "--booked-before", time][..],
            "no record can match: --booked-since isn't before --booked-before",
        ),
        (
            &["sync", "list-parcels", "--after", "c1", to[0], to[1]],
            "--after skips the records before the cursor, so the table can't be complete; omit \
             --after",
        ),
        (
            &["sync", "list-parcels", "--overlap", "1h", "--sort", "newest_first", to[0], to[1]],
            "--overlap and --every always read the oldest records first; remove --sort",
        ),
    ] {
        let run = service.run(tool, arguments);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(text(&run.stderr).contains(reason), "{run:?}");
    }
    assert_eq!(asked(&service), [""; 0]);
}
