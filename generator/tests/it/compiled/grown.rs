//! Calls operations with features that real OpenAPI descriptions use. The server returns literal
//! responses.

#![allow(missing_docs, deprecated, clippy::unwrap_used)]

mod server;

use std::collections::HashMap;

use digital_assets::{
    Change, Client, Follow, Record as _, operation,
    types::{AThing, Entry, Limits, ListThingsOrder, PutShapeBody},
};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = Client::builder(server::serve(answer)).bearer_token("none").build().unwrap();

    assert_eq!(operation::LIST_THINGS.id(), "list-Things");
    assert_eq!(operation::READ_TIME.scopes(), [""; 0]);
    let time = client.read_time().send().await.unwrap();
    assert_eq!(time.to_rfc3339(), "2025-01-01T00:00:00+00:00");

    // A listing whose pages have two arrays and whose time bounds have other names.
    let things = || client.list_things().type_("Éa").items_(0.07).sizes([1, 5]).x_trace("abc");
    let mut listed = things().order(ListThingsOrder::Asc).items();
    let thing = listed.next().await.unwrap().unwrap();
    assert_eq!((thing.id.as_str(), thing.level), ("a", 2));
    assert_eq!(thing.made_at.unwrap().to_rfc3339(), "2025-01-01T00:00:00+00:00");
    assert_eq!(thing.made_at_2.as_deref(), Some("once"));
    assert_eq!(thing.shape, Some(json!({ "kind": "new" })));
    let unknown = listed.next().await.unwrap().unwrap();
    assert_eq!(unknown.level, 7);
    assert!(listed.next().await.is_none());

    // Records without the time that the listing states are listed in the order of the service. A
    // listing with such a record can't be followed.
    let untimed = || client.list_things().sizes([3, 4]);
    let mut listed = untimed().order(ListThingsOrder::Asc).items().concurrency(2);
    for id in ["g", "h", "i"] {
        assert_eq!(listed.next().await.unwrap().unwrap().id, id);
    }
    assert!(listed.next().await.is_none());
    let mut changes = untimed().items().follow(Follow::once());
    let error = changes.next().await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "list-Things: a record has no creation time, so the client can't tell whether it is new"
    );
    for id in ["h", "i"] {
        let Change::New(thing) = changes.next().await.unwrap().unwrap() else { panic!() };
        assert_eq!(thing.id, id);
    }
    assert!(changes.next().await.is_none());

    let entry = json!({ "id": 42, "created_at": "2025-01-01T00:00:00Z" });
    let entry: Entry = serde_json::from_value(entry).unwrap();
    assert_eq!(entry.id().unwrap().to_string(), "42");

    for (list, refused) in [
        (things().type_("é"), "`type` has 1 character, the minimum is 2"),
        (things().type_("éa"), "`type` does not match `^\\p{Lu}`"),
        (things().items_(0.0), "`items` is 0, which is not above 0"),
        (things().items_(0.075), "`items` is 0.075, which is not a multiple of 0.01"),
        (things().items_(f64::NAN), "`items` is not a number"),
        (things().sizes([1, 6]), "`sizes[1]` is 6, the maximum is 5"),
        (things().sizes([1, 1]), "`sizes[1]` repeats an earlier entry"),
        (things().sizes([1, 2, 3]), "`sizes` has 3 entries, the maximum is 2"),
        (things().x_tags(["a", "b,c"]), "`X-Tags[1]` contains `,`, which separates the entries"),
        (things().x_trace("abcde"), "`X-Trace` has 5 characters, the maximum is 4"),
        (things().x_trace("a\nb"), "`X-Trace` contains a character that a header can't contain"),
    ] {
        let error = list.send().await.unwrap_err();
        assert_eq!(error.to_string(), format!("list-Things: {refused}"));
    }

    // An array whose entries are joined in one value. The filter allows two entries per request.
    let marked = || client.list_things().marks(["a,b", "c", "d"]);
    let mut listed = marked().items();
    assert_eq!(listed.next().await.unwrap().unwrap().id, "e");
    let mut resumed = marked().items().resume(listed.checkpoint());
    assert_eq!(resumed.next().await.unwrap().unwrap().id, "f");
    let separated =
        client.list_things().pipes(["a b", "c"]).spaces(["d|e", "f"]).send().await.unwrap();
    assert_eq!(separated.things, []);
    for (list, refused) in [
        (marked(), "`marks` has 3 entries, the maximum is 2"),
        (things().pipes(["a", "b|c"]), "`pipes[1]` contains `|`, which separates the entries"),
        (things().spaces(["a b"]), "`spaces[0]` contains ` `, which separates the entries"),
    ] {
        let error = list.send().await.unwrap_err();
        assert_eq!(error.to_string(), format!("list-Things: {refused}"));
    }

    // Several successful responses, one of which is empty.
    let put = |shape: Value| client.put_shape().body(PutShapeBody { shape }).send();
    for (shape, answered) in [(1, Some(1.0)), (2, Some(2.0)), (3, None)] {
        let answer = put(json!({ "radius": shape })).await.unwrap().into_inner();
        assert_eq!(answer.map(|circle| circle.radius), answered);
    }
    client.delete_shape().send().await.unwrap();
    // A base schema and one of the schemas that extend it.
    let put = |pet: Value| client.put_pet().body(pet).send();
    let answer = put(json!({ "kind": "c", "name": "Tom", "says": "purr" })).await.unwrap();
    assert_eq!(
        (answer.kind.as_str(), answer.name.as_deref(), answer.says.as_deref()),
        ("c", Some("Tom"), Some("meow"))
    );

    // Bounds and patterns that two schemas state, a fractional bound of an integer, and an enum.
    let limits = |low: i64, mode: &str, other: &str| {
        let extra = HashMap::from([("secret".to_owned(), other.to_owned())]);
        let name = Some(format!("a\n{mode}"));
        let limits =
            Limits { low, free: Some("free".to_owned()), name, mode: Some(mode.into()), extra };
        client.patch_limits().body(limits).send()
    };
    limits(5, "b", "ab").await.unwrap();
    for (sent, refused) in [
        (limits(4, "b", "ab"), "`low` is 4, the minimum is 5"),
        (limits(10, "b", "ab"), "`low` is 10, the maximum is 9"),
        (limits(9, "newb", "ab"), "`mode` has 4 characters, the maximum is 3"),
        (limits(9, "new", "ab"), "`name` does not match `^(?=[^]*(?:^a))(?=[^]*(?:b$))`"),
    ] {
        assert_eq!(sent.await.unwrap_err().to_string(), format!("patchLimits: {refused}"));
    }

    let made = |id: &str| AThing {
        id: id.to_owned(),
        level: 1,
        note: None,
        weight: None,
        sizes: None,
        made_at: None,
        made_at_2: None,
        shape: None,
        part: None,
        parts: None,
        labels: None,
    };
    client.put_things().body([made("a")]).send().await.unwrap();
    let labels = |text: &str| Some(HashMap::from([("secret".to_owned(), text.to_owned())]));
    let deep =
        AThing { part: Some(Box::new(AThing { labels: labels("abc"), ..made("c") })), ..made("b") };
    let error = client.put_things().body([made("a"), deep]).send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "putThings: `[1].part.labels.*` has 3 characters, the maximum is 2"
    );
    let twice = AThing { parts: Some(vec![made("c"), made("d")]), ..made("b") };
    let error = client.put_things().body([twice]).send().await.unwrap_err();
    assert_eq!(error.to_string(), "putThings: `[0].parts` has 2 entries, the maximum is 1");
    let heavy = AThing { weight: Some(10.0), ..made("b") };
    let error = client.put_things().body([heavy]).send().await.unwrap_err();
    assert_eq!(error.to_string(), "putThings: `[0].weight` is 10, the maximum is 9");
    // A number that isn't finite is rejected, and not sent as null.
    let sizes = Some(HashMap::from([("secret".to_owned(), vec![1.0, f64::NEG_INFINITY])]));
    let error = client.put_things().body([AThing { sizes, ..made("b") }]).send().await.unwrap_err();
    assert_eq!(error.to_string(), "putThings: `[0].sizes.*[1]` is not a finite number");
    let error = client.put_things().send().await.unwrap_err();
    assert_eq!(error.to_string(), "putThings: `body` is missing");

    let patched = client.patch_things().send().await.unwrap();
    assert_eq!(*patched, json!([1, null]));
    let error = client.patch_things().body(HashMap::new()).send().await.unwrap_err();
    assert_eq!(error.to_string(), "patchThings: `body` has 0 properties, the minimum is 1");
}

