//! Tests of existing tower layers, and of a layer that signs each attempt.

use std::{
    collections::HashSet,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::atomic::{AtomicU32, Ordering},
};

use http::{HeaderValue, header::ACCEPT_ENCODING};
use reqwest::{Body, Request};
use tower::{ServiceBuilder, ServiceExt, util::MapRequestLayer};
use tower_http::{
    request_id::{MakeRequestUuid, SetRequestIdLayer},
    set_header::SetRequestHeaderLayer,
    trace::TraceLayer,
};

use super::target;
use crate::{log, prelude::*, server::Received, specification::new_members};

fn http_client() -> reqwest::Client {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.no_proxy().build().unwrap()
}

/// Adds tower-http's layers to a client.
pub(super) fn layers(client: ClientBuilder) -> ClientBuilder {
    let accept = HeaderValue::from_static("identity");
    client.layer(
        ServiceBuilder::new()
            .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
            .layer(SetRequestHeaderLayer::overriding(ACCEPT_ENCODING, accept))
            .layer(TraceLayer::new_for_http()),
    )
}

#[tokio::test]
async fn layers_of_tower_http_give_each_attempt_an_id_and_a_span() -> Result<(), Error> {
    let script = [status(503), json(200, "{}"), json(200, MEMBERS)];
    let env = Environment::with(script, layers);

    let calls = async {
        list(&env.client).await?;
        add(&env.client).await
    };
    let (recorded, result) = log::of(calls).await;

    result?;
    let requests = env.service.requests();
    let mut ids: Vec<_> =
        requests.iter().map(|request| request.header("x-request-id").unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert!(requests.iter().all(|request| request.header("accept-encoding") == Some("identity")));
    let parents: Vec<_> = recorded.spans("request").iter().map(|span| span.parent).collect();
    assert_eq!(parents, [Some("attempt"); 3]);
    Ok(())
}

// A kept connection might be closed while a POST is in progress.
#[tokio::test]
async fn a_post_goes_out_on_a_connection_of_its_own_and_listings_share_one() -> Result<(), Error> {
    for case in ["plain", "below layers"] {
        let settings = |client| if case == "plain" { client } else { layers(client) };
        let env = Environment::well(settings);

        for _ in 0..5 {
            list(&env.client).await?;
            add(&env.client).await?;
        }

        let requests = env.service.requests();
        let connections = |method: &str| {
            let requests = requests.iter().filter(|request| request.line.starts_with(method));
            requests.map(|request| request.connection).collect::<HashSet<_>>()
        };
        let (gets, posts) = (connections("GET"), connections("POST"));
        assert_eq!((gets.len(), posts.len()), (1, 5), "{case}");
        assert!(gets.is_disjoint(&posts), "{case}");
    }
    Ok(())
}

/// Returns a function that adds a value to the header `x-layers`.
fn named(name: &'static str) -> impl Fn(http::Request<Body>) -> http::Request<Body> + Clone {
    move |mut request| {
        request.headers_mut().append("x-layers", HeaderValue::from_static(name));
        request
    }
}

#[tokio::test(start_paused = true)]
async fn layers_limit_the_rate_of_all_requests_and_are_put_around_each_other() -> Result<(), Error>
{
    let service = InMemory::scripted(|at, _| json(200, [MEMBERS, "{}"][at % 2]));
    let client = service.with(|client| {
        let rate = ServiceBuilder::new().buffer(8).rate_limit(1, Duration::from_secs(1));
        client
            .layer(rate)
            .layer(MapRequestLayer::new(named("inner")))
            .layer(MapRequestLayer::new(named("outer")))
    });

    for _ in 0..3 {
        client.add_institution_members().body(new_members()).send().await?;
        client.list_monitoring_addresses().send().await?;
    }

    assert_eq!(service.times(), (0..6).map(Duration::from_secs).collect::<Vec<_>>());
    let requests = service.requests();
    let layers: Vec<_> = requests[0].headers().get_all("x-layers").iter().collect();
    assert_eq!(layers, ["outer", "inner"]);
    Ok(())
}

#[tokio::test]
async fn a_post_that_failed_below_a_layer_is_not_repeated() {
    let client = Client::builder("http://127.0.0.1:9").bearer_token("word").retry(quick());
    let client = layers(client).build().unwrap();

    let error = add(&client).await.unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 1));
    assert!(error.may_have_been_applied());
    assert_eq!(list(&client).await.unwrap_err().attempts(), 3);
}

/// Returns a stand-in for a keyed hash of the request.
fn signature(number: &str, method: &str, target: &str, token: &str, body: &[u8]) -> String {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    format!("{number}:{:x}", hasher.hash_one(("key", number, method, target, token, body)))
}

fn is_signed(request: &Received) -> bool {
    let signed = request.header("x-signature").unwrap();
    let (number, _) = signed.split_once(':').unwrap();
    let (method, target) = request.line.split_once(' ').unwrap();
    let token = request.header("authorization").unwrap();
    signed == signature(number, method, target, token, request.body.as_bytes())
}

#[tokio::test]
async fn a_layer_signs_each_attempt_with_its_token_and_its_body() -> Result<(), Error> {
    let number = Arc::new(AtomicU32::new(0));
    let service = http_client().map_request(move |mut request: Request| {
        let number = number.fetch_add(1, Ordering::Relaxed).to_string();
        let target = target(&request);
        let token = request.headers()["authorization"].to_str().unwrap();
        let body = request.body().and_then(Body::as_bytes).unwrap_or_default();
        let signed = signature(&number, request.method().as_str(), &target, token, body);
        request.headers_mut().insert("x-signature", signed.try_into().unwrap());
        request
    });
    let script = [status(503), status(401), json(200, "{}"), status(429), json(200, MEMBERS)];
    let service_of = Server::playing(script);
    let env = Environment::of(service_of, granting(), |client| client.http_service(service));

    env.client.list_monitoring_addresses().limit(7).send().await?;
    add(&env.client).await?;

    let requests = env.service.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests.iter().all(is_signed), "{requests:?}");
    let mut signatures: Vec<_> = requests.iter().map(|it| it.header("x-signature")).collect();
    signatures.dedup();
    assert_eq!(signatures.len(), 5);
    Ok(())
}

#[tokio::test]
async fn a_layer_may_sign_in_the_query() -> Result<(), Error> {
    let service = http_client().map_request(|mut request: Request| {
        request.url_mut().query_pairs_mut().append_pair("sig", "word");
        request
    });
    let layer = MapRequestLayer::new(|mut request: http::Request<Body>| {
        *request.uri_mut() = format!("{}?sig=word", request.uri()).parse().unwrap();
        request
    });
    let signed = |sign: &dyn Fn(ClientBuilder) -> ClientBuilder| {
        Environment::of(Server::always(json(200, "{}")), granting(), sign)
    };

    for env in [
        signed(&|client| client.http_service(service.clone())),
        signed(&|client| client.layer(layer.clone())),
    ] {
        list(&env.client).await?;

        assert!(env.service.request().line.ends_with("?sig=word"));
    }
    Ok(())
}
