//! Listings: from page to page and record by record, to their true end and no further.

use std::future::Future;

use digital_assets::{Error, ErrorKind, Operation, Retry, builder, types};
use futures_util::{Stream, StreamExt, TryStreamExt};

use crate::{
    Environment, granting, moment,
    server::{Answer, Server, gate, json, reset, silent, status},
    specification::{
        DEPOSIT_ADDRESS, MONITORING_ADDRESS, QUOTE_EXECUTION, addresses, items, time, with,
    },
    within_bounds,
};

const PATH: &str = "GET /v2/transfer/deposit-addresses";

/// Section 4.3: a page of records that are told apart by their `ref_id`.
fn page(ref_ids: &[&str], next_page_cursor: &str) -> Answer {
    let record = |ref_id: &&str| with(DEPOSIT_ADDRESS, "ref_id", &format!("{ref_id:?}"));
    let records: Vec<String> = ref_ids.iter().map(record).collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    json(200, items(&records, next_page_cursor))
}

fn once(script: impl IntoIterator<Item = Answer>) -> Environment {
    Environment::with(script, |client| client.retry(Retry::none()))
}

fn ref_id(record: types::DepositAddress) -> String {
    record.ref_id.unwrap_or_default()
}

/// The queries that the service got, in their order.
fn queries(env: &Environment) -> Vec<String> {
    let lines = env.service.lines().into_iter();
    lines.map(|line| line.trim_start_matches(PATH).trim_start_matches('?').to_owned()).collect()
}

// Section 8: a response that has further results carries `next_page_cursor`; passing it as
// `page_cursor` returns the next page.
#[tokio::test]
async fn a_listing_goes_from_cursor_to_cursor() -> Result<(), Error> {
    let script = || [page(&["1", "2"], "c1"), page(&["3"], "c2"), page(&["4", "5"], "")];
    let env = Environment::playing(script());
    let records = env.client.list_deposit_addresses().items();

    let ref_ids: Vec<String> = records.map_ok(ref_id).try_collect().await?;

    assert_eq!(ref_ids, ["1", "2", "3", "4", "5"]);
    assert_eq!(queries(&env), ["", "page_cursor=c1", "page_cursor=c2"]);

    let env = Environment::playing(script());
    let pages: Vec<_> = env.client.list_deposit_addresses().pages().try_collect().await?;
    assert_eq!(pages.iter().map(|page| page.items.len()).collect::<Vec<_>>(), [2, 1, 2]);
    assert_eq!(queries(&env), ["", "page_cursor=c1", "page_cursor=c2"]);
    Ok(())
}

// Sections 4.1, 4.2 and 4.3.
#[tokio::test]
async fn every_listing_has_pages_and_items() -> Result<(), Error> {
    let script = [
        json(200, addresses(&[MONITORING_ADDRESS], "c")),
        json(200, addresses(&[MONITORING_ADDRESS, MONITORING_ADDRESS], "")),
        json(200, items(&[QUOTE_EXECUTION], "c")),
        json(200, items(&[QUOTE_EXECUTION], "")),
    ];
    let env = Environment::playing(script);

    let monitored: Vec<_> = env.client.list_monitoring_addresses().items().try_collect().await?;
    let executions = env.client.list_quote_executions().profile_id("p");
    let executions: Vec<_> = executions.items().try_collect().await?;

    assert_eq!((monitored.len(), executions.len()), (3, 2));
    let expected = [
        "GET /v2/rewards/monitor/address",
        "GET /v2/rewards/monitor/address?page_cursor=c",
        "GET /v2/profiles/p/quote-executions",
        "GET /v2/profiles/p/quote-executions?page_cursor=c",
    ];
    assert_eq!(env.service.lines(), expected);
    Ok(())
}

#[tokio::test]
async fn nothing_is_sent_before_the_first_poll() {
    let env = Environment::playing([]);

    let (pages, items) =
        (env.client.list_deposit_addresses().pages(), env.client.list_deposit_addresses().items());
    moment().await;
    drop((pages, items));

    assert_eq!((env.service.count(), env.auth.count()), (0, 0));
}

