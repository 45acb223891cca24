//! Calls two operations that stand in the description alone, against literal answers.

#![allow(missing_docs, clippy::unwrap_used)]

use digital_assets::{Client, ClientCredentials, ErrorKind, Operation, types::{ListTransfersState, TransferState}};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener));
    let credentials = ClientCredentials::new(format!("http://{address}/token"), "id", "secret");
    let client =
        Client::builder(format!("http://{address}")).credentials(credentials).build().unwrap();

    assert_eq!(Operation::ListTransfers.id(), "listTransfers");
    assert_eq!(Operation::GetTransfer.path(), "/v2/transfer/transfers/{transfer_id}");
    assert_eq!(Operation::GetTransfer.scopes(), ["transfer:read_transfer"]);

    let mut transfers = client.list_transfers().state(ListTransfersState::Completed).limit(7).items();
    let mut ids = Vec::new();
    while let Some(transfer) = transfers.next().await {
        let transfer = transfer.unwrap();
        assert_eq!(transfer.amount.as_str(), "1.50");
        ids.push(transfer.id);
    }
    assert_eq!(ids, ["t1", "t2", "t3"]);

    let mut windows = client.list_transfers().items().concurrency(2);
    assert_eq!(windows.next().await.unwrap().unwrap().id, "t1");

    let split = ["t1", "t2", "t3"].map(str::to_owned).to_vec();
    let refused = client.list_transfers().ids(split).send().await.unwrap_err();
    assert_eq!(refused.to_string(), "listTransfers: ids has 3 entries, the maximum is 2");
    let refused = client.list_transfers().limit(8).send().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidRequest);

    let one = client.get_transfer().transfer_id("t/1").send().await.unwrap();
    assert_eq!(one.state, TransferState::from("HELD"));
    assert!(!one.state.is_known());
    assert_eq!(one.legs[0].asset.as_deref(), Some("EUR"));

    let missing = client.get_transfer().transfer_id("none").send().await.unwrap_err();
    assert_eq!(missing.status().unwrap().as_u16(), 404);
}

/// One literal answer a request; what isn't expected is a 404.
async fn serve(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            if stream.read_buf(&mut request).await.unwrap() == 0 {
                break;
            }
        }
        let request = String::from_utf8(request).unwrap();
        let line = request.lines().next().unwrap_or_default();
        let t = |id: &str| {
            format!(
                r#"{{"id":"{id}","amount":"1.50","created_at":"2025-01-01T00:00:00Z","state":"COMPLETED"}}"#
            )
        };
        let (status, body) = match line.trim_end_matches(" HTTP/1.1") {
            "POST /token" => (200, r#"{"access_token":"t","token_type":"bearer"}"#.to_owned()),
            "GET /v2/transfer/transfers?limit=7&state=COMPLETED" => {
                (200, format!(r#"{{"transfers":[{},{}],"next_page_cursor":"c"}}"#, t("t1"), t("t2")))
            }
            "GET /v2/transfer/transfers?state=COMPLETED&page_cursor=c" => {
                (200, format!(r#"{{"transfers":[{}]}}"#, t("t3")))
            }
            "GET /v2/transfer/transfers" | "GET /v2/transfer/transfers?order=ASC&limit=1" => {
                (200, format!(r#"{{"transfers":[{}]}}"#, t("t1")))
            }
            "GET /v2/transfer/transfers/t%2F1" => (
                200,
                r#"{"id":"t/1","amount":"1","created_at":"2025-01-01T00:00:00Z","state":"HELD","legs":[{"asset":"EUR"}]}"#
                    .to_owned(),
            ),
            _ => (404, format!("no answer to {line}")),
        };
        let answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}
