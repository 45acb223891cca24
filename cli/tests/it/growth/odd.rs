//! Commands of operations that `openapi.yaml` has none of the kind of.

use std::{path::Path, process::Output};

use super::{service::Service, text};

fn lines(run: &Output) -> String {
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    text(&run.stdout)
}

/// Whoever sets a parameter for listings doesn't mean that to be deleted, and no setting of the
/// tool's own is a parameter.
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
