//! Tests of the Debian packages that the scripts need.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use super::root;

/// Runs `debian page` as if `chromium` were installed and `poppler-utils` weren't. A fake `apt-get`
/// only records its arguments, which are returned with the output.
fn debian_page(name: &str, request: Option<&str>) -> (Output, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let asked = folder.join("asked");
    fs::write(&asked, "").unwrap();
    for (program, script) in [
        ("dpkg", "[ \"$2\" = chromium ]".to_owned()),
        ("apt-get", format!("echo \"$@\" >>{}", asked.display())),
    ] {
        let program = folder.join(program);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args([
        "-c",
        ". tests/common.sh; trap - EXIT; debian page",
        &folder.join(name).to_string_lossy(),
    ]);
    bash.current_dir(root()).env("PATH", path).env_remove("INSTALL_PACKAGES");
    if let Some(request) = request {
        bash.env("INSTALL_PACKAGES", request);
    }
    (bash.output().unwrap(), fs::read_to_string(asked).unwrap())
}

#[test]
fn packages_that_are_missing_are_named_and_not_installed() {
    for request in [None, Some(""), Some("0")] {
        let (output, asked) = debian_page("packages-named", request);

        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{request:?}: {said}");
        assert_eq!(asked, "", "{request:?}");
        assert!(said.contains("missing: poppler-utils. Install them"), "{said}");
    }
}

#[test]
fn packages_that_are_missing_are_installed_on_request() {
    let (output, asked) = debian_page("packages-installed", Some("1"));

    assert!(output.status.success(), "{output:?}");
    let expected = "update -qq\ninstall -y -qq --no-install-recommends poppler-utils\n";
    assert_eq!(asked, expected);
}

#[test]
fn no_other_script_installs_packages() {
    let mut grep = Command::new("git");
    let listed = grep.args(["grep", "-l", "apt-get install"]).current_dir(root()).output().unwrap();

    let listed = String::from_utf8(listed.stdout).unwrap();
    let scripts: Vec<_> = listed.lines().filter(|file| !file.starts_with("tests/it/")).collect();
    assert_eq!(scripts, ["tests/common.sh"]);
}