#[tokio::test]
async fn an_empty_page_with_a_cursor_goes_on() -> Result<(), Error> {
    let script = [page(&[], "c1"), page(&[], "c2"), page(&["1"], "c3"), page(&[], "")];
    let env = Environment::playing(script);

    let mut records = env.client.list_deposit_addresses().items();

    assert_eq!(records.next().await.transpose()?.map(ref_id).as_deref(), Some("1"));
    assert!(records.next().await.is_none());
    assert_eq!(env.service.count(), 4);
    Ok(())
}

#[tokio::test]
async fn an_absent_null_or_empty_cursor_ends_a_listing() -> Result<(), Error> {
    for end in ["{}", r#"{"next_page_cursor":null}"#, r#"{"items":[],"next_page_cursor":""}"#] {
        let env = Environment::playing([page(&["1"], "c"), json(200, end)]);

        let mut pages = env.client.list_deposit_addresses().pages();
        assert!(pages.next().await.transpose()?.is_some(), "{end}");
        assert!(pages.next().await.transpose()?.is_some(), "{end}");

        for _ in 0..3 {
            assert!(pages.next().await.is_none(), "{end}");
        }
        assert_eq!(env.service.count(), 2, "{end}");
    }
    Ok(())
}

#[tokio::test]
async fn items_that_are_over_stay_over() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "")]);

    let mut records = env.client.list_deposit_addresses().items();
    assert!(records.next().await.transpose()?.is_some());

    for _ in 0..3 {
        assert!(records.next().await.is_none());
    }
    assert_eq!(env.service.count(), 1);
    Ok(())
}

#[tokio::test]
async fn filters_are_repeated_with_every_cursor() -> Result<(), Error> {
    let env = Environment::playing([page(&[], "c/1+="), page(&[], "c 2"), page(&[], "")]);

    let call =
        env.client.list_deposit_addresses().ref_ids(vec!["a b".to_owned(), "ü&=".to_owned()]);
    let call = call.networks(vec![types::CryptoNetwork::Base, types::CryptoNetwork::Ink]);
    let call = call.created_at_gte(time("2025-01-01T00:00:00.5Z"));
    let pages: Vec<_> = call.limit(2).order(types::Order::Asc).pages().try_collect().await?;

    assert_eq!(pages.len(), 3);
    let requests = env.service.requests();
    let first = requests[0].sorted_query();
    assert_eq!(first.len(), 7);
    for (request, cursor) in std::iter::zip(&requests[1..], ["c/1+=", "c 2"]) {
        let (cursors, rest): (Vec<&str>, Vec<&str>) =
            request.sorted_query().into_iter().partition(|pair| pair.starts_with("page_cursor="));
        assert_eq!(rest, first);
        assert_eq!(cursors.len(), 1);
        assert!(request.parameters().contains(&("page_cursor".to_owned(), cursor.to_owned())));
    }
    Ok(())
}

#[tokio::test]
async fn a_listing_can_begin_at_a_cursor() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "c6"), page(&["2"], "")]);

    let records = env.client.list_deposit_addresses().page_cursor("c5").items();
    let ref_ids: Vec<String> = records.map_ok(ref_id).try_collect().await?;

    assert_eq!(ref_ids, ["1", "2"]);
    assert_eq!(queries(&env), ["page_cursor=c5", "page_cursor=c6"]);
    Ok(())
}

fn beginning_at<'a>(
    cursor: Option<&str>,
    env: &'a Environment,
) -> builder::ListDepositAddresses<'a> {
    let call = env.client.list_deposit_addresses();
    match cursor {
        Some(cursor) => call.page_cursor(cursor),
        None => call,
    }
}