/// Returns the literal response to a request. The response to an unexpected request is a 404.
fn answer(request: &str) -> (u16, String) {
    let traced = request.to_lowercase().contains("\r\nx-trace: abc\r\n");
    // No operation in this description needs a token.
    let states = |header: &str| request.contains(&format!("\r\n{header}\r\n"));
    let is_open = !request.to_lowercase().contains("\r\nauthorization:");
    let line = request.lines().next().unwrap_or_default();
    let (status, body) = match line.trim_end_matches(" HTTP/1.1") {
        "GET /v2/time" if is_open => (200, "\"2025-01-01T00:00:00Z\""),
        "GET /v2/things?items=0.07&order=asc&type=%C3%89a&sizes=1&sizes=5" if traced && is_open => {
            (
                200,
                r#"{"warnings":["w"],"things":[{"id":"a","level":2,"made.at":"2025-01-01T00:00:00Z","made_at":"once","shape":{"kind":"new"}}],"next_page_cursor":"c"}"#,
            )
        }
        "GET /v2/things?items=0.07&order=asc&type=%C3%89a&sizes=1&sizes=5&page_cursor=c"
            if traced =>
        {
            (200, r#"{"things":[{"id":"b","level":7}],"next_page_cursor":null}"#)
        }
        "GET /v2/things?order=asc&sizes=3&sizes=4" => (
            200,
            r#"{"things":[{"id":"g","level":1},{"id":"h","level":1,"made.at":"2025-01-01T00:00:00Z"}],"next_page_cursor":"d"}"#,
        ),
        "GET /v2/things?order=asc&sizes=3&sizes=4&page_cursor=d" => {
            (200, r#"{"things":[{"id":"i","level":1,"made.at":"2025-01-02T00:00:00Z"}]}"#)
        }
        "GET /v2/things?order=desc&sizes=3&sizes=4" => (
            200,
            r#"{"things":[{"id":"i","level":1,"made.at":"2025-01-02T00:00:00Z"}],"next_page_cursor":"e"}"#,
        ),
        "GET /v2/things?marks=a%2Cb,c" => {
            (200, r#"{"things":[{"id":"e","level":1,"made.at":"2025-01-01T00:00:00Z"}]}"#)
        }
        "GET /v2/things?marks=d,c" => {
            (200, r#"{"things":[{"id":"f","level":1,"made.at":"2025-01-02T00:00:00Z"}]}"#)
        }
        "GET /v2/things?marks=a%2Cb" => {
            (200, r#"{"things":[{"id":"e","level":1,"made.at":"2025-01-01T00:00:00Z"}]}"#)
        }
        "GET /v2/things?marks=d" => {
            (200, r#"{"things":[{"id":"f","level":1,"made.at":"2025-01-02T00:00:00Z"}]}"#)
        }
        "GET /v2/things?pipes=a+b%7Cc&spaces=d%7Ce%20f" => (200, r#"{"things":[]}"#),
        "PUT /v2/shapes" if request.ends_with(r#"{"shape":{"radius":1}}"#) => {
            (200, r#"{"radius":1}"#)
        }
        "PUT /v2/shapes"
            if states("accept: application/json, application/hal+json")
                && request.ends_with(r#"{"shape":{"radius":2}}"#) =>
        {
            (201, r#"{"radius":2}"#)
        }
        "PUT /v2/shapes" if request.ends_with(r#"{"shape":{"radius":3}}"#) => (204, ""),
        "PATCH /v2/shapes"
            if states("content-type: application/merge-patch+json")
                && request.ends_with(
                    r#"{"free":"free","low":5,"mode":"b","name":"a\nb","secret":"ab"}"#,
                ) =>
        {
            (204, "")
        }
        "PUT /v2/pets" if request.ends_with(r#"{"kind":"c","name":"Tom","says":"purr"}"#) => {
            (200, r#"{"kind":"c","name":"Tom","says":"meow"}"#)
        }
        "DELETE /v2/shapes" => (202, ""),
        "PUT /v2/things"
            if request.ends_with(r#"[{"id":"a","level":1,"note":null,"weight":null}]"#) =>
        {
            (204, "")
        }
        "PATCH /v2/things" if request.ends_with("\r\n\r\n") => (200, "[1,null]"),
        _ => {
            eprintln!("no answer to {request}");
            (404, "")
        }
    };
    (status, body.to_owned())
}
