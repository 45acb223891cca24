//! Requests that no real client sends, byte by byte. The sandbox responds to each or closes its
//! connection, and serves the next request.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use digital_assets::sandbox::{Fault, Sandbox};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::caller::{Caller, all_scopes, items};

const DEPOSITS: &str = "/v2/transfer/deposit-addresses";

/// Returns the status of the response to these bytes, or 0 if the connection is closed without a
/// response.
async fn sent(caller: &Caller, bytes: &[u8]) -> u16 {
    let address = caller.sandbox.base_url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The sandbox may close the connection before all bytes are written.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = timeout(Duration::from_secs(60), stream.read_to_end(&mut answer)).await;
    let _ = read.expect("a response or a closed connection");
    let status = answer.get(9..12).map(|status| String::from_utf8_lossy(status).into_owned());
    status.map_or(0, |status| status.parse().unwrap())
}

fn request(line: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{line} HTTP/1.1\r\nhost: sandbox\r\nconnection: close\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    [format!("{text}content-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

#[tokio::test]
async fn a_request_that_no_client_sends_is_answered_or_cut_off() {
    let caller = Caller::listening(Sandbox::builder()).await;
    let token = format!("Bearer {}", caller.token(&all_scopes()).await);
    let authorized = ("authorization", token.as_str());
    let json = ("content-type", "application/json");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let get = |target: &str| request(&format!("GET {target}"), &[authorized], b"");
    let post = |path: &str, body: &[u8]| {
        let headers = [authorized, if path == "/oauth2/token" { form } else { json }];
        request(&format!("POST {path}"), &headers, body)
    };
    let members = "/v2/identity/institution-members";
    let many = format!("{DEPOSITS}?{}", "&ids=".repeat(10_000));
    let nested = "[".repeat(200_000);
    let long = "x".repeat(3 << 20);
    let cases: Vec<(&str, Vec<u8>, &[u16])> = vec![
        ("no HTTP", b"\0\xff\x16\x03\x01 sesame\r\n\r\n".to_vec(), &[400, 0]),
        ("a long header", request("GET /", &[("x", &long)], b""), &[431, 400, 0]),
        ("a path that isn't UTF-8", get("/v2/profiles/%ff%00/quote-executions"), &[400, 404]),
        ("a path above the root", get("/v2/../../sandbox"), &[404]),
        ("an absolute target", get(&format!("http://elsewhere{DEPOSITS}?limit=1")), &[200]),
        ("many entries", get(&many), &[400]),
        ("a query that isn't UTF-8", get(&format!("{DEPOSITS}?ref_ids=%ff%fe")), &[200]),
        ("a name without a value", get(&format!("{DEPOSITS}?limit")), &[400]),
        ("a limit beyond 64 bits", get(&format!("{DEPOSITS}?limit=99999999999999999999")), &[400]),
        ("a limit in Arabic digits", get(&format!("{DEPOSITS}?limit=%D9%A1")), &[400]),
        (
            "the last year",
            get(&format!("{DEPOSITS}?created_at.gt=9999-12-31T23:59:60.999999999999Z")),
            &[200, 400],
        ),
        (
            "a far offset",
            get(&format!("{DEPOSITS}?created_at.eq=0000-01-01T00:00:00-23:59")),
            &[200, 400],
        ),
        ("an unknown method", request(&format!("SESAME {DEPOSITS}"), &[authorized], b""), &[405]),
        ("a body too long", post(members, long.as_bytes()), &[413, 0]),
        ("deep JSON", post(members, nested.as_bytes()), &[400]),
        ("JSON that isn't UTF-8", post(members, b"{\"members\": \"\xff\"}"), &[400]),
        ("a number that is too large", post(members, b"{\"members\": 1e999}"), &[400]),
        ("half a character", post(members, b"{\"members\": \"\\ud800\"}"), &[400]),
        ("a key twice", post(members, b"{\"members\": [], \"members\": []}"), &[400]),
        ("a control body too long", post("/sandbox/faults", long.as_bytes()), &[413, 0]),
        ("a deep control body", post("/sandbox/faults", nested.as_bytes()), &[400]),
        ("an odd control path", get("/sandbox/quote-executions/%ff/settle"), &[400, 405]),
        ("a form that isn't UTF-8", post("/oauth2/token", b"grant_type=\xff&%ff=%"), &[400, 401]),
        ("a form too long", post("/oauth2/token", long.as_bytes()), &[413, 0]),
        (
            "chunks that aren't",
            format!(
                "POST {members} HTTP/1.1\r\nhost: a\r\nauthorization: {token}\r\n\
                 transfer-encoding: chunked\r\n\r\nsesame\r\n"
            )
            .into_bytes(),
            &[400, 413, 0],
        ),
        (
            "two lengths",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"
                .to_vec(),
            &[400, 0],
        ),
    ];
    for (case, bytes, expected) in cases {
        let status = sent(&caller, &bytes).await;

        assert!(expected.contains(&status), "{case}: {status}");
    }
    for value in ["Basic", "Basic !", "Basic /w==", "Basic Og==", "Bearer", "\u{e9}", "Basic OjoK"]
    {
        let headers = [form, ("authorization", value)];
        let bytes = request("POST /oauth2/token", &headers, b"grant_type=client_credentials");
        assert_eq!(sent(&caller, &bytes).await, 401, "{value}");
    }
    assert_eq!(items(&caller.ok(&format!("{DEPOSITS}?limit=1000")).await).len(), 800);
    assert!(caller.sandbox.members().is_empty());
}

// Whatever a cursor contains, the response is a page or a 400.
#[tokio::test]
async fn a_forged_cursor_makes_no_page_that_could_not_be_asked_for() {
    let caller = Caller::with(Sandbox::builder().deposit_addresses(10_050)).await;
    let page = caller.ok(&format!("{DEPOSITS}?limit=7")).await;
    let cursor = page["next_page_cursor"].as_str().unwrap();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
    let json = String::from_utf8(bytes.clone()).unwrap();
    let (_, size) = json.split_once("\"size\":").unwrap();
    for at in 0..bytes.len() {
        for forged in [0, b'0', b'9', b'-', 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] = forged;
            let cursor = BASE64_URL_SAFE_NO_PAD.encode(&bytes);
            let path = format!("{DEPOSITS}?page_cursor={cursor}&ref_ids=nobody");
            assert_eq!(caller.refused(&path).await, "page_cursor");
            // Only the size is checked, because a forged position may be after the last record.
            if at >= json.len() - size.len() {
                let (status, page) = caller.get(&format!("{DEPOSITS}?page_cursor={cursor}")).await;
                assert!(status == 400 || (1..=10_000).contains(&items(&page).len()), "{at}");
            }
        }
    }
    let forged = json.replace("\"empty\":0", &format!("\"empty\":{}", u32::MAX));
    assert_ne!(forged, json);
    let forged = BASE64_URL_SAFE_NO_PAD.encode(forged);
    caller.sandbox.fault(digital_assets::operation::LIST_DEPOSIT_ADDRESSES, Fault::EmptyPage);
    assert!(items(&caller.ok(&format!("{DEPOSITS}?page_cursor={forged}")).await).is_empty());
}

#[tokio::test]
async fn more_records_than_there_can_be_are_as_many_as_there_can_be() {
    let caller = Caller::with(Sandbox::builder().monitoring_addresses(u64::MAX)).await;
    caller.sandbox.add_executions(u64::MAX);
    caller.sandbox.add_executions(u64::MAX);

    assert!(caller.sandbox.executions().next().is_some());
    let page = caller.ok("/v2/rewards/monitor/address?order=ASC&limit=5").await;
    assert_eq!(items(&page).len(), 5);
    let newest = caller.sandbox.executions().next().unwrap();
    caller.sandbox.insert_execution(newest.clone());
    assert_eq!(caller.sandbox.executions().next(), Some(newest));
}
