//! A web handler that maps each error to a status, depending on who caused the error.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::{Request, StatusCode as Code, header::RETRY_AFTER},
    response::{IntoResponse, Response},
    routing::get,
};
use digital_assets::{Client, Error, ErrorKind, sandbox::Sandbox};
use tower::ServiceExt;

pub(crate) fn router(client: Client) -> Router {
    Router::new().route("/profiles/{profile_id}/prices", get(prices)).with_state(client)
}

async fn prices(State(client): State<Client>, Path(id): Path<String>) -> Result<String, Failure> {
    let page = client.list_quote_executions().profile_id(id).limit(20).send().await;
    let page = page.map_err(Failure)?;
    let lines = page.items.iter().map(|it| format!("{} {}", it.market, it.price));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

struct Failure(Error);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let error = self.0;
        eprintln!("{error}");
        let answered = error.status().filter(|_| error.kind() == ErrorKind::Status);
        let status = match (error.kind(), answered.map(|status| status.as_u16())) {
            // Caused by our caller: this client or the service has rejected a value.
            (ErrorKind::InvalidRequest, _) | (_, Some(400 | 422)) => Code::BAD_REQUEST,
            (_, Some(404)) => Code::NOT_FOUND,
            // Caused by us: our settings are wrong, or our client lacks a permission.
            (ErrorKind::Configuration, _) | (_, Some(401 | 403)) => Code::INTERNAL_SERVER_ERROR,
            // Caused by the load: there are too many requests at the moment.
            (_, Some(429 | 503)) => Code::SERVICE_UNAVAILABLE,
            // Caused by the service, its token endpoint, or the network.
            (ErrorKind::Timeout, _) => Code::GATEWAY_TIMEOUT,
            _ => Code::BAD_GATEWAY,
        };
        let seconds = error.retry_after().map(|wait| wait.as_secs_f64().ceil().to_string());
        (status, seconds.map(|seconds| [(RETRY_AFTER, seconds)]), ()).into_response()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::builder().build();
    let path = format!("/profiles/{}/prices", sandbox.profile_id());
    // A real program would pass the router to `axum::serve`.
    let response =
        router(sandbox.client()?).oneshot(Request::get(path).body(Body::empty())?).await?;
    println!("{}", response.status());
    Ok(())
}
