//! The CPU time per item of `items()` and of handwritten code, for the same pages.

use std::{
    collections::HashMap,
    hint::black_box,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use digital_assets::{Client, Record};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::{
    by_hand,
    cpu::{median, thread_nanos},
    server::Server,
};

const PAGES: usize = 100;
const RECORDS: usize = 1_000;
const ROUNDS: usize = 15;

pub(crate) fn run() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let pages = runtime.block_on(pages());
    let bytes = pages.values().map(String::len).sum::<usize>() / (PAGES * RECORDS);
    let base_url = serve(pages);
    let url = format!("{base_url}/v2/profiles/p/quote-executions");
    let client = Client::builder(&base_url).bearer_token("token").build().unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();

    let bare = || async {
        let mut count = 0;
        by_hand::walk(&http, &url, "token", |execution| {
            black_box(&execution);
            count += 1;
        })
        .await;
        count
    };
    let ours = || async {
        let mut count = 0;
        let mut items = client.list_quote_executions().profile_id("p").items();
        while let Some(execution) = items.next().await {
            black_box(execution.unwrap().created_at());
            count += 1;
        }
        count
    };
    let only_bytes = || async {
        let mut cursor = Some(String::new());
        while let Some(at) = cursor {
            let request = http.get(&url).query(&[("page_cursor", at)]);
            let body = request.send().await.unwrap().bytes().await.unwrap();
            cursor = next_cursor(std::str::from_utf8(&body).unwrap());
        }
        PAGES * RECORDS
    };

    let (mut by_hand, mut items, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        by_hand.push(nanos_an_item(&runtime, bare));
        items.push(nanos_an_item(&runtime, ours));
        reads.push(nanos_an_item(&runtime, only_bytes));
    }
    let [by_hand, items, reads] = [by_hand, items, reads].map(median);
    let ratio = items / by_hand;
    println!("decode and walk, {RECORDS} records of {bytes} bytes per page, CPU time per item:");
    println!("  handwritten {by_hand:.0} ns, items() {items:.0} ns: {ratio:.2} times");
    println!("  only reading the bodies {reads:.0} ns");
}

fn nanos_an_item<F: Future<Output = usize>>(runtime: &Runtime, walk: impl Fn() -> F) -> f64 {
    let before = thread_nanos();
    let count = runtime.block_on(walk());
    assert_eq!(count, PAGES * RECORDS);
    (thread_nanos() - before) / count as f64
}

/// Returns pages from the sandbox. Each key is the cursor with which the page is requested.
async fn pages() -> HashMap<String, String> {
    let server = Server::start((PAGES * RECORDS) as u64, 0, "even");
    let (mut pages, mut cursor) = (HashMap::new(), String::new());
    let mut list = server.list().limit(i32::try_from(RECORDS).unwrap()).pages();
    while let Some(page) = list.next().await {
        let page = page.unwrap();
        let text = serde_json::to_string::<Value>(&json!(*page)).unwrap();
        pages.insert(cursor, text);
        cursor = page.next_page_cursor.clone().unwrap_or_default();
    }
    assert_eq!(pages.len(), PAGES);
    pages
}

fn next_cursor(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("\"next_page_cursor\":\"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Starts a server that returns the pages from memory. Each connection has its own thread.
fn serve(pages: HashMap<String, String>) -> String {
    let answer = |body: String| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let pages: HashMap<String, Vec<u8>> =
        pages.into_iter().map(|(cursor, body)| (cursor, answer(body))).collect();
    let pages = Arc::new(pages);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let pages = Arc::clone(&pages);
            thread::spawn(move || answer_all(stream.unwrap(), &pages));
        }
    });
    base_url
}

fn answer_all(mut stream: TcpStream, pages: &HashMap<String, Vec<u8>>) {
    let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut chunk) {
        request.extend_from_slice(&chunk[..length]);
        if !request.ends_with(b"\r\n\r\n") {
            continue;
        }
        let line = std::str::from_utf8(&request).unwrap().split("\r\n").next().unwrap();
        let cursor =
            line.split("page_cursor=").nth(1).and_then(|rest| rest.split(['&', ' ']).next());
        stream.write_all(&pages[cursor.unwrap_or_default()]).unwrap();
        request.clear();
    }
}
