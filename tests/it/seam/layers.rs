//! Existing tower layers, and one that signs each attempt.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use digital_assets::{Error, ErrorKind};
use http::{HeaderValue, header::ACCEPT_ENCODING};
use reqwest::{Body, Request, Response};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
use tower_http::{
    request_id::{MakeRequestUuid, SetRequestIdLayer},
    set_header::SetRequestHeaderLayer,
    trace::TraceLayer,
};

use super::target;
use crate::{
    Environment, add, granting, list, log,
    server::{Received, Server, json, status},
    specification::MEMBERS,
};

fn http_client() -> reqwest::Client {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.no_proxy().build().unwrap()
}

/// Converts to the types of `http`, which tower-http's layers expect.
fn sent_by_reqwest(
    request: http::Request<Body>,
) -> impl Future<Output = reqwest::Result<http::Response<Body>>> + Send {
    let client = http_client();
    async move { client.execute(Request::try_from(request)?).await.map(Into::into) }
}

/// The client's service, made of tower-http's layers.
fn layered()
-> impl Service<Request, Response = Response, Error = reqwest::Error, Future: Send> + Clone + Send + Sync
{
    ServiceBuilder::new()
        .map_request(|request: Request| http::Request::<Body>::try_from(request).unwrap())
        .map_response(|response: http::Response<_>| Response::from(response.map(Body::wrap)))
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .layer(SetRequestHeaderLayer::overriding(
            ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        ))
        .layer(TraceLayer::new_for_http())
        .service(service_fn(sent_by_reqwest))
}

#[tokio::test]
async fn layers_of_tower_http_give_each_attempt_an_id_and_a_span() -> Result<(), Error> {
    let script = [status(503), json(200, "{}"), json(200, MEMBERS)];
    let env = Environment::with(script, |client| client.http_service(layered()));

    log::start();
    list(&env.client).await?;
    add(&env.client).await?;
    let recorded = log::stop();

    let requests = env.service.requests();
    let mut ids: Vec<_> =
        requests.iter().map(|request| request.header("x-request-id").unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert!(requests.iter().all(|request| request.header("accept-encoding") == Some("identity")));
    let spans = recorded.spans("request");
    let parents = spans.iter().map(|span| recorded.entries[span.parent.unwrap()].name);
    assert_eq!(parents.collect::<Vec<_>>(), ["attempt"; 3]);
    Ok(())
}

// What comes out of them no longer tells where it came from.
#[tokio::test]
async fn layers_of_tower_http_follow_no_redirect() {
    let elsewhere = Server::answering(|_| json(200, "{}"));
    for code in [302, 307] {
        let answer = status(code).header("location", format!("{}/x", elsewhere.url()));
        let env =
            Environment::of(Server::answering(move |_| answer.clone()), granting(), |client| {
                client.http_service(layered())
            });

        for error in [list(&env.client).await, add(&env.client).await] {
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Status);
        }
        assert_eq!((env.service.count(), elsewhere.count()), (2, 0));
    }
}

/// Stands for a keyed hash of what is sent.
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
    let service_of = Server::answering(|_| json(200, "{}"));
    let env = Environment::of(service_of, granting(), |client| client.http_service(service));

    list(&env.client).await?;

    assert!(env.service.request().line.ends_with("?sig=word"));
    Ok(())
}