#[tokio::test]
async fn a_cursor_that_comes_again_is_an_error_and_then_the_end() {
    for (start, cursors) in [
        (None, &["a", "a"][..]),
        (None, &["a", "b", "a"]),
        (None, &["a", "b", "c", "d", "b"]),
        (Some("a"), &["a"]),
        (Some("a"), &["b", "c", "a"]),
    ] {
        let env = Environment::playing(cursors.iter().map(|cursor| page(&["1"], cursor)));
        let mut records = beginning_at(start, &env).items();
        for _ in cursors {
            assert!(records.next().await.is_some_and(|record| record.is_ok()), "{cursors:?}");
        }
        let error = records.next().await.expect("an end that is seen").expect_err("a circle");

        assert_eq!(error.kind(), ErrorKind::RepeatedCursor, "{cursors:?}");
        assert_eq!(error.operation(), Some(Operation::ListDepositAddresses));
        assert!(!error.is_retryable());
        assert!(records.next().await.is_none(), "{cursors:?}");
        assert!(records.next().await.is_none(), "{cursors:?}");
        assert_eq!(env.service.count(), cursors.len());

        let env = Environment::playing(cursors.iter().map(|cursor| page(&["1"], cursor)));
        let mut pages = beginning_at(start, &env).pages();
        for _ in cursors {
            assert!(pages.next().await.is_some_and(|page| page.is_ok()), "{cursors:?}");
        }
        let error = pages.next().await.expect("an end that is seen").expect_err("a circle");
        assert_eq!(error.kind(), ErrorKind::RepeatedCursor, "{cursors:?}");
        assert!(pages.next().await.is_none() && pages.cursor().is_none(), "{cursors:?}");
    }
}

#[tokio::test]
async fn the_same_cursor_of_another_walk_is_no_repetition() -> Result<(), Error> {
    let script = [page(&["1"], "c"), page(&["2"], ""), page(&["1"], "c"), page(&["2"], "")];
    let env = Environment::playing(script);

    for _ in 0..2 {
        let records = env.client.list_deposit_addresses().items();
        assert_eq!(records.map_ok(ref_id).try_collect::<Vec<_>>().await?, ["1", "2"]);
    }
    Ok(())
}

#[tokio::test]
async fn after_an_error_a_listing_goes_on_at_the_page_that_failed() -> Result<(), Error> {
    for failure in [status(500), status(403), reset(), json(200, "[]"), json(200, "{").truncated()]
    {
        let script = [failure.clone(), page(&["1", "2"], "c1"), failure.clone(), failure];
        let script = script.into_iter().chain([page(&["3"], "c2"), page(&["4"], "")]);
        let env = once(script.clone());

        let (mut ref_ids, mut errors) = (Vec::new(), 0);
        let mut records = env.client.list_deposit_addresses().items();
        while let Some(record) = records.next().await {
            match record {
                Ok(record) => ref_ids.push(ref_id(record)),
                Err(_) => errors += 1,
            }
        }

        assert_eq!((ref_ids.join(" "), errors), ("1 2 3 4".to_owned(), 3));
        let c1 = "page_cursor=c1";
        assert_eq!(queries(&env), ["", "", c1, c1, c1, "page_cursor=c2"]);

        let env = once(script);
        let pages = env.client.list_deposit_addresses().pages().collect::<Vec<_>>().await;
        let outcomes: Vec<bool> = pages.iter().map(Result::is_ok).collect();
        assert_eq!(outcomes, [false, true, false, false, true, true]);
        assert_eq!(queries(&env), ["", "", c1, c1, c1, "page_cursor=c2"]);
    }
    Ok(())
}

// The records of a page are the caller's, whatever becomes of the page behind it.
#[tokio::test]
async fn a_page_that_fails_ahead_costs_none_of_the_records_before_it() {
    let env = once([page(&["1", "2", "3", "4"], "c"), status(500), page(&["5"], "")]);

    let mut records = env.client.list_deposit_addresses().items();
    let mut seen = Vec::new();
    while let Some(record) = records.next().await {
        seen.push(record.map_or_else(|error| format!("{:?}", error.kind()), ref_id));
        // Time enough for the page behind to fail.
        moment().await;
        moment().await;
    }

    assert_eq!(seen, ["1", "2", "3", "4", "Status", "5"]);
}

