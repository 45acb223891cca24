//! Tests of clients that are added to the sandbox's token endpoint.

use digital_assets::{AuthStyle, ClientCredentials, Error, ErrorKind, PemSigner, sandbox::Sandbox};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, PKCS_RSA_SHA256};

use super::caller::{Caller, json};

const SCOPE: &str = "transfer:read_deposit_address";

/// Makes a call with these credentials. If the token request fails, returns the status of its
/// response.
async fn status(sandbox: &Sandbox, credentials: ClientCredentials) -> Result<(), Option<u16>> {
    let credentials = credentials.http_service(sandbox.http_service());
    let client = sandbox.client_builder().credentials(credentials).build().unwrap();
    let called = client.list_deposit_addresses().send().await;
    called.map(drop).map_err(|error: Error| {
        assert_eq!(error.kind(), ErrorKind::Token, "{error}");
        error.status().map(|status| status.as_u16())
    })
}

// RFC 6749, section 2.3, and RFC 8705, section 2.
#[tokio::test(start_paused = true)]
async fn a_client_gets_tokens_by_what_it_was_added_with() {
    let sandbox = Sandbox::builder()
        .client("reports:é", "ses+ame%", [SCOPE])
        .client("members", "sesame", ["identity:write_identity"])
        .client_with_certificate("batch", [SCOPE])
        .build();
    for (id, secret, expected) in [
        ("reports:é", "ses+ame%", Ok(())),
        ("reports:é", "guess", Err(Some(401))),
        ("reports:é", "", Err(Some(401))),
        ("nobody", "sesame", Err(Some(401))),
        ("members", "sesame", Err(Some(400))),
        ("batch", "", Ok(())),
        ("batch", "sesame", Err(Some(401))),
        ("sandbox-client", "sandbox-secret", Ok(())),
    ] {
        for style in [AuthStyle::Body, AuthStyle::Basic] {
            let credentials = ClientCredentials::new(sandbox.token_url(), id, secret);
            let found = status(&sandbox, credentials.auth_style(style)).await;
            assert_eq!(found, expected, "{id} {secret} {style:?}");
        }
    }
    let replaced = Sandbox::builder().client("sandbox-client", "sesame", [SCOPE]).build();
    assert_eq!(status(&replaced, replaced.credentials()).await, Err(Some(401)));
    assert!(!format!("{:?}", Sandbox::builder().client("a", "sesame", [SCOPE])).contains("sesame"));
}

// RFC 6749, section 2.3.1: a server may accept a secret only in the header.
#[tokio::test(start_paused = true)]
async fn a_token_endpoint_can_take_one_style_alone() {
    for (only, other) in [(AuthStyle::Basic, AuthStyle::Body), (AuthStyle::Body, AuthStyle::Basic)]
    {
        let sandbox = Sandbox::builder().auth_style(only).build();

        assert_eq!(status(&sandbox, sandbox.credentials()).await, Ok(()), "{only:?}");
        let wrong = sandbox.credentials().auth_style(other);
        assert_eq!(status(&sandbox, wrong).await, Err(Some(401)), "{only:?}");
    }
}

// RFC 7523, section 3.
#[tokio::test]
async fn a_client_is_known_by_the_key_that_signed_its_assertion() {
    let [rsa, ec, ed] = [&PKCS_RSA_SHA256, &PKCS_ECDSA_P256_SHA256, &PKCS_ED25519]
        .map(|algorithm| KeyPair::generate_for(algorithm).unwrap());
    for (key, other, signer) in [
        (&rsa, &ec, PemSigner::rs256 as fn(String) -> Result<PemSigner, Error>),
        (&rsa, &ed, PemSigner::ps256),
        (&ec, &rsa, PemSigner::es256),
        (&ed, &ec, PemSigner::eddsa),
    ] {
        for (known, expected) in [(key, Ok(())), (other, Err(Some(401)))] {
            let sandbox = Sandbox::builder();
            let sandbox = sandbox.client_with_key("batch", known.public_key_pem(), [SCOPE]);
            let sandbox = sandbox.unwrap().build();
            let signing = |audience: &str| {
                let signer = signer(key.serialize_pem()).unwrap();
                ClientCredentials::private_key_jwt(sandbox.token_url(), "batch", signer)
                    .audience(audience)
            };

            assert_eq!(status(&sandbox, signing(sandbox.token_url())).await, expected);
            assert_eq!(status(&sandbox, signing("elsewhere")).await, Err(Some(401)));
            let secret = ClientCredentials::new(sandbox.token_url(), "batch", "");
            assert_eq!(status(&sandbox, secret).await, Err(Some(401)));
        }
    }
    let error = Sandbox::builder().client_with_key("batch", rsa.serialize_pem(), [SCOPE]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Configuration);
}

// RFC 6749, sections 2.3, 2.3.1 and 3.2: a parameter without a value counts as omitted.
#[tokio::test]
async fn a_client_authenticates_in_one_way_and_with_its_whole_secret() {
    let caller = Caller::start().await;
    let both = "client_id=sandbox-client&client_secret=sandbox-secret&client_assertion=";
    for (secret, fields, error) in [
        (Some("sandbox-secret"), "client_secret=sandbox-secret", Some("invalid_request")),
        (Some("sandbox-secret"), "client_assertion=a.b.c", Some("invalid_request")),
        (None, &format!("{both}a.b.c"), Some("invalid_request")),
        (None, both, None),
        (Some("sandbox-secret=x"), "", Some("invalid_client")),
        (Some("sandbox-secret&x"), "", Some("invalid_client")),
    ] {
        let form = format!("grant_type=client_credentials&scope={SCOPE}&{fields}");
        let request = caller.token_request(&form);
        let in_header =
            secret.map(|it| request.try_clone().unwrap().basic_auth("sandbox-client", Some(it)));
        let answer = json(caller.send(in_header.unwrap_or(request)).await).await;
        assert_eq!(answer["error"].as_str(), error, "{secret:?} {fields}");
    }
}
