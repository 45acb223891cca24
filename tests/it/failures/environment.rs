//! Tests of clients that are built from environment variables.

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
    process::{Command, Output},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use digital_assets::Environment as Variables;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};

use crate::{prelude::*, server::Received};

/// Returns variables that come from this list instead of the process.
fn variables<'a>(given: &'a [(&'a str, &'a str)]) -> Variables<'a> {
    Variables::new("PARCELS", |name| {
        let found = given.iter().find(|(known, _)| name == format!("PARCELS_{known}"));
        Ok(found.map(|(_, value)| (*value).to_owned()))
    })
}

/// Builds a client from these variables, together with the addresses of the service and the token
/// endpoint. Returns the token request and the request that uses the token.
async fn asked(given: &[(&str, &str)]) -> Result<[Received; 2], Error> {
    let auth = Server::always(json(200, r#"{"access_token":"word","token_type":"Bearer"}"#));
    let service = Server::always(json(200, "{}"));
    let (auth_url, url) = (auth.url(), service.url());
    let own = [("AUTH_URL", auth_url.as_str()), ("BASE_URL", &url), ("CLIENT_ID", "backoffice")];
    let given = [&own, given].concat();
    let client: Client = variables(&given).builder()?.build()?;

    list(&client).await?;

    Ok([auth.request(), service.request()])
}

#[tokio::test]
async fn a_secret_is_sent_in_the_style_of_its_variable() -> Result<(), Error> {
    // backoffice:sesame
    let basic = Some("Basic YmFja29mZmljZTpzZXNhbWU=");
    let secret = ("CLIENT_SECRET", "sesame\n");
    for (style, expected) in [(None, None), (Some("body"), None), (Some("basic"), basic)] {
        let style = style.map(|style| ("AUTH_STYLE", style));
        let given: Vec<_> = style.into_iter().chain([secret]).collect();

        let [token, request] = asked(&given).await?;

        assert_eq!(token.header("authorization"), expected);
        let pair = ("client_secret".to_owned(), "sesame".to_owned());
        assert_eq!(token.form().contains(&pair), expected.is_none(), "{given:?}");
        assert_eq!(request.header("authorization"), Some("Bearer word"));
    }
    Ok(())
}

#[tokio::test]
async fn the_scopes_of_the_variable_make_one_token() -> Result<(), Error> {
    let [token, _] = asked(&[("CLIENT_SECRET", "sesame"), ("SCOPES", "a:b, c  d,")]).await?;

    assert!(token.form().contains(&("scope".to_owned(), "a:b c d".to_owned())));
    Ok(())
}

#[tokio::test]
async fn a_token_is_used_instead_of_a_client() -> Result<(), Error> {
    let service = Server::always(json(200, "{}"));
    let url = service.url();
    let given = [("BASE_URL", url.as_str()), ("TOKEN", "word")];
    let client: Client = variables(&given).builder()?.build()?;

    list(&client).await?;

    assert_eq!(service.request().header("authorization"), Some("Bearer word"));
    assert!(variables(&given).credentials()?.is_none());
    Ok(())
}

#[tokio::test]
async fn a_private_key_signs_instead_of_a_secret() -> Result<(), Error> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("environment.pem");
    fs::write(&file, key.serialize_pem()).unwrap();

    let [token, _] =
        asked(&[("PRIVATE_KEY_FILE", file.to_str().unwrap()), ("KEY_ID", "2026-01")]).await?;

    let form = token.form();
    let assertion = form.iter().find(|(name, _)| name == "client_assertion");
    let header = assertion.unwrap().1.split('.').next().unwrap().to_owned();
    let header = BASE64_URL_SAFE_NO_PAD.decode(header).unwrap();
    let header: serde_json::Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(header, serde_json::json!({ "alg": "ES256", "typ": "JWT", "kid": "2026-01" }));
    assert!(form.iter().all(|(name, _)| name != "client_secret"));
    Ok(())
}

#[test]
fn an_invalid_variable_is_named_and_its_value_isnt_quoted() {
    let good = [
        ("BASE_URL", "https://api.example.com"),
        ("AUTH_URL", "https://auth.example.com/token"),
        ("CLIENT_ID", "backoffice"),
        ("CLIENT_SECRET", "sesame"),
    ];
    for (name, value) in [
        ("BASE_URL", "http://sesame.example.com"),
        ("BASE_URL", "https://api.example.com?sesame"),
        ("AUTH_URL", "sesame"),
        ("AUTH_STYLE", "sesame"),
        ("SCOPES", " , "),
        ("TOKEN", "sesame\u{7f}"),
        ("PRIVATE_KEY_FILE", "missing.pem"),
        ("PRIVATE_KEY_FILE", "-----BEGIN PRIVATE KEY-----\nsesame"),
        ("PRIVATE_KEY_FILE", "/dev/null"),
    ] {
        let given = [&[(name, value)], &good[..]].concat();

        let error = variables(&given).builder::<Client>().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Configuration, "{name}");
        let message = format!("{error:#}");
        assert!(message.starts_with(&format!("PARCELS_{name}: ")), "{message}");
        assert!(!message.contains("sesame"), "{message}");
    }
}

/// Runs the probe in a process of its own, with this environment.
fn probe(set: impl FnOnce(&mut Command)) -> Output {
    let mut probe = Command::new(env::current_exe().expect("this binary"));
    probe.args(["--exact", "failures::environment::probe_of_the_environment", "--ignored"]);
    set(&mut probe);
    probe.output().expect("a process")
}

const VARIABLES: [(&str, &str); 4] = [
    ("DIGITAL_ASSETS_BASE_URL", "https://api.example.com"),
    ("DIGITAL_ASSETS_AUTH_URL", "https://auth.example.com/oauth2/token"),
    ("DIGITAL_ASSETS_CLIENT_ID", "backoffice"),
    ("DIGITAL_ASSETS_CLIENT_SECRET", "sesame"),
];

#[test]
fn the_environment_makes_a_client_or_an_error_names_what_is_missing() {
    for present in 0..16_u8 {
        let is_present = |n: usize| present & (1 << n) != 0;
        let mut missing = Vec::new();
        let output = probe(|probe| {
            for (n, (name, text)) in VARIABLES.into_iter().enumerate() {
                match is_present(n) {
                    true => probe.env(name, text),
                    false if n % 2 == 0 => probe.env(name, ""),
                    false => probe.env_remove(name),
                };
                if !is_present(n) {
                    missing.push(name);
                }
            }
            probe.env("MISSING", missing.join(" "));
        });

        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{missing:?}: {said}");
    }
}

#[test]
fn a_variable_that_is_not_utf_8_is_named() {
    let output = probe(|probe| {
        probe.envs(VARIABLES).env("DIGITAL_ASSETS_TOKEN", OsStr::from_bytes(b"sesame\xff"));
        probe.env("MISSING", "DIGITAL_ASSETS_TOKEN");
    });

    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "runs in a process with an environment of its own"]
fn probe_of_the_environment() {
    let missing = env::var("MISSING").expect("what is missing");
    let missing: Vec<&str> = missing.split_whitespace().collect();

    let result = Client::from_env();

    match result {
        Ok(_) => assert!(missing.is_empty(), "{missing:?}"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Configuration);
            let message = error.to_string();
            let names = VARIABLES.map(|(name, _)| name).into_iter().chain(["DIGITAL_ASSETS_TOKEN"]);
            for name in names {
                assert_eq!(message.contains(name), missing.contains(&name), "{message}");
            }
            assert!(!message.contains("sesame"), "{message}");
        }
    }
}
