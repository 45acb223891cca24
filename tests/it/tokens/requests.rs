//! Tests of what a token request contains, where it is recorded, and which responses contain a
//! token.

use std::future::ready;

use tracing::{Event, Subscriber, instrument::WithSubscriber};
use tracing_subscriber::{
    Registry,
    layer::{Context, Layer, SubscriberExt},
};

use super::prelude::*;
use crate::{log, specification::scopes};

// Section 5 of the specification: client credentials, and the scope of each operation. RFC 6749,
// section 4.4.2: the token request.
#[tokio::test]
async fn a_token_is_asked_for_with_the_scope_of_the_operation() -> Result<(), Error> {
    let env = Environment::well(|client| client);

    call_each(&env.client).await?;

    let requests = env.auth.requests();
    assert_eq!(requests.len(), scopes().len());
    for (request, scope) in std::iter::zip(requests, scopes()) {
        assert_eq!(request.line, "POST /oauth2/token");
        assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
        assert_eq!(request.header("accept"), Some("application/json"));
        assert_eq!(request.header("authorization"), None);
        let mut form = request.form();
        form.sort();
        let expected = [
            pair("client_id", "backoffice"),
            pair("client_secret", "sesame"),
            pair("grant_type", "client_credentials"),
            pair("scope", scope),
        ];
        assert_eq!(form, expected);
    }
    Ok(())
}

#[tokio::test]
async fn scopes_of_ones_own_make_one_token_for_all() -> Result<(), Error> {
    let env = Environment::well(|client| client.scopes(["rewards:all", "transfer:all"]));

    call_each(&env.client.clone()).await?;

    assert!(env.auth.request().form().contains(&pair("scope", "rewards:all transfer:all")));
    assert!(env.service.tokens().iter().all(|token| token == "word-1"));
    Ok(())
}

#[tokio::test]
async fn the_kind_of_token_is_bearer_in_any_case_or_unsaid() -> Result<(), Error> {
    for kind in [r#""token_type":"Bearer","#, r#""token_type":"bearer","#, ""] {
        let env = refusing(json(200, format!(r#"{{{kind}"access_token":"word"}}"#)));

        list(&env.client).await?;

        assert_eq!(env.service.tokens(), ["word"], "{kind}");
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_without_a_token_is_an_error() {
    let deep = format!(r#"{{"access_token":"sesame","x":{}"#, "[".repeat(100_000));
    for answer in [
        json(200, "{}"),
        json(200, "[]"),
        json(200, r#"["sesame","bearer"]"#),
        json(200, r#"{"access_token":7}"#),
        json(200, r#"{"access_token":"sesame","token_type":"mac"}"#),
        json(200, r#"{"access_token":"sesame\n","token_type":"bearer"}"#),
        json(200, deep),
        json(200, format!(r#"{{"access_token":"sesame","x":"{}"}}"#, "x".repeat(2 << 20))),
        status(200).body("<html>sesame</html>"),
        status(204),
    ] {
        let env = refusing(answer);

        let error = list(&env.client).await.expect_err("no token");

        assert_eq!(error.kind(), ErrorKind::Token, "{error}");
        assert!(error.status().is_some(), "{error}");
        assert_eq!((env.auth.count(), env.service.count()), (1, 0), "{error}");
        assert!(!printed(&error).contains("sesame"), "{error:?}");
    }
}

#[tokio::test]
async fn what_a_source_records_belongs_to_the_span_of_its_request() {
    let source = Source::of(|_| {
        tracing::info!("asking the vault");
        ready(Err(Error::token("the vault is sealed")))
    });
    let env = drawing_on(&source);
    let (recorded, result) = log::of(list(&env.client)).await;

    result.expect_err("sealed");
    assert_eq!(recorded.spans("token")[0].field("error.type"), Some("token"));
    let asking = recorded.entries.iter().find(|it| it.field("message") == Some("asking the vault"));
    assert_eq!(asking.expect("an event").parent, Some("token"));
}

#[tokio::test]
async fn a_request_for_a_token_is_recorded_where_its_call_is() {
    /// A layer that notes whether the crate's token code has recorded an event.
    struct Noting(Arc<AtomicBool>);

    impl<S: Subscriber> Layer<S> for Noting {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let is_of_tokens = event.metadata().target().starts_with("oas_client::auth");
            self.0.fetch_or(is_of_tokens, Ordering::Relaxed);
        }
    }

    let env = Environment::playing([json(200, "{}")]);
    let noted = Arc::new(AtomicBool::new(false));
    // A subscriber for one future sees the callsites of other threads only if there is a global
    // subscriber.
    log::start();

    let call =
        list(&env.client).with_subscriber(Registry::default().with(Noting(Arc::clone(&noted))));
    call.await.expect("a page");

    assert!(noted.load(Ordering::Relaxed));
}
