//! The client credentials that the tool sends to a token endpoint and to a service.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use digital_assets::sandbox::Sandbox;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, PKCS_RSA_SHA256};
use serde_json::{Value, json};

use crate::{
    server::serve,
    tool::{Ended, Tool, bare, ended, fresh, set},
};

const LIST: [&str; 3] = ["list-deposit-addresses", "--concurrency", "1"];
const TOKEN: &str = r#"{"access_token":"sesame","token_type":"Bearer","expires_in":3600}"#;

/// A token endpoint, and a service with no records. Each request is recorded.
struct Service {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start() -> Self {
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&requests);
        let url = serve(move |request| {
            kept.lock().unwrap().push(request.to_owned());
            (200, if request.starts_with("POST") { TOKEN } else { r#"{"items":[]}"# }.to_owned())
        });
        Self { url, requests }
    }

    /// Runs the tool with these settings. Returns the token request and the request that uses the
    /// token.
    async fn asked(&self, arguments: &[&str], settings: &[(&str, &str)]) -> (Ended, [String; 2]) {
        let mut command = bare(arguments);
        let auth = format!("{}/token", self.url);
        let own = [("BASE_URL", &*self.url), ("AUTH_URL", &auth), ("CLIENT_ID", "its-own")];
        let run = ended(set(set(&mut command, &own), settings).spawn().unwrap()).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        (run, requests.try_into().unwrap())
    }
}

/// Writes a new private key to a file. Returns the file and the public key for the sandbox.
fn key(file: PathBuf, algorithm: &'static rcgen::SignatureAlgorithm) -> (PathBuf, String) {
    let key = KeyPair::generate_for(algorithm).unwrap();
    fs::write(&file, key.serialize_pem()).unwrap();
    (file, key.public_key_pem())
}

// RFC 6749, section 2.3.1.
#[tokio::test]
async fn a_secret_arrives_in_the_style_that_is_set() {
    let service = Service::start();
    let secret = ("CLIENT_SECRET", "s e+cret/");
    // its-own:s+e%2Bcret%2F
    let basic = "\r\nauthorization: Basic aXRzLW93bjpzK2UlMkJjcmV0JTJG\r\n";
    let body = "client_id=its-own&client_secret=s+e%2Bcret%2F";

    for (style, is_basic) in
        [(&[][..], false), (&[("AUTH_STYLE", "body")], false), (&[("AUTH_STYLE", "basic")], true)]
    {
        let (_, [token, list]) = service.asked(&LIST, &[&[secret], style].concat()).await;

        assert!(token.starts_with("POST /token HTTP/1.1\r\n"), "{token}");
        assert_eq!(token.contains(basic), is_basic, "{style:?}: {token}");
        assert_eq!(token.contains(body), !is_basic, "{style:?}: {token}");
        assert_eq!(token.contains("client_secret"), !is_basic, "{style:?}: {token}");
        assert!(list.contains("\r\nauthorization: Bearer sesame\r\n"), "{list}");
    }
}

// RFC 7523, section 2.2; RFC 7515, section 4.1.
#[tokio::test]
async fn a_key_signs_an_assertion_that_names_it() {
    let (service, directory) = (Service::start(), fresh("keys"));

    for (name, algorithm) in
        [("RS256", &PKCS_RSA_SHA256), ("ES256", &PKCS_ECDSA_P256_SHA256), ("EdDSA", &PKCS_ED25519)]
    {
        let (file, public) = key(directory.join(name), algorithm);
        let file = ("PRIVATE_KEY_FILE", file.to_str().unwrap());
        for id in [None, Some("2026-01")] {
            let id = id.map(|id| ("KEY_ID", id));
            let settings: Vec<_> = id.into_iter().chain([file]).collect();
            let (_, [token, _]) = service.asked(&LIST, &settings).await;

            let kind = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer";
            assert!(token.contains(kind) && !token.contains("client_secret"), "{token}");
            let assertion = token.split("client_assertion=").nth(1).unwrap();
            let header = assertion.split('.').next().unwrap();
            let header = BASE64_URL_SAFE_NO_PAD.decode(header).unwrap();
            let header: Value = serde_json::from_slice(&header).unwrap();
            let mut expected = json!({ "alg": name, "typ": "JWT" });
            if let Some((_, id)) = id {
                expected["kid"] = id.into();
            }
            assert_eq!(header, expected);
        }

        // The sandbox rejects an assertion unless its claims contain the client and the token
        // endpoint.
        let scope = "transfer:read_deposit_address";
        let sandbox = Sandbox::builder().client_with_key("signs", public, [scope]).unwrap();
        let tool = Tool::with(sandbox, &format!("key-{name}")).await;
        let (other, _) = key(tool.path("other.pem"), algorithm);
        for (file, status) in [(file.1, 0), (other.to_str().unwrap(), 1)] {
            let signing =
                [("CLIENT_ID", "signs"), ("CLIENT_SECRET", ""), ("PRIVATE_KEY_FILE", file)];
            let run = tool.run_with(&[&LIST[..], &["--max", "1"]].concat(), &signing).await;
            assert_eq!(run.status, Some(status), "{name}: {run:?}");
        }
    }
}

#[tokio::test]
async fn a_verbose_line_has_the_identifier_that_the_service_gave_the_request() {
    let settings = [("CLIENT_SECRET", "hush-hush")];
    let list = [&LIST[..], &["--networks", "SOLANA", "--verbose", "--quiet"]].concat();

    let (run, [token, list]) = Service::start().asked(&list, &settings).await;

    assert!(token.contains("hush-hush") && list.contains("SOLANA"), "{token} {list}");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(lines[0].starts_with("POST the token endpoint: 200 in "), "{run:?}");
    assert!(lines[1].starts_with("GET /v2/transfer/deposit-addresses: 200 in "), "{run:?}");
    assert!(lines[1].ends_with(" ms, attempt 1, request id req-7f"), "{run:?}");
    for secret in ["hush-hush", "sesame", "SOLANA"] {
        assert!(!run.stderr.contains(secret), "{secret}: {run:?}");
    }
}
