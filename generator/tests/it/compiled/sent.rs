//! The exact contents of requests.

#![allow(missing_docs, clippy::unwrap_used)]

mod server;

use std::{collections::HashMap, sync::mpsc::channel};

use digital_assets::{
    Client, ErrorKind, Record as _,
    chrono::{DateTime, NaiveDate, Utc},
    types::{Note, Part, Scores},
};
use serde_json::{Value, json};

const READ: &str = r#"{"name":null,"size":3,"parts":[{"text":"a","bold":true}],"color":"red"}"#;

const LISTED: &str = r#"{
    "notes": [{"id": "1", "state": "OPEN"}, {"id": null, "state": null}, {"state": "DONE"}],
    "next": null
}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (seen, requests) = channel();
    let url = server::serve(move |request| {
        seen.send(request.to_owned()).unwrap();
        match request.split(' ').nth(1) {
            Some("/v2/notes") => (200, LISTED.to_owned()),
            Some("/v2/plants/other") => (200, r#"{"statusCodeInvalid":"200"}"#.to_owned()),
            Some("/v2/plants/none") => (200, "{}".to_owned()),
            Some("/v2/plants/tree") => (200, r#"{"name":"a","rings":9}"#.to_owned()),
            _ if request.starts_with("GET ") => (200, READ.to_owned()),
            _ => (204, String::new()),
        }
    });
    let client = Client::builder(url).build().unwrap();
    let body = || -> Value {
        let request: String = requests.try_iter().last().unwrap();
        serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let patch = |note: Note| client.patch_note().id("1").body(note);
    let none = || Note::try_from(Note::builder()).unwrap();

    // A record that is read and sent back keeps null and undescribed properties.
    let read = client.read_note().id("1").send().await.unwrap().into_inner();
    patch(read.clone()).send().await.unwrap();
    assert_eq!(body(), serde_json::from_str::<Value>(READ).unwrap());
    assert_eq!(read.name, Some(None));
    assert_eq!((read.size, read.due), (Some(Some(3)), None));

    let mut notes = client.list_notes().items();
    let mut listed = Vec::new();
    while let Some(note) = notes.next().await {
        let note = note.unwrap();
        listed.push((note.id().map(|id| id.to_string()), note.is_open()));
    }
    assert_eq!(listed, [(Some("1".to_owned()), true), (None, false), (None, false)]);

    // An object without any described property is something else, unless it is empty.
    let plant = |id: &str| client.read_plant().id(id).send();
    let error = plant("other").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(error.to_string().contains("`name`"), "{error}");
    let empty = plant("none").await.unwrap().into_inner();
    assert_eq!((empty.name, empty.size), (None, None));

    // A record has the properties of its own schema, and not those of a schema that extends it.
    let tree = plant("tree").await.unwrap().into_inner();
    client.put_plant().id("1").body(tree).send().await.unwrap();
    assert_eq!(body(), json!({ "name": "a" }));

    // A property that is null isn't the same as an absent property.
    patch(none()).send().await.unwrap();
    assert_eq!(body(), json!({}));
    let cleared = Note {
        name: Some(None),
        due: Some(None),
        owner: Some(None),
        size: Some(None),
        tags: Some(None),
        ..none()
    };
    patch(cleared).send().await.unwrap();
    assert_eq!(
        body(),
        json!({ "name": null, "due": null, "owner": null, "size": null, "tags": null })
    );
    let set = client.patch_note().id("1").body(
        Note::builder().name(Some("ab".to_owned())).tags(Some(vec!["c".to_owned()])).size(Some(4)),
    );
    set.send().await.unwrap();
    assert_eq!(body(), json!({ "name": "ab", "size": 4, "tags": ["c"] }));

    // A described property can't be in `extra`, even if its field isn't set.
    let with = |key: &str| json!({ key: 5 }).as_object().unwrap().clone();
    let part = Part { text: Some("a".to_owned()), extra: with("text") };
    let time = |year| NaiveDate::from_ymd_opt(year, 1, 1).unwrap();
    let at = |year| DateTime::<Utc>::from_naive_utc_and_offset(time(year).into(), Utc);
    let scores = |extra: [(&str, i64); 1]| Scores {
        total: 1,
        days: None,
        by: None,
        extra: extra.map(|(key, score)| (key.to_owned(), score)).into(),
    };
    let put = |scores| client.put_scores().body(scores);
    put(scores([("b", 3)])).until(at(9999)).day(time(9999)).send().await.unwrap();
    assert_eq!(body(), json!({ "total": 1, "b": 3 }));
    let long = Some(Some("abcdef".to_owned()));
    let by = Some(HashMap::from([("secret".to_owned(), at(10_000))]));
    let year = "is not in the years 0 to 9999: RFC 3339 has no other years";
    let twice = |of: &str, key: &str| {
        format!(
            "`extra` of `{of}` contains `{key}`, which the description already defines: \
             remove it"
        )
    };
    for (sent, refused) in [
        (
            patch(Note { extra: with("name"), ..none() }).check(),
            format!("patchNote: {}", twice("Note", "name")),
        ),
        (
            patch(Note { parts: Some(vec![part]), ..none() }).check(),
            format!("patchNote: {}", twice("Part", "text")),
        ),
        (put(scores([("id", 3)])).check(), format!("putScores: {}", twice("Scores", "id"))),
        (put(scores([("secret", 4)])).check(), "putScores: `*` is 4, the maximum is 3".to_owned()),
        (
            patch(Note { name: long, ..none() }).check(),
            "patchNote: `name` has 6 characters, the maximum is 5".to_owned(),
        ),
        (
            patch(Note { size: Some(Some(10)), ..none() }).check(),
            "patchNote: `size` is 10, the maximum is 9".to_owned(),
        ),
        (
            patch(Note { due: Some(Some(at(10_000))), ..none() }).check(),
            format!("patchNote: `due` {year}"),
        ),
        (
            put(Scores { days: Some(vec![time(1), time(-1)]), ..scores([("b", 1)]) }).check(),
            format!("putScores: `days[1]` {year}"),
        ),
        (put(Scores { by, ..scores([("b", 1)]) }).check(), format!("putScores: `by.*` {year}")),
        (put(scores([("b", 1)])).day(time(10_000)).check(), format!("putScores: `day` {year}")),
        (
            patch(none()).x_author(" a").check(),
            "patchNote: `X-Author` begins or ends with a space or tab, which HTTP would remove"
                .to_owned(),
        ),
        (
            patch(none()).x_topics(["a", "b\t"]).check(),
            "patchNote: `X-Topics[1]` begins or ends with a space or tab, which HTTP would remove"
                .to_owned(),
        ),
        (
            put(scores([("b", 1)])).of([""; 0]).check(),
            "putScores: `of` is empty, and an empty array can't be sent: add an entry, or leave it \
             out"
                .to_owned(),
        ),
    ] {
        let error = sent.err().unwrap_or_else(|| panic!("the call wasn't rejected: {refused}"));
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert_eq!(error.to_string(), refused);
    }
    assert_eq!(requests.try_iter().count(), 0);
}
