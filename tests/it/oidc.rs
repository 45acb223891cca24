//! Tests with oidc-provider over TLS, which cover every way in which a client can authenticate.
//! `tests/tls` runs them with the platform's TLS, so they don't use code from the other tests.

#![allow(missing_docs, clippy::unwrap_used)]

use std::{
    env, fs,
    path::Path,
    sync::{Arc, Mutex},
};

use digital_assets::{AuthStyle, Client, ClientCredentials, Error, ErrorKind, PemSigner, types};
use reqwest::{Identity, redirect};

pub(crate) fn variable(name: &str) -> String {
    env::var(format!("DIGITAL_ASSETS_{name}")).unwrap()
}

fn build(credentials: ClientCredentials) -> Client {
    Client::builder(variable("BASE_URL")).credentials(credentials).build().unwrap()
}

fn client(name: &str, style: AuthStyle) -> Client {
    let (id, secret) = match name {
        "" => (variable("CLIENT_ID"), variable("CLIENT_SECRET")),
        _ => (variable(&format!("{name}_CLIENT_ID")), variable(&format!("{name}_CLIENT_SECRET"))),
    };
    let credentials = ClientCredentials::new(variable("AUTH_URL"), id, secret).auth_style(style);
    build(credentials)
}

pub(crate) fn request() -> types::AddInstitutionMembersRequest {
    types::AddInstitutionMembersRequest {
        institution_id: variable("INSTITUTION_ID").parse().unwrap(),
        members: vec![types::InstitutionMemberToAdd {
            identity_id: "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06".parse().unwrap(),
            roles: vec!["ROLE_NAME".to_owned()],
        }],
    }
}

/// Makes two calls with different scopes. Each scope needs its own token, so an assertion that is
/// used twice is noticed.
async fn call(client: &Client) -> Result<(), Error> {
    client.list_monitoring_addresses().send().await?;
    client.add_institution_members().body(request()).send().await?;
    Ok(())
}

// RFC 6749, section 2.3.1: this server's secrets have to be encoded in a form and in a header.
#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_knows_a_client_by_form_body_and_by_basic() {
    for (name, style) in [("", AuthStyle::Body), ("BASIC", AuthStyle::Basic)] {
        let client = client(name, style);

        call(&client).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_knows_a_client_by_its_key() {
    let key = |algorithm: &str| variable(&format!("{algorithm}_KEY")).replace('|', "\n");
    for (id, signer) in [
        ("RS256", PemSigner::rs256(key("RS256"))),
        ("PS256", PemSigner::ps256(key("PS256"))),
        ("ES256", PemSigner::es256(key("ES256"))),
        ("EdDSA", PemSigner::eddsa(key("EDDSA"))),
    ] {
        let signer = signer.unwrap().with_key_id(format!("{id} key"));
        let credentials = ClientCredentials::private_key_jwt(variable("AUTH_URL"), id, signer)
            .audience(variable("ISSUER"));

        call(&build(credentials)).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_refuses_a_key_of_another_client() {
    let key = variable("ES256_KEY").replace('|', "\n");
    let signer = PemSigner::es256(key).unwrap().with_key_id("ES256 key");
    let credentials = ClientCredentials::private_key_jwt(variable("AUTH_URL"), "EdDSA", signer)
        .audience(variable("ISSUER"));

    let error = build(credentials).list_monitoring_addresses().send().await.unwrap_err();

    assert_eq!(error.oauth_error(), Some("invalid_client"));
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_refuses_a_scope_that_was_not_granted() {
    let client = client("NARROW", AuthStyle::Body);
    client.list_monitoring_addresses().send().await.unwrap();

    let error = client.add_institution_members().body(request()).send().await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Token);
    assert_eq!(error.oauth_error(), Some("invalid_scope"));
    assert!(error.to_string().contains("invalid_scope"), "{error}");
    assert!(!error.may_have_been_applied());
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_refuses_a_wrong_secret() {
    let credentials = ClientCredentials::new(variable("AUTH_URL"), "body", "not-the-secret");

    let error = build(credentials).list_monitoring_addresses().send().await.unwrap_err();

    assert_eq!(error.oauth_error(), Some("invalid_client"));
    assert!(!format!("{error} {error:?}").contains("not-the-secret"));
}

/// Returns an HTTP client with a certificate from `tests/tls`.
fn certified(name: &str) -> reqwest::Client {
    let directory = variable("CERTIFICATES");
    let [certificate, key] =
        ["pem", "key"].map(|end| fs::read(Path::new(&directory).join(format!("{name}.{end}"))));
    let (certificate, key) = (certificate.unwrap(), key.unwrap());
    #[cfg(feature = "rustls")]
    let identity = Identity::from_pem(&[certificate, key].concat());
    #[cfg(not(feature = "rustls"))]
    let identity = Identity::from_pkcs8_pem(&certificate, &key);
    let client = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none());
    client.identity(identity.unwrap()).build().unwrap()
}

// RFC 8705, sections 2.1 and 2.2.
#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_knows_a_client_by_its_certificate() {
    for (id, certificate) in [("certified", "client"), ("self-signed", "self-signed")] {
        let credentials = ClientCredentials::new(variable("AUTH_URL"), id, "");

        call(&build(credentials.http_client(certified(certificate)))).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_refuses_a_certificate_of_another_client_and_none() {
    let credentials = |id| ClientCredentials::new(variable("AUTH_URL"), id, "");
    for credentials in [
        credentials("certified").http_client(certified("self-signed")),
        credentials("self-signed").http_client(certified("client")),
        credentials("certified"),
    ] {
        let error = call(&build(credentials)).await.unwrap_err();

        assert_eq!(error.oauth_error(), Some("invalid_client"));
    }
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn oidc_provider_sees_a_rotated_secret() {
    let current = Arc::new(Mutex::new("not-the-secret".to_owned()));
    let reading = Arc::clone(&current);
    let client = build(
        ClientCredentials::new(variable("AUTH_URL"), variable("CLIENT_ID"), "")
            .secret_from(move || reading.lock().unwrap().clone()),
    );
    call(&client).await.unwrap_err();

    *current.lock().unwrap() = variable("CLIENT_SECRET");

    // A rejection is remembered per scope, so these calls use other scopes.
    client.list_deposit_addresses().send().await.unwrap();
    client.add_institution_members().body(request()).send().await.unwrap();
}

// The server's certificate is valid only for `localhost`.
#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn a_certificate_for_another_host_is_refused() {
    let url = variable("AUTH_URL").replace("localhost", "127.0.0.1");
    let credentials = ClientCredentials::new(url, variable("CLIENT_ID"), variable("CLIENT_SECRET"));

    let error = call(&build(credentials)).await.unwrap_err();

    assert_eq!((error.kind(), error.oauth_error()), (ErrorKind::Token, None));
}
