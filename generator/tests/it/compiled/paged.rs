//! Reads listings that share the type of their pages, but find the next page in different ways.

#![allow(missing_docs, clippy::unwrap_used)]

mod server;

use digital_assets::{Client, ErrorKind, Items, types::Place};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = Client::builder(server::serve(answer)).build().unwrap();

    // Each page has a value for every way of paging, and each leads to different records.
    assert_eq!(all(client.list_pointed().items()).await, [1, 2]);
    assert_eq!(all(client.list_nested().items()).await, [1, 3]);
    assert_eq!(all(client.list_continued().items()).await, [1]);
    assert_eq!(all(client.list_by_last().items()).await, [10, 11, 12]);
    assert_eq!(all(client.list_until_done().items()).await, [20, 21, 22, 23]);
    assert_eq!(all(client.list_numbered().items()).await, [30, 31]);
    assert_eq!(client.get_places().send().await.unwrap().next.as_deref(), Some("n"));

    let mut pages = client.list_until_done().pages();
    assert_eq!(pages.next().await.unwrap().unwrap().places.len(), 2);
    assert_eq!(pages.cursor(), Some("21"));
    let mut numbered = client.list_numbered().place(7).pages();
    assert_eq!(numbered.next().await.unwrap().unwrap().places[0].id, 31);
    assert!(numbered.next().await.is_none());

    // A page without records and without an end has no cursor for the next page.
    for mut items in
        [client.list_until_done().from("empty").items(), client.list_by_last().from("gap").items()]
    {
        let error = items.next().await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().ends_with(
            "the page says that another page follows, but contains no cursor for it"
        ));
    }
}

async fn all(mut items: Items<Place>) -> Vec<i64> {
    let mut ids = Vec::new();
    while let Some(place) = items.next().await {
        ids.push(place.unwrap().id);
    }
    ids
}

/// Returns the literal response to a request. The response to an unexpected request is a 404.
fn answer(request: &str) -> (u16, String) {
    let line = request.lines().next().unwrap_or_default();
    let body = match line.trim_end_matches(" HTTP/1.1") {
        "GET /pointed" | "GET /nested" | "GET /continued" | "GET /plain" => {
            r#"{"places":[{"id":1}],"next":"n","has_more":false,"links":{"next":"l","done":true}}"#
        }
        "GET /pointed?from=n" => {
            r#"{"places":[{"id":2}],"next":"","has_more":true,"place":5,"links":{"next":"x"}}"#
        }
        "GET /nested?from=l" => r#"{"places":[{"id":3}],"next":"x","has_more":true}"#,
        "GET /last" => {
            r#"{"places":[{"id":10},{"id":11}],"next":"x","has_more":true,"links":{"done":true}}"#
        }
        "GET /last?from=11" => r#"{"places":[{"id":12}],"next":"x","has_more":false}"#,
        "GET /done" => r#"{"places":[{"id":20},{"id":21}],"next":null,"has_more":false}"#,
        "GET /done?from=21" => {
            r#"{"places":[{"id":22}],"next":"x","has_more":false,"links":{"done":false}}"#
        }
        "GET /done?from=22" => {
            r#"{"places":[{"id":23}],"next":"x","has_more":true,"links":{"done":true}}"#
        }
        "GET /done?from=empty" => r#"{"places":[],"next":"x","has_more":false}"#,
        "GET /last?from=gap" => r#"{"places":[],"next":"x","has_more":true}"#,
        "GET /numbered" => r#"{"places":[{"id":30}],"next":"x","has_more":false,"place":7}"#,
        "GET /numbered?place=7" => r#"{"places":[{"id":31}],"next":"x","has_more":true}"#,
        _ => {
            eprintln!("no answer to {request}");
            return (404, String::new());
        }
    };
    (200, body.to_owned())
}
