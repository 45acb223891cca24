//! Records answers in a file, and replays them without a service.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::{Arc, Mutex},
};

use digital_assets::{
    Client, Error,
    sandbox::{Sandbox, SandboxService},
    types::DepositAddress,
};
use reqwest::{Request, Response};
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};

use super::target;
use crate::memory::{Answered, BoxError};

/// The request without its token.
fn question(request: &Request) -> String {
    format!("{} {}", request.method(), target(request))
}

async fn recorded(service: SandboxService, file: PathBuf, request: Request) -> Answered {
    let question = question(&request);
    let response = service.oneshot(request).await?;
    let (status, body) = (response.status().as_u16(), response.text().await?);
    let mut lines = fs::read_to_string(&file).unwrap_or_default();
    lines.push_str(&json!([question, status, body]).to_string());
    lines.push('\n');
    fs::write(&file, lines)?;
    Ok(http::Response::builder().status(status).body(body)?.into())
}

fn replayed(file: &Path) -> HashMap<String, (u16, String)> {
    let lines = fs::read_to_string(file).unwrap();
    let answer = |line: &str| {
        let (question, status, body) = serde_json::from_str(line).unwrap();
        (question, (status, body))
    };
    lines.lines().map(answer).collect()
}

async fn listed(client: &Client) -> Result<Vec<DepositAddress>, Error> {
    let mut items = client.list_deposit_addresses().limit(40).items();
    let mut all = Vec::new();
    while let Some(address) = items.next().await {
        all.push(address?);
    }
    Ok(all)
}

#[tokio::test]
async fn a_listing_is_recorded_in_a_file_and_replayed_from_it() -> Result<(), BoxError> {
    let name = format!("answers-{}.jsonl", process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let sandbox = Sandbox::builder().deposit_addresses(100).build();
    let service = sandbox.http_service();
    let (to, seen) = (file.clone(), Arc::new(Mutex::new(Vec::new())));
    let tokens = Arc::clone(&seen);
    let recording = service_fn(move |request: Request| {
        let token = request.headers()["authorization"].to_str().unwrap();
        tokens.lock().unwrap().push(token.trim_start_matches("Bearer ").to_owned());
        recorded(service.clone(), to.clone(), request)
    });
    let first = listed(&sandbox.client_builder().http_service(recording).build()?).await?;
    drop(sandbox);

    let answers = replayed(&file);
    let replaying = service_fn(move |request: Request| {
        let answer = answers.get(&question(&request)).cloned();
        async move {
            let (status, body) = answer.ok_or_else(|| io::Error::other("not recorded"))?;
            let answer = http::Response::builder().status(status).body(body);
            answer.map(Response::from).map_err(io::Error::other)
        }
    });
    let client = Client::builder("http://127.0.0.1:9").bearer_token("another");
    let second = listed(&client.http_service(replaying.map_err(BoxError::from)).build()?).await?;

    assert_eq!((first.len(), &first), (100, &second));
    let text = fs::read_to_string(&file)?;
    fs::remove_file(&file)?;
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty() && seen.iter().all(|token| !text.contains(token)));
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    Ok(())
}