#[tokio::test]
async fn the_cursor_is_that_of_the_page_that_comes_next() -> Result<(), Error> {
    let env = once([page(&["1"], "c1"), status(500), page(&["2"], "c2"), page(&["3"], "")]);

    let mut pages = env.client.list_deposit_addresses().pages();
    assert_eq!(pages.cursor(), None);
    assert!(pages.next().await.transpose()?.is_some());
    assert_eq!(pages.cursor(), Some("c1"));
    assert!(pages.next().await.is_some_and(|page| page.is_err()));
    assert_eq!(pages.cursor(), Some("c1"));
    assert!(pages.next().await.transpose()?.is_some());
    assert_eq!(pages.cursor(), Some("c2"));
    assert!(pages.next().await.transpose()?.is_some());
    assert_eq!(pages.cursor(), None);

    let pages = env.client.list_deposit_addresses().page_cursor("c2").pages();
    assert_eq!(pages.cursor(), Some("c2"));
    Ok(())
}

#[tokio::test]
async fn a_cursor_that_was_kept_goes_on_where_the_listing_was_left() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "c1"), page(&["2"], "")]);

    let mut pages = env.client.list_deposit_addresses().pages();
    pages.next().await.transpose()?;
    let kept = pages.cursor().map(str::to_owned).expect("a cursor");
    drop(pages);
    let rest = env.client.list_deposit_addresses().page_cursor(kept).items();

    assert_eq!(rest.map_ok(ref_id).try_collect::<Vec<_>>().await?, ["2"]);
    assert_eq!(queries(&env), ["", "page_cursor=c1"]);
    Ok(())
}

#[tokio::test]
async fn a_page_comes_with_its_status_and_headers() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "").header("x-request-id", "r-1")]);

    let page = env.client.list_deposit_addresses().pages().next().await.expect("a page")?;

    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["x-request-id"], "r-1");
    Ok(())
}

#[tokio::test]
async fn who_takes_one_record_causes_one_request() -> Result<(), Error> {
    let env = Environment::playing([page(&["1", "2", "3"], "c"), page(&["4"], "")]);

    let mut records = env.client.list_deposit_addresses().items();
    records.next().await.transpose()?;
    for _ in 0..5 {
        moment().await;
    }

    assert_eq!(env.service.count(), 1);
    Ok(())
}

#[tokio::test]
async fn who_takes_one_page_causes_one_request() -> Result<(), Error> {
    let env = Environment::playing([page(&["1", "2", "3"], "c"), page(&["4"], "")]);

    let mut pages = env.client.list_deposit_addresses().pages();
    pages.next().await.transpose()?;
    for _ in 0..5 {
        moment().await;
    }

    assert_eq!(env.service.count(), 1);
    Ok(())
}

#[tokio::test]
async fn the_next_page_is_on_its_way_while_records_are_handed_out() -> Result<(), Error> {
    let gate = gate();
    let env = Environment::playing([page(&["x"; 100], "c"), page(&["y"], "").behind(&gate)]);

    let mut records = env.client.list_deposit_addresses().items();
    records.next().await.transpose()?;
    let mut handed_out = 1;
    while env.service.count() < 2 {
        assert_eq!(records.next().await.transpose()?.map(ref_id).as_deref(), Some("x"));
        handed_out += 1;
        moment().await;
    }
    // The page behind is held back, and the records go on.
    for _ in handed_out..100 {
        assert_eq!(records.next().await.transpose()?.map(ref_id).as_deref(), Some("x"));
    }
    gate.add_permits(1);
    assert_eq!(records.next().await.transpose()?.map(ref_id).as_deref(), Some("y"));

    assert!(handed_out < 100, "{handed_out}");
    assert!(records.next().await.is_none());
    assert_eq!(env.service.count(), 2);
    Ok(())
}

#[tokio::test]
async fn no_more_than_one_page_is_fetched_ahead() -> Result<(), Error> {
    let pages = (1..10).map(|n| page(&["x"; 50], &format!("c{n}")));
    let env = Environment::playing(pages);

    let mut records = env.client.list_deposit_addresses().items();
    for _ in 0..50 {
        records.next().await.transpose()?;
        moment().await;
    }

    assert_eq!(env.service.count(), 2);
    Ok(())
}

