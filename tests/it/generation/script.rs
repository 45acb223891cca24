//! Runs the crate's build script by itself, on other descriptions.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use serde_json::{Value, json};

/// What the build script prints about a description, and what it generates.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) refusals: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) generated: Option<String>,
}

pub(super) fn run(name: &str, description: &str) -> Outcome {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("descriptions").join(name);
    run_with(&place, description, "CARGO_FEATURE_PATTERN")
}

/// The command-line tool's table of operations.
pub(super) fn table(name: &str, description: &str) -> String {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("descriptions").join(name);
    let outcome = run_with(&place, description, "CARGO_FEATURE_TOOL");
    assert_eq!(outcome.refusals, [""; 0], "{name}");
    fs::read_to_string(place.join("tool.rs")).unwrap()
}

fn run_with(place: &Path, description: &str, feature: &str) -> Outcome {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place).unwrap();
    fs::write(place.join("openapi.yaml"), description).unwrap();

    let output = Command::new(executable())
        .current_dir(place)
        .env("OUT_DIR", place)
        .env(feature, "1")
        .output()
        .unwrap();

    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.is_empty(), "{} ends in\n{stderr}", place.display());
    let lines = |start: &str| -> Vec<String> {
        stdout.lines().filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect()
    };
    Outcome {
        refusals: lines("cargo::error=openapi.yaml: "),
        warnings: lines("cargo::warning=openapi.yaml: "),
        generated: fs::read_to_string(place.join("client.rs")).ok(),
    }
}

/// Where cargo has put the build script.
fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--lib", "--offline", "--message-format=json", "--target-dir"])
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let artifacts = output.stdout.split(|byte| *byte == b'\n');
        let scripts = artifacts.filter_map(|line| {
            let artifact: Value = serde_json::from_slice(line).ok()?;
            let own = artifact["manifest_path"].as_str()?
                == Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").to_str()?;
            let is_script = artifact["target"]["kind"] == json!(["custom-build"]);
            (own && is_script).then(|| artifact["filenames"][0].as_str().map(PathBuf::from))?
        });
        scripts
            .reduce(|_, last| last)
            .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    })
}

/// A description of one operation, `readThing`, that is served.
pub(super) fn one_operation() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Things", "version": "1.0.0" },
        "paths": {
            "/v2/things": {
                "get": {
                    "operationId": "readThing",
                    "security": [{ "oauth2": ["things:read"] }],
                    "parameters": [
                        { "name": "size", "in": "query", "schema": { "type": "integer" } },
                    ],
                    "responses": {
                        "200": {
                            "description": "A thing.",
                            "content": {
                                "application/json": {
                                    "schema": { "$ref": "#/components/schemas/Thing" },
                                },
                            },
                        },
                    },
                },
            },
        },
        "components": {
            "schemas": {
                "Thing": { "type": "object", "properties": { "name": { "type": "string" } } },
            },
            "securitySchemes": {
                "oauth2": {
                    "type": "oauth2",
                    "flows": {
                        "clientCredentials": {
                            "tokenUrl": "https://auth.example.com/oauth2/token",
                            "scopes": { "things:read": "Read things" },
                        },
                    },
                },
            },
        },
    })
}
