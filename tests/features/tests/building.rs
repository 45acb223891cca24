//! The error for a client that is built without a crypto provider.

#![allow(missing_docs)]

use digital_assets::{Client, ClientCredentials, ErrorKind};

#[test]
fn a_client_is_not_built_without_a_crypto_provider() {
    let credentials = ClientCredentials::new("https://auth.example.com/token", "id", "secret");
    let base = || Client::builder("https://api.example.com");
    for builder in [base().bearer_token("word"), base().credentials(credentials)] {
        let error = builder.build().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("install_default"), "{error}");
    }
}
