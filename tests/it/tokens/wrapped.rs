//! Tests of sources and signers behind pointers, of sources that wrap others or aren't ready yet,
//! and of clients that get their credentials later.

use super::prelude::*;

#[tokio::test(start_paused = true)]
async fn a_source_that_is_not_ready_yet_is_asked_again_within_the_deadline() -> Result<(), Error> {
    let source = Source::of(|earlier| async move {
        match earlier {
            0..3 => Err(Error::token("the file isn't there yet").retryable()),
            _ => Ok(AccessToken::new("word")),
        }
    });
    let env = drawing_with(&source, |client| client.call_timeout(seconds(20)));
    let began = Instant::now();

    let calls = join_all((0..5).map(|_| list(&env.client))).await;

    assert!(calls.iter().all(Result::is_ok), "{calls:?}");
    // There were pauses of one, two and four seconds.
    assert_eq!((source.count(), began.elapsed().as_secs()), (4, 7));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_source_that_never_gets_ready_fails_calls_at_their_deadline_at_the_latest() {
    let source = Source::of(|_| async {
        Err(Error::token_from(std::io::Error::other("no file")).retryable())
    });
    let env = drawing_with(&source, |client| client.call_timeout(seconds(10)));
    let began = Instant::now();

    let error = list(&env.client).await.unwrap_err();

    // There were pauses of one, two and four seconds. The next pause would end after the deadline.
    assert_eq!((source.count(), began.elapsed().as_secs()), (4, 7));
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Token, 0));
    assert!(error.is_retryable() && error.retry_after().is_some(), "{error}");
    assert!(!Error::token("over").is_retryable());
}

#[tokio::test]
async fn sources_behind_pointers_are_sources() -> Result<(), Error> {
    let shared: Arc<dyn TokenSource> = Arc::new(Source::minting(None));
    let boxed: Box<dyn TokenSource> = Box::new(Source::minting(None));
    for credentials in [shared, Arc::new(boxed), Arc::new(Arc::new(Source::minting(None)))] {
        let service = InMemory::always(json(200, "{}"));
        let client = service.with(|client| client.credentials(credentials));

        list(&client).await?;

        assert_eq!(service.tokens(), ["word-1"]);
    }
    let refused = Box::new(ClientCredentials::new("http://example.com/token", "id", "secret"));
    let client = Client::builder("https://api.example.com").credentials(refused).build();
    assert_eq!(client.unwrap_err().kind(), ErrorKind::Configuration);
    Ok(())
}

/// A token source that marks another source's tokens.
struct Marking<S>(S);

impl<S: TokenSource> TokenSource for Marking<S> {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            let token = self.0.token(scopes).await?;
            let marked = AccessToken::new(format!("{}-marked", token.secret()));
            Ok(token.lifetime().into_iter().fold(marked, AccessToken::expires_in))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_can_wrap_another() -> Result<(), Error> {
    let source = Source::minting(seconds(100));
    let service = InMemory::always(json(200, "{}"));
    let client = service.with(|client| client.credentials(Marking(source.clone())));

    list(&client).await?;
    advance(seconds(100)).await;
    list(&client).await?;

    assert_eq!(service.tokens(), ["word-1-marked", "word-2-marked"]);
    assert_eq!(AccessToken::new("word").lifetime(), None);
    Ok(())
}

/// A signer whose signature is always its name.
struct Named(&'static str);

impl Signer for Named {
    fn algorithm(&self) -> &'static str {
        "ES256"
    }

    fn key_id(&self) -> Option<&str> {
        Some(self.0)
    }

    fn sign<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        Box::pin(async { Ok(self.0.into()) })
    }
}

#[tokio::test]
async fn signers_behind_pointers_are_signers() -> Result<(), Error> {
    let shared: Arc<dyn Signer> = Arc::new(Named("shared"));
    let boxed: Box<dyn Signer> = Box::new(Named("boxed"));
    for credentials in [
        ClientCredentials::private_key_jwt(TOKEN_URL, "id", shared),
        ClientCredentials::private_key_jwt(TOKEN_URL, "id", boxed),
    ] {
        let auth = granting_in_memory();
        let service = InMemory::always(json(200, "{}"));
        let credentials = credentials.http_service(auth.clone());
        let client = service.with(|client| client.credentials(credentials));

        list(&client).await?;

        assert_eq!((auth.count(), service.count()), (1, 1));
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_base_client_for_many_tenants_needs_no_credentials() -> Result<(), Error> {
    let service = InMemory::always(json(200, "{}"));
    let base = Client::builder("http://127.0.0.1:9").http_service(service.clone()).build()?;

    for tenant in ["one", "two"] {
        let token = move |_| async move { Ok(AccessToken::new(tenant)) };
        list(&base.with_credentials(Source::of(token))).await?;
    }

    assert_eq!(service.tokens(), ["one", "two"]);
    let error = list(&base).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Configuration, 0));
    assert!(error.to_string().contains("no credentials"), "{error}");
    let mut items = base.list_deposit_addresses().items();
    assert_eq!(items.next().await.unwrap().unwrap_err().kind(), ErrorKind::Configuration);
    assert!(items.next().await.is_none());
    assert_eq!(service.count(), 2);
    Ok(())
}

// Some proxies respond with their own page, and some tools add a newline to a token.
#[tokio::test]
async fn an_error_says_what_is_wrong_with_a_token_or_a_token_endpoint() {
    for (answer, words) in [
        (grant("sesame\\n", "60"), "a token with a character that a header can't contain"),
        (grant("<html>sesame</html> ", "60"), "a character that a header can't contain"),
        (json(200, "<html>sesame</html>"), "is not JSON"),
        (json(200, r#"{"access_token":"","expires_in":60}"#), "an empty token"),
        (json(200, r#"{"token":"sesame"}"#), "sent no token"),
        (json(200, r#"{"access_token":7}"#), "sent no token"),
    ] {
        let env = refusing(answer);

        let error = list(&env.client).await.unwrap_err();

        assert!(error.to_string().contains(words), "{words}: {error}");
        assert!(!printed(&error).contains("sesame"), "{error:?}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = format!("http://127.0.0.1:{port}/oauth2/token");
    let closed = ClientCredentials::new(closed, "id", "secret");
    let error = list(&with(closed).1).await.unwrap_err();
    assert!(error.to_string().contains("token endpoint failed: could not connect"), "{error}");
}

// RFC 6749, section 7.1: the token type is `bearer`, in any case. Some endpoints write it
// differently.
#[tokio::test]
async fn a_bearer_token_is_one_by_any_of_its_names() -> Result<(), Error> {
    for kind in ["\"BearerToken\"", "\"bearertoken\"", "\"\"", "\" \"", "\"Bearer \"", "null"] {
        let body = format!(r#"{{"access_token":"word","token_type":{kind}}}"#);
        let env = refusing(json(200, format!("\u{feff}{body}")));

        list(&env.client).await?;

        assert_eq!(env.service.tokens(), ["word"], "{kind}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_endpoint_that_asks_for_no_pause_shortens_none() {
    let auth = InMemory::always(json(503, "{}").header("retry-after", "0"));
    let env = in_memory(auth);

    list(&env.client).await.unwrap_err();

    let times = env.auth.times();
    assert_eq!(times.len(), 3);
    assert!(times[2] > millis(2), "{times:?}");
}
