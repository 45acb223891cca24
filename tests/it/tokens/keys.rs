//! Tests of clients that authenticate to the token endpoint with a key.

use std::{future::ready, time::SystemTime};

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    UnparsedPublicKey, VerificationAlgorithm,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, PKCS_RSA_SHA256, PublicKeyData};
use serde_json::{Value, json as value};

use super::prelude::*;

fn part(text: &str) -> Value {
    let json = BASE64_URL_SAFE_NO_PAD.decode(text).expect("base64");
    serde_json::from_slice(&json).expect("JSON")
}

/// Verifies that this key has signed the assertion in the request. Returns the assertion's header
/// and claims.
fn verified(
    request: &Received,
    key: &KeyPair,
    verification: &'static dyn VerificationAlgorithm,
) -> (Value, Value) {
    let form = request.form();
    let (_, assertion) = form.iter().find(|(name, _)| name == "client_assertion").expect("one");
    let (message, signature) = assertion.rsplit_once('.').expect("a signature");
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let public = UnparsedPublicKey::new(verification, key.der_bytes());
    public.verify(message.as_bytes(), &signature).expect("a signature of this key");
    let (header, claims) = message.split_once('.').expect("claims");
    (part(header), part(claims))
}

// RFC 7523, sections 2.2 and 3, and RFC 7515, section 3.
#[tokio::test]
async fn an_assertion_is_signed_for_each_token_request() {
    let [rsa, ec, ed] = [&PKCS_RSA_SHA256, &PKCS_ECDSA_P256_SHA256, &PKCS_ED25519]
        .map(|algorithm| KeyPair::generate_for(algorithm).expect("a key"));
    let cases: [(_, _, _, &'static dyn VerificationAlgorithm); 4] = [
        ("RS256", &rsa, PemSigner::rs256(rsa.serialize_pem()), &RSA_PKCS1_2048_8192_SHA256),
        ("PS256", &rsa, PemSigner::ps256(rsa.serialize_pem()), &RSA_PSS_2048_8192_SHA256),
        ("ES256", &ec, PemSigner::es256(ec.serialize_pem()), &ECDSA_P256_SHA256_FIXED),
        ("EdDSA", &ed, PemSigner::eddsa(ed.serialize_pem()), &ED25519),
    ];
    for (name, key, signer, verification) in cases {
        let auth = granting();
        let signer = signer.expect(name).with_key_id("2026-01");
        let credentials = ClientCredentials::private_key_jwt(auth.url(), "backoffice", signer);
        let (_service, client) = with(credentials);

        list(&client).await.expect(name);
        client.list_deposit_addresses().send().await.expect(name);

        let mut ids = Vec::new();
        for request in auth.requests() {
            let form = request.form();
            let field = |name: &str| {
                let (_, value) = form.iter().find(|(known, _)| known == name)?;
                Some(value.as_str())
            };
            let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            assert_eq!(field("client_assertion_type"), Some(kind));
            assert_eq!((field("client_id"), field("client_secret")), (Some("backoffice"), None));
            assert_eq!(request.header("authorization"), None);
            let (header, claims) = verified(&request, key, verification);
            assert_eq!(header, value!({"alg": name, "typ": "JWT", "kid": "2026-01"}));
            for (claim, value) in
                [("iss", "backoffice"), ("sub", "backoffice"), ("aud", &auth.url())]
            {
                assert_eq!(claims[claim], *value, "{claim}");
            }
            let [issued, ends] = ["iat", "exp"].map(|name| claims[name].as_u64().expect(name));
            let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
            assert!(ends == issued + 300 && now.abs_diff(issued) < 60, "{claims}");
            ids.push(claims["jti"].as_str().expect("an id").to_owned());
        }
        assert_eq!(ids.len(), 2);
        assert_ne!(ids[0], ids[1]);
    }
}

// The algorithm, the key identifier and the signature come from the same key, even if the key is
// rotated meanwhile.
#[tokio::test]
async fn a_key_that_rotates_is_handed_out_whole() {
    let ec = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a key");
    let ed = KeyPair::generate_for(&PKCS_ED25519).expect("a key");
    let (es256, eddsa) = (ec.serialize_pem(), ed.serialize_pem());
    let (auth, asked) = (granting(), AtomicUsize::new(0));
    let credentials =
        ClientCredentials::with_signer_provider(auth.url(), "backoffice", move || {
            let signer = match asked.fetch_add(1, Ordering::Relaxed) % 3 {
                0 => PemSigner::es256(&es256).map(|key| key.with_key_id("ES256")),
                1 => PemSigner::eddsa(&eddsa).map(|key| key.with_key_id("EdDSA")),
                // This error's kind is `Configuration`.
                _ => PemSigner::eddsa("sesame"),
            };
            let signer = signer.map(|signer| Arc::new(signer) as Arc<dyn Signer>);
            Box::pin(async {
                tokio::task::yield_now().await;
                signer
            })
        })
        .audience("https://auth.example.com");
    let (_service, client) = with(credentials);

    list(&client).await.expect("a page");
    client.list_deposit_addresses().send().await.expect("a page");
    let error = client.list_quote_executions().profile_id("p").send().await.expect_err("no key");

    let verifications: [(_, _, &'static dyn VerificationAlgorithm); 2] =
        [("ES256", &ec, &ECDSA_P256_SHA256_FIXED), ("EdDSA", &ed, &ED25519)];
    let requests = auth.requests();
    assert_eq!(requests.len(), 2);
    for (request, (name, key, verification)) in std::iter::zip(requests, verifications) {
        let (header, claims) = verified(&request, key, verification);
        assert_eq!(header, value!({"alg": name, "typ": "JWT", "kid": name}));
        assert_eq!(claims["aud"], "https://auth.example.com");
    }
    assert_eq!(error.kind(), ErrorKind::Token);
    let cause = std::error::Error::source(&error).expect("a cause");
    assert!(cause.to_string().contains("not a usable Ed25519 private key"), "{cause}");
}

#[test]
fn a_key_of_another_kind_is_no_configuration() {
    let [rsa, ec, ed] = [&PKCS_RSA_SHA256, &PKCS_ECDSA_P256_SHA256, &PKCS_ED25519]
        .map(|algorithm| KeyPair::generate_for(algorithm).expect("a key").serialize_pem());
    let certificate = "-----BEGIN CERTIFICATE-----\nsesame\n-----END CERTIFICATE-----\n";
    for (constructor, pems) in [
        (PemSigner::rs256 as fn(String) -> _, [&ec, &ed]),
        (PemSigner::ps256, [&ec, &ed]),
        (PemSigner::es256, [&rsa, &ed]),
        (PemSigner::eddsa, [&rsa, &ec]),
    ] {
        for pem in [pems[0], pems[1], certificate, "sesame", ""] {
            let error: Error = constructor(pem.to_owned()).expect_err("another key");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(!printed(&error).contains("sesame"));
        }
    }
    let signer = PemSigner::es256(&ec).expect("a key");
    assert_eq!(format!("{signer:?}"), r#"PemSigner { algorithm: "ES256", .. }"#);
}

struct Kms(Option<Vec<u8>>);

impl Signer for Kms {
    fn algorithm(&self) -> &'static str {
        "ES256"
    }

    fn sign<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        Box::pin(ready(self.0.clone().ok_or_else(|| Error::token("the key is locked"))))
    }
}

// RFC 7515, section 4.1.4: `kid` is optional.
#[tokio::test]
async fn a_signer_that_names_no_key_sends_no_kid_and_one_that_fails_sends_nothing() {
    for signature in [Some(vec![7; 64]), None] {
        let auth = granting();
        let signer = Kms(signature.clone());
        let credentials = ClientCredentials::private_key_jwt(auth.url(), "backoffice", signer);
        let (_service, client) = with(credentials);

        let result = list(&client).await;

        if signature.is_some() {
            let form = auth.request().form();
            let (_, assertion) = form.iter().find(|(name, _)| name == "client_assertion").unwrap();
            let header = part(assertion.split('.').next().unwrap());
            assert_eq!(header, value!({"alg": "ES256", "typ": "JWT"}));
        } else {
            let error = result.expect_err("no signature");
            assert_eq!((error.kind(), auth.count()), (ErrorKind::Token, 0));
            assert!(error.to_string().contains("the key is locked"), "{error}");
        }
    }
}