#[tokio::test]
async fn a_stream_that_is_dropped_asks_for_nothing_more() -> Result<(), Error> {
    let env = Environment::playing([page(&["1", "2", "3"], "c"), silent(), page(&["4"], "")]);

    let mut records = env.client.list_deposit_addresses().items();
    for _ in 0..3 {
        records.next().await.transpose()?;
    }
    tokio::select! {
        record = records.next() => panic!("{record:?} out of silence"),
        () = env.service.reached(2) => {}
    }
    drop(records);

    env.service.hung_up().await;
    assert_eq!(env.service.count(), 2);
    Ok(())
}

#[tokio::test]
async fn a_poll_that_is_given_up_loses_nothing() -> Result<(), Error> {
    let gate = gate();
    let script = [page(&["1"], "c").behind(&gate), page(&["2"], "")];
    let env = Environment::playing(script);

    let mut records = env.client.list_deposit_addresses().items();
    tokio::select! {
        record = records.next() => panic!("{record:?} through a closed gate"),
        () = env.service.reached(1) => {}
    }
    gate.add_permits(1);
    let ref_ids: Vec<String> = records.map_ok(ref_id).try_collect().await?;

    assert_eq!(ref_ids, ["1", "2"]);
    assert_eq!(queries(&env), ["", "page_cursor=c"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listing_walks_in_a_task_of_its_own() {
    let service = Server::playing([page(&["1"], "c"), page(&["2"], ""), page(&["1"], "")]);
    let Environment { client, service: _service, auth: _auth } =
        Environment::of(service, granting(), |client| client);

    let mut records = client.list_deposit_addresses().items();
    let walk = tokio::spawn(async move {
        let mut count = 0;
        while let Some(Ok(_)) = records.next().await {
            count += 1;
        }
        count
    });
    assert_eq!(within_bounds(walk).await.expect("no panic"), 2);

    let mut pages = client.list_deposit_addresses().pages();
    drop(client);
    let page = tokio::spawn(async move { pages.next().await });
    let page = within_bounds(page).await.expect("no panic");
    assert!(page.is_some_and(|page| page.is_ok()));
}

#[test]
fn futures_and_streams_can_be_sent_to_other_threads() -> Result<(), Error> {
    fn is_send<T: Send>(_: &T) {}
    fn is_future<T: Future + Send>(_: &T) {}
    fn is_stream<T: Stream + Send + Unpin + 'static>(_: &T) {}

    let client = digital_assets::Client::builder("https://api.example.com");
    let client = client.bearer_token("word").build()?;

    is_future(&client.list_quote_executions().send());
    is_future(&client.list_monitoring_addresses().send());
    is_future(&client.list_deposit_addresses().send());
    is_future(&client.add_institution_members().send());
    is_send(&client.list_deposit_addresses());
    let (mut pages, mut items) =
        (client.list_quote_executions().pages(), client.list_quote_executions().items());
    is_stream(&pages);
    is_stream(&items);
    is_stream(&client.list_monitoring_addresses().items());
    is_stream(&client.list_deposit_addresses().items());
    is_future(&pages.next());
    is_future(&items.next());
    Ok(())
}

#[tokio::test]
async fn a_token_that_ends_in_the_middle_of_a_walk_is_no_matter() -> Result<(), Error> {
    let script = [page(&["1", "2"], "c"), status(401), page(&["3"], "")];
    let env = once(script);

    let records = env.client.list_deposit_addresses().items();

    assert_eq!(records.map_ok(ref_id).try_collect::<Vec<_>>().await?, ["1", "2", "3"]);
    let tokens: Vec<_> = env.service.requests();
    let tokens = tokens.iter().map(|request| request.header("authorization"));
    let expected = ["Bearer word-1", "Bearer word-1", "Bearer word-2"].map(Some);
    assert_eq!(tokens.collect::<Vec<_>>(), expected);
    Ok(())
}
