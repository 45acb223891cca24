//! Tests of a service with 130 operations. The generated client calls each of them through Prism,
//! which rejects every request and response that violates the OpenAPI description.

mod description;
mod operation;
mod program;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use self::operation::Operation;
use super::copy::{Copy, text};
use crate::server::{Answer, Received, Server, json, status};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by tests/description/contract"]
async fn all_of_130_operations_are_called_through_prism_and_every_listing_is_paged() {
    let described = description::description();
    assert_eq!(Operation::all(&described).len(), 130);
    let copy = Copy::new("whole");
    copy.describe(&described.to_string());
    fs::create_dir_all(copy.0.join("examples")).unwrap();
    fs::write(copy.0.join("examples/whole.rs"), program::program(&described)).unwrap();
    let build = copy.cargo(&["build", "--features", "pattern", "--example", "whole"]);
    let said = text(&build);
    assert!(build.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    let program = Copy::target().join("debug/examples/whole");

    // Here, Prism is a proxy for a service whose listings have two pages.
    let service = Server::answering({
        let described = described.clone();
        move |request| answer(&described, request)
    });
    let file = copy.0.join("openapi.yaml");
    let proxy =
        Prism::start(&copy.0, &["proxy", "--errors", file.to_str().unwrap(), &service.url()]);
    call_whole(&program, &proxy, 2);

    // Here, Prism is the service. Its first page has to be the last one.
    let mock = copy.0.join("mock.json");
    fs::write(&mock, of_one_page(described.clone()).to_string()).unwrap();
    let mock = Prism::start(&copy.0, &["mock", "--errors", mock.to_str().unwrap()]);
    call_whole(&program, &mock, 1);
}

fn call_whole(program: &Path, prism: &Prism, pages: usize) {
    let called = Command::new(program)
        .env("BASE_URL", &prism.url)
        .env("PAGES", pages.to_string())
        .output()
        .unwrap();
    let said = text(&called);
    assert!(called.status.success() && said.contains("130 called"), "{said}");
}

/// Returns the example response of the requested operation. If the request has a cursor, this is
/// the last page.
fn answer(described: &Value, request: &Received) -> Answer {
    let (method, path) = request.path().split_once(' ').unwrap();
    let is_asked = |operation: &Operation<'_>| {
        let (one, other) = (operation.path.split('/'), path.split('/'));
        operation.method == method.to_lowercase()
            && one.clone().count() == other.clone().count()
            && one.zip(other).all(|(one, other)| one.starts_with('{') || one == other)
    };
    let operations = Operation::all(described);
    let Some(operation) = operations.iter().find(|operation| is_asked(operation)) else {
        return status(404);
    };
    if request.header("authorization").is_some() != operation.takes_token() {
        return status(401);
    }
    let cursor = request.parameters().into_iter().find(|(name, _)| name == "page_cursor");
    let page = operation.pages().get(usize::from(cursor.is_some())).copied();
    match page.or_else(|| operation.answer()) {
        Some(body) => json(operation.status(), body.to_string()),
        None => status(operation.status()),
    }
}

/// Changes the examples so that each listing has only its first page.
fn of_one_page(mut described: Value) -> Value {
    for item in described["paths"].as_object_mut().unwrap().values_mut() {
        for operation in item.as_object_mut().unwrap().values_mut() {
            let examples = "/responses/200/content/application~1json/examples";
            let Some(Value::Object(examples)) = operation.pointer_mut(examples) else { continue };
            examples.retain(|name, _| name == "page");
            examples["page"]["value"].as_object_mut().unwrap().remove("next_page_cursor");
        }
    }
    described
}

/// A Prism process on a free port, which is killed on drop.
struct Prism {
    process: Child,
    url: String,
}

impl Prism {
    fn start(work: &Path, arguments: &[&str]) -> Self {
        let prism: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "description/node_modules/@stoplight/prism-cli/dist/index.js",
        ]
        .iter()
        .collect();
        let said = work.join(format!("prism-{}.log", arguments[0]));
        let log = File::create(&said).unwrap();
        let process = Command::new("node")
            .arg(prism)
            .args(arguments)
            .args(["--host", "127.0.0.1", "--port", "0"])
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut prism = Self { process, url: String::new() };
        let started = Instant::now();
        while prism.url.is_empty() {
            assert!(started.elapsed() < Duration::from_secs(300), "Prism doesn't listen");
            sleep(Duration::from_millis(100));
            let said = fs::read_to_string(&said).unwrap();
            // Only complete lines count.
            let mut lines = said.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            let url = lines.find_map(|line| line.split_once("Prism is listening on "));
            prism.url = url.map_or_else(String::new, |(_, url)| url.trim().to_owned());
        }
        prism
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Converts a name to snake case: `listBankAccounts` to `list_bank_accounts`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        let is_separator = matches!(c, '.' | '-');
        if (is_separator || c.is_ascii_uppercase()) && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if !is_separator {
            snake.push(c.to_ascii_lowercase());
        }
    }
    snake
}
