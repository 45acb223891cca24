//! Secrets in the settings: the permissions of the file that contains them, variables that can't be
//! used, and tokens that the service repeats.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, os::unix::fs::PermissionsExt, path::PathBuf};

use digital_assets::sandbox::Sandbox;
use serde_json::json;

use crate::{
    server::serve,
    tool::{Ended, Tool, bare, ended, fresh, set},
};

const LIST: [&str; 4] = ["list-deposit-addresses", "--max", "1", "--quiet"];

/// A tool with a profile `desk` that has all settings of the sandbox.
struct Configured {
    tool: Tool,
    file: PathBuf,
}

impl Configured {
    async fn start(name: &str) -> Self {
        let tool = Tool::with(Sandbox::builder(), name).await;
        let file = tool.path("config.toml");
        let this = Self { tool, file };
        this.write("", 0o600);
        this
    }

    /// Writes the file with these additional lines at its start.
    fn write(&self, lines: &str, mode: u32) {
        let settings = self.tool.settings();
        let desk = settings.iter().map(|(name, value)| format!("{name} = \"{value}\"\n"));
        fs::write(&self.file, format!("{lines}[desk]\n{}", desk.collect::<String>())).unwrap();
        fs::set_permissions(&self.file, fs::Permissions::from_mode(mode)).unwrap();
    }

    async fn run(&self, profile: &str, variables: &[(&str, &OsStr)]) -> Ended {
        let mut command = bare(&LIST);
        command.args(["--profile", profile]).env("DIGITAL_ASSETS_CONFIG", &self.file);
        ended(command.envs(variables.iter().copied()).spawn().unwrap()).await
    }
}

#[tokio::test]
async fn a_secret_anywhere_in_the_configuration_makes_it_private() {
    let directory = fresh("secret-places");
    let file = directory.join("config.toml");
    for (text, is_secret) in [
        ("client_secret = \"s\"\n[desk]\n", true),
        ("TOKEN = \"s\"\n[desk]\n", true),
        ("DIGITAL_ASSETS_TOKEN = \"s\"\n[desk]\n", true),
        ("[desk]\n[other.nested.deep]\nclient-secret = \"s\"\n", true),
        ("[desk]\n[[others]]\ntoken = \"s\"\n", true),
        ("[desk]\n[x]\nothers = [[{ token = \"s\" }]]\n", true),
        ("client_id = \"c\"\n[desk]\nclient_id = \"c\"\n", false),
    ] {
        fs::write(&file, text).unwrap();
        for mode in [0o640, 0o604, 0o600] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let mut command = bare(&LIST);
            command.args(["--profile", "desk"]).env("DIGITAL_ASSETS_CONFIG", &file);
            let run = ended(command.spawn().unwrap()).await;

            let words = if is_secret && mode != 0o600 {
                "contains a secret, but has group or world access"
            } else {
                "missing settings"
            };
            run.says(1, words);
        }
    }
}

#[tokio::test]
async fn a_variable_that_isnt_utf_8_never_gives_way_to_the_profile() {
    let configured = Configured::start("not-utf-8").await;
    let value = OsStr::from_bytes(b"caf\xe9");

    for name in ["DIGITAL_ASSETS_CLIENT_SECRET", "DIGITAL_ASSETS_TOKEN", "PGPASSWORD"] {
        configured.run("desk", &[(name, value)]).await.says(1, name).tells("isn't UTF-8");
    }
    assert!(configured.tool.sandbox.requests().is_empty());
}

#[tokio::test]
async fn an_empty_variable_counts_as_missing() {
    let configured = Configured::start("empty-variable").await;

    for empty in ["", "\n"] {
        let variable = ("DIGITAL_ASSETS_CLIENT_SECRET", OsStr::new(empty));
        configured.run("desk", &[variable]).await.succeeds();
    }
    fs::write(configured.tool.path("empty.env"), "DIGITAL_ASSETS_CLIENT_SECRET=\n").unwrap();
    let file = [&LIST[..], &["--env-file", "empty.env"]].concat();
    configured.tool.run(&file).await.succeeds();
}

#[tokio::test]
async fn a_token_that_the_service_repeats_is_not_printed() {
    let url = serve(|request| {
        if request.starts_with("POST") {
            return (200, r#"{"access_token":"hush-hush","expires_in":3600}"#.to_owned());
        }
        let header = request.lines().find_map(|line| line.strip_prefix("authorization: "));
        let words = format!("{} isn't allowed", header.unwrap());
        (403, json!({ "title": words, "detail": words }).to_string())
    });
    let auth = format!("{url}/token");
    let secret =
        [("BASE_URL", &*url), ("AUTH_URL", &*auth), ("CLIENT_ID", "a"), ("CLIENT_SECRET", "b")];
    let token = [("BASE_URL", &*url), ("TOKEN", "hush-hush")];
    let directory = fresh("echoed");
    let sync = ["sync", "list-deposit-addresses", "--to", "sqlite:books.db"];

    for settings in [&secret[..], &token] {
        for command in [&LIST[..], &sync, &["check"]] {
            let mut tool = bare(&[command, &["--verbose"]].concat());
            let run = set(&mut tool, settings).current_dir(&directory).spawn().unwrap();
            let run = ended(run).await.ends(1);

            let printed = format!("{}{}", run.stdout, run.stderr);
            assert!(printed.contains("Bearer [token] isn't allowed"), "{command:?}: {run:?}");
            assert!(!printed.contains("hush-hush"), "{command:?}: {run:?}");
        }
    }
}
