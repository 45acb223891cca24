//! Calls operations that were only added to the OpenAPI description. The server returns literal
//! responses.

#![allow(missing_docs, clippy::unwrap_used)]

mod server;

use digital_assets::{
    Client, ClientCredentials, ErrorKind, operation,
    types::{
        Decimal, ListMovesOrder, ListMovesOrderBy, ListTransfersState, NewTransfer,
        NewTransferTarget, TransferState,
    },
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = server::serve(answer);
    let credentials = ClientCredentials::new(format!("{url}/token"), "id", "secret");
    let client = Client::builder(url).credentials(credentials).build().unwrap();

    assert_eq!(operation::LIST_TRANSFERS.id(), "listTransfers");
    assert_eq!(operation::GET_TRANSFER.path(), "/v2/transfer/transfers/{transfer_id}");
    assert_eq!(operation::GET_TRANSFER.scopes(), ["transfer:read_transfer"]);

    let mut transfers =
        client.list_transfers().state(ListTransfersState::Completed).limit(7).items();
    let mut ids = Vec::new();
    while let Some(transfer) = transfers.next().await {
        let transfer = transfer.unwrap();
        assert_eq!(transfer.amount.as_str(), "1.50");
        assert_eq!(transfer.fee, Some(Decimal::from("0.10")));
        ids.push(transfer.id);
    }
    assert_eq!(ids, ["t1", "t2", "t3"]);

    let mut windows = client.list_transfers().items().concurrency(2);
    assert_eq!(windows.next().await.unwrap().unwrap().id, "t1");

    // Windows need records in the order of `created_at`. In other orders, pages are read one at a
    // time.
    for (by, order) in [
        (None, None),
        (Some(ListMovesOrderBy::SettledAt), Some(ListMovesOrder::Asc)),
        (Some(ListMovesOrderBy::CreatedAt), Some(ListMovesOrder::from("asc"))),
    ] {
        let mut list = client.list_moves();
        if let (Some(by), Some(order)) = (by, order) {
            list = list.order_by(by).order(order);
        }
        let mut moves = list.items().concurrency(8);
        let mut ids = Vec::new();
        while let Some(moved) = moves.next().await {
            ids.push(moved.unwrap().id);
        }
        assert_eq!(ids, ["m1", "m2"]);
    }
    let mut moves = client
        .list_moves()
        .order_by(ListMovesOrderBy::CreatedAt)
        .order(ListMovesOrder::Asc)
        .items()
        .concurrency(8);
    let windows = moves.next().await.unwrap().unwrap_err();
    assert_eq!(windows.status().unwrap().as_u16(), 404, "the windows start with a request for the last record");

    let target = |codes: &[&str]| NewTransferTarget {
        asset_codes: codes.iter().map(|c| (*c).to_owned()).collect(),
    };
    let refused = client
        .create_transfer()
        .body(NewTransfer { target: target(&[]) })
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "createTransfer: `target.assetCodes` has 0 entries, the minimum is 1"
    );
    let created = client
        .create_transfer()
        .body(NewTransfer { target: target(&["EUR"]) })
        .send()
        .await
        .unwrap();
    assert_eq!(created.fee_lines[0].asset.as_deref(), Some("USD"));
    let refused = client.get_transfer_leg().transfer_id("t1").number(10).send().await.unwrap_err();
    assert_eq!(refused.to_string(), "getTransferLeg: `number` is 10, the maximum is 9");

    let split = ["t1", "t2", "t3"].map(str::to_owned).to_vec();
    let refused = client.list_transfers().ids(split).send().await.unwrap_err();
    assert_eq!(refused.to_string(), "listTransfers: `ids` has 3 entries, the maximum is 2");
    let refused = client.list_transfers().limit(8).send().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidRequest);

    let one = client.get_transfer().transfer_id("t/1").send().await.unwrap();
    assert_eq!(one.state, TransferState::from("HELD"));
    assert!(!one.state.is_known());
    assert_eq!(one.legs[0].asset.as_deref(), Some("EUR"));

    assert_eq!(one.payer.as_ref().and_then(|payer| payer.name.as_deref()), Some("P"));
    assert_eq!(one.route.as_ref().and_then(|route| route.via.name.as_deref()), Some("V"));
    assert_eq!(one.parties["a"].name.as_deref(), Some("A"));
    for (id, refused) in [
        ("payer", "payer is not an object"),
        ("via", "route.via is not an object"),
        ("party", "parties is not an object"),
        ("leg", "legs[0] is not an object"),
    ] {
        let error = client.get_transfer().transfer_id(id).send().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().contains(refused), "{error}");
    }

    let missing = client.get_transfer().transfer_id("none").send().await.unwrap_err();
    assert_eq!(missing.status().unwrap().as_u16(), 404);
}

/// Returns the literal response to a request. The response to an unexpected request is a 404.
fn answer(request: &str) -> (u16, String) {
    let line = request.lines().next().unwrap_or_default();
    let t = |id: &str| {
        format!(
            r#"{{"id":"{id}","amount":"1.50","fee":"0.10","tomorrow":[1],"created_at":"2025-01-01T00:00:00Z","state":"COMPLETED"}}"#
        )
    };
    // A transfer with these additional properties.
    let with = |rest: &str| {
        format!(
            r#"{{"id":"t","amount":"1","created_at":"2025-01-01T00:00:00Z","state":"HELD","feeLines":[],{rest}}}"#
        )
    };
    match line.trim_end_matches(" HTTP/1.1") {
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
        "GET /v2/transfer/moves"
        | "GET /v2/transfer/moves?order=ASC&order_by=SETTLED_AT"
        | "GET /v2/transfer/moves?order=asc&order_by=CREATED_AT" => {
            (200, format!(r#"{{"transfers":[{},{}]}}"#, t("m1"), t("m2")))
        }
        "POST /v2/transfer/transfers" if request.ends_with(r#"{"target":{"assetCodes":["EUR"]}}"#) => (
            200,
            r#"{"id":"t","amount":"1","created_at":"2025-01-01T00:00:00Z","state":"PENDING","feeLines":[{"asset":"USD"}]}"#
                .to_owned(),
        ),
        "GET /v2/transfer/transfers/t%2F1" => (
            200,
            r#"{"id":"t/1","amount":"1","created_at":"2025-01-01T00:00:00Z","state":"HELD","legs":[{"asset":"EUR"}],"payer":{"name":"P"},"route":{"via":{"name":"V"}},"parties":{"a":{"name":"A"}}}"#
                .to_owned(),
        ),
        "GET /v2/transfer/transfers/payer" => (200, with(r#""payer":["P"]"#)),
        "GET /v2/transfer/transfers/via" => (200, with(r#""route":{"via":[]}"#)),
        "GET /v2/transfer/transfers/party" => (200, with(r#""parties":{"a":["A"]}"#)),
        "GET /v2/transfer/transfers/leg" => (200, with(r#""legs":[["EUR"]]"#)),
        _ => (404, format!("no answer to {line}")),
    }
}
