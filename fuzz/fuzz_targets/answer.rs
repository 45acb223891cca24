//! Uses any bytes as the response to each operation, as headers, as the token response, and as a
//! checkpoint.

#![no_main]

use std::{
    convert::Infallible,
    fmt::Debug,
    future::{Ready, ready},
    task::{Context, Poll},
};

use digital_assets::{
    Checkpoint, Client, ClientCredentials, Error, ErrorKind, ResponseValue, Retry, reqwest, types,
};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        successes(&client(Memory::new(200, bytes))).await;
        refusal(bytes).await;
        token(bytes).await;
    });
    checkpoint(bytes);
});

/// A service that responds to every request with the same bytes.
#[derive(Clone)]
struct Memory {
    status: u16,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
}

impl Memory {
    fn new(status: u16, body: &[u8]) -> Self {
        Self { status, headers: Vec::new(), body: body.to_vec() }
    }

    fn answer(&self) -> reqwest::Response {
        let mut answer = http::Response::new(self.body.clone());
        *answer.status_mut() = self.status.try_into().unwrap();
        for (name, value) in &self.headers {
            if let Ok(value) = http::HeaderValue::from_bytes(value) {
                answer.headers_mut().insert(*name, value);
            }
        }
        answer.into()
    }
}

impl tower_service::Service<reqwest::Request> for Memory {
    type Response = reqwest::Response;
    type Error = Infallible;
    type Future = Ready<Result<reqwest::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: reqwest::Request) -> Self::Future {
        ready(Ok(self.answer()))
    }
}

fn client(service: Memory) -> Client {
    let client = Client::builder("http://127.0.0.1:1").bearer_token("token");
    client.http_service(service).retry(Retry::none()).build().unwrap()
}

async fn successes(client: &Client) {
    read(client.list_quote_executions().profile_id("profile").send().await);
    read(client.list_monitoring_addresses().send().await);
    read(client.list_deposit_addresses().send().await);
    let id = "6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0".parse().unwrap();
    let member = types::InstitutionMemberToAdd { identity_id: id, roles: vec!["ROLE".to_owned()] };
    let body = types::AddInstitutionMembersRequest { institution_id: id, members: vec![member] };
    read(client.add_institution_members().body(body).send().await);
}

/// Checks that a value is the same after serialization and deserialization, and that an error
/// doesn't contain data from the response.
///
/// If the value contains floating-point numbers, only its deserialization must succeed, because
/// such numbers may change slightly.
fn read<T>(answer: Result<ResponseValue<T>, Error>)
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    match answer {
        Ok(value) => {
            let value = value.into_inner();
            let again = serde_json::to_vec(&value);
            let again = again.and_then(|json| serde_json::from_slice::<T>(&json));
            if serde_json::to_value(&value).is_ok_and(|json| has_floats(&json)) {
                assert!(again.is_ok());
            } else {
                assert_eq!(again.ok(), Some(value));
            }
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Decode);
            assert!(!error.to_string().contains("second sight"), "{error}");
            assert_readable(&error);
        }
    }
}

fn has_floats(json: &Value) -> bool {
    match json {
        Value::Number(number) => number.is_f64(),
        Value::Array(array) => array.iter().any(has_floats),
        Value::Object(map) => map.values().any(has_floats),
        _ => false,
    }
}

/// Checks an error response whose `Retry-After` and `Date` headers are any bytes.
async fn refusal(bytes: &[u8]) {
    let (wait, date) = bytes.split_at(bytes.len() / 2);
    let headers = vec![("retry-after", wait.to_vec()), ("date", date.to_vec())];
    let client = client(Memory { headers, ..Memory::new(400, bytes) });

    let error = client.list_deposit_addresses().send().await.unwrap_err();

    assert_eq!(error.body(), Some(&bytes[..bytes.len().min(64 << 10)]));
    assert_readable(&error);
}

/// Checks successful and failed responses from the token endpoint.
async fn token(bytes: &[u8]) {
    for status in [200, 400] {
        let credentials = ClientCredentials::new("http://127.0.0.1:1", "id", "secret");
        let credentials = credentials.http_service(Memory::new(status, bytes));
        let client = Client::builder("http://127.0.0.1:1").credentials(credentials);
        let client = client.http_service(Memory::new(200, b"{}")).build().unwrap();

        if let Err(error) = client.list_deposit_addresses().send().await {
            assert_eq!(error.kind(), ErrorKind::Token);
            assert_readable(&error);
        }
    }
}

/// Checks that a deserialized checkpoint is the same after it is serialized again.
fn checkpoint(json: &[u8]) {
    if let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(json) {
        let again = serde_json::to_vec(&checkpoint);
        let again = again.and_then(|json| serde_json::from_slice::<Checkpoint>(&json));
        assert!(again.is_ok_and(|again| again == checkpoint));
    }
}

fn assert_readable(error: &Error) {
    let line = error.to_string();
    assert!(line.len() < 1_000 && !line.contains(char::is_control), "{line:?}");
    let _ = format!("{error:?}");
}
