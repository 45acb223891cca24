//! Tests of the literal paths, queries and bodies that are sent.

use std::{task::Poll, time::Duration};

use digital_assets::{
    Follow, Record,
    chrono::{DateTime, Utc},
};
use futures_util::{StreamExt, TryStreamExt};
use second::{
    Client, operation,
    types::{AddParcelsRequest, ParcelState, Sort},
};

use super::{PARCEL, number};
use crate::{
    memory::InMemory,
    prelude::{CallOptions, Error, ErrorKind, Server, json, quick, status},
};

/// Starts a service with these responses. Returns it with a client.
fn playing<const N: usize>(answers: [&'static str; N]) -> (Server, Client) {
    let service = Server::playing(answers.map(|answer| json(200, answer)));
    let client = Client::builder(service.url()).bearer_token("word").retry(quick()).build();
    (service, client.unwrap())
}

/// Returns the numbers of a listing's records, and the request lines that the service received.
macro_rules! listed {
    ($service:expr, $items:expr) => {{
        let numbers: Result<Vec<usize>, Error> =
            $items.map_ok(|record| number(&record)).try_collect().await;
        (numbers, $service.lines())
    }};
}

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

// These responses have status 200, but no array of records. If such a response counted as the last
// page, the rest of the listing would be lost.
#[tokio::test(start_paused = true)]
async fn a_failure_with_status_200_ends_no_listing() {
    for failure in [
        r#"{"meta":{},"error":"overloaded"}"#,
        r#"{"meta":{},"data":null,"errors":["overloaded"]}"#,
        r#"{"meta":{"next":"c2"},"data":null,"success":false}"#,
    ] {
        let client = || {
            let first = format!(r#"{{"data":[{FIRST}],"meta":{{"next":"c1"}}}}"#);
            let body = move |earlier| if earlier == 0 { first.clone() } else { failure.to_owned() };
            let service = InMemory::scripted(move |earlier, _| json(200, body(earlier)));
            let client = Client::builder("https://service.invalid").bearer_token("word");
            client.http_service(service).retry(quick()).build().unwrap()
        };
        let list = || client().list_parcels().sort(Sort::OldestFirst);

        let pages = list().pages().take(2).map(|page| page.map(|page| page.data.len())).collect();
        let pages: Vec<Result<usize, Error>> = pages.await;
        let mut kinds = vec![("pages", pages)];
        for requests in [1, 4] {
            let items = list().items().concurrency(requests).take(2);
            kinds.push(("items", items.map(|record| record.map(|_| 1)).collect().await));
        }
        let following = list().items().follow(Follow::every(Duration::from_secs(1))).take(2);
        kinds.push(("follow", following.map(|change| change.map(|_| 1)).collect().await));

        for (way, answers) in kinds {
            assert_eq!(*answers[0].as_ref().unwrap(), 1, "{way} {failure}");
            let error = answers[1].as_ref().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Decode, "{way} {failure}");
            assert!(error.to_string().contains("has no `data`"), "{way} {failure}: {error}");
        }
    }
}

// In this page, `more` isn't in the OpenAPI description.
#[tokio::test]
async fn a_page_whose_array_is_null_is_empty_if_all_unknown_properties_are_null() {
    for page in [r#"{"data":null,"meta":{},"more":null}"#, r#"{"meta":{"next":null}}"#] {
        let (service, client) = playing([page]);

        let (numbers, lines) = listed!(service, client.list_parcels().items());

        assert_eq!((numbers.unwrap(), lines.len()), (vec![], 1), "{page}");
    }
}

const FIRST: &str = r#"{"id":"00000000-0000-0000-0000-000000000001","state":"DELIVERED","booked_at":"2025-01-01T00:00:00Z"}"#;
const SECOND: &str = r#"{"id":"00000000-0000-0000-0000-000000000002","state":"LOST","booked_at":"2025-01-02T00:00:00Z"}"#;

#[tokio::test]
async fn a_cursor_is_read_in_an_object_of_the_page_and_sent_by_another_name() -> Result<(), Error> {
    let first = format!(r#"{{"data":[{FIRST}],"meta":{{"next":"c/1"}}}}"#);
    for end in [r#"{"next":""}"#, r#"{"next":null}"#, "{}"] {
        let second = format!(r#"{{"data":[{SECOND}],"meta":{end}}}"#);
        let (service, client) = playing([&*first.clone().leak(), second.leak()]);
        let list = client
            .list_parcels()
            .state(ParcelState::Delivered)
            .depots(["MUC", "FRA"])
            .booked_since(time("2025-01-01T00:00:00Z"))
            .booked_before(time("2025-02-01T00:00:00Z"))
            .sort(Sort::OldestFirst)
            .per_page(1);

        let (numbers, lines) = listed!(service, list.items());

        assert_eq!(numbers?, [1, 2], "{end}");
        let line = "GET /parcels?booked_before=2025-02-01T00%3A00%3A00Z\
            &booked_since=2025-01-01T00%3A00%3A00Z&per_page=1&sort=oldest_first\
            &state=DELIVERED&depots=MUC&depots=FRA";
        assert_eq!(lines, [line.to_owned(), format!("{line}&after=c%2F1")], "{end}");
    }
    Ok(())
}

#[tokio::test]
async fn a_page_follows_while_the_response_says_so_and_its_size_is_not_sent_again()
-> Result<(), Error> {
    let (service, client) = playing([
        r#"{"scans":[{"id":1,"scanned_at":"2025-01-01T00:00:00Z"}],"page":{"has_more":true,"token":"t1"}}"#,
        r#"{"scans":[{"id":2,"scanned_at":"2025-01-02T00:00:00Z"}],"page":{"has_more":false,"token":"t2"}}"#,
    ]);
    let list = client.list_scans().id(PARCEL).oldest_first(true).count(1);

    let (numbers, lines) = listed!(service, list.items());

    assert_eq!(numbers?, [1, 2]);
    let path = "GET /parcels/00000000-0000-0000-0000-000000000007/scans";
    let queries = ["?count=1&oldest_first=true", "?oldest_first=true&page_token=t1"];
    assert_eq!(lines, queries.map(|query| format!("{path}{query}")));
    Ok(())
}

#[tokio::test]
async fn a_page_that_promises_another_and_has_no_cursor_is_an_error() {
    let (service, client) = playing([r#"{"scans":[],"page":{"has_more":true}}"#]);

    let (numbers, lines) = listed!(service, client.list_scans().id(PARCEL).items());

    assert_eq!(numbers.unwrap_err().kind(), ErrorKind::Decode);
    assert_eq!(lines, ["GET /parcels/00000000-0000-0000-0000-000000000007/scans"]);
}

#[tokio::test]
async fn a_listing_without_times_goes_by_its_cursor() -> Result<(), Error> {
    let (service, client) = playing([
        r#"{"depots":[{"id":"D1"},{"id":"D2"}],"next_page":"n1"}"#,
        r#"{"depots":[{"id":"D3"}]}"#,
    ]);

    let (numbers, lines) = listed!(service, client.list_depots().page_size(2).items());

    assert_eq!(numbers?, [1, 2, 3]);
    assert_eq!(lines, ["GET /depots?page_size=2", "GET /depots?page_size=2&from=n1"]);
    Ok(())
}

#[tokio::test]
async fn pages_can_begin_at_a_cursor() -> Result<(), Error> {
    let (service, client) = playing([r#"{"data":[],"meta":{"next":"c2"}}"#]);

    let mut pages = client.list_parcels().after("c1").pages();
    pages.next().await.transpose()?;

    assert_eq!(pages.cursor(), Some("c2"));
    assert_eq!(service.lines(), ["GET /parcels?after=c1"]);
    Ok(())
}

#[tokio::test]
async fn one_record_is_found_by_its_identifier() -> Result<(), Error> {
    let (service, client) = playing([FIRST]);

    let parcel = client.get_parcel().id(PARCEL).send().await?;

    assert_eq!((number(&*parcel), parcel.is_open()), (1, false));
    assert_eq!(service.lines(), ["GET /parcels/00000000-0000-0000-0000-000000000007"]);
    Ok(())
}

#[tokio::test]
async fn a_body_is_sent_as_it_is_described() -> Result<(), Error> {
    let (service, client) = playing([r#"{"parcels":[]}"#]);

    let body = AddParcelsRequest { depot: "MUC".to_owned(), count: 3 };
    client.add_parcels().body(body).send().await?;

    let request = service.request();
    assert_eq!(request.line, "POST /parcels");
    assert_eq!(request.body, r#"{"count":3,"depot":"MUC"}"#);
    let none = AddParcelsRequest { depot: "MUC".to_owned(), count: 0 };
    let refused = client.add_parcels().body(none).send().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
    assert_eq!(refused.operation(), Some(operation::ADD_PARCELS));
    Ok(())
}

#[tokio::test]
async fn the_description_says_which_posts_may_be_repeated() -> Result<(), Error> {
    let service = Server::playing([status(503), status(204), status(503)]);
    let client = Client::builder(service.url()).bearer_token("word").retry(quick()).build()?;

    client.hold_parcel().id(PARCEL).send().await?;
    let line = "POST /parcels/00000000-0000-0000-0000-000000000007/hold";
    assert_eq!(service.lines(), [line, line]);

    // A call option overrides the OpenAPI description.
    let once = CallOptions::new().idempotent(false);
    let error = client.hold_parcel().id(PARCEL).options(once).send().await.unwrap_err();
    assert_eq!(service.count(), 3);
    assert!(error.may_have_been_applied() && !error.is_retryable(), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_post_without_a_body_is_not_sent_to_a_service_that_is_not_ready() -> Result<(), Error> {
    let once = CallOptions::new().idempotent(false);
    for ready in [|| Poll::Ready(Err("broken".into())), || Poll::Pending] {
        let service = InMemory::always(status(204)).ready(ready);
        let client = Client::builder("http://127.0.0.1:9").bearer_token("word").retry(quick());
        let client =
            client.attempt_timeout(Duration::from_millis(20)).http_service(service.clone());

        let call = client.build()?.hold_parcel().id(PARCEL).options(once.clone());
        let error = call.send().await.unwrap_err();

        assert!(!error.may_have_been_applied(), "{error}");
    }
    Ok(())
}
