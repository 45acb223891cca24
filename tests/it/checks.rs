//! Tests of which requests the client rejects before sending them, and which it leaves to the
//! service.

use std::fmt::Debug;

use digital_assets::{builder, types};
use futures_util::Stream;
use uuid::Uuid;

use crate::{prelude::*, specification::items};

type Deposits = builder::ListDepositAddresses;
type Filter = fn(Deposits, usize) -> Deposits;

// Section 4.3 of the specification: an array has at most 100 entries.
const FILTERS: [(&str, Filter); 6] = [
    ("profile_ids", |call, count| call.profile_ids(texts(count))),
    ("identity_ids", |call, count| call.identity_ids(texts(count))),
    ("account_ids", |call, count| call.account_ids(texts(count))),
    ("ids", |call, count| call.ids(vec![Uuid::from_u128(7); count])),
    ("ref_ids", |call, count| call.ref_ids(texts(count))),
    ("networks", |call, count| call.networks(vec![types::CryptoNetwork::Base; count])),
];

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text-{n}")).collect()
}

/// Asserts that the client rejected the call, that nothing was sent, not even a token request, and
/// that the message contains all `words`.
fn assert_refused<T: Debug>(env: &Environment, result: Result<T, Error>, words: &[&str]) {
    let error = result.expect_err(&words.join(" "));
    assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
    assert_eq!(error.attempts(), 0, "{error}");
    assert!(!error.may_have_been_applied() && !error.is_retryable(), "{error}");
    let message = error.to_string();
    let operation = error.operation().expect("an operation").id();
    assert!(message.starts_with(&format!("{operation}: ")), "{message}");
    let named = message.split(|c: char| !c.is_alphanumeric() && c != '_').collect::<Vec<_>>();
    assert!(words.iter().all(|word| named.contains(word)), "{message} names {words:?}");
    assert_eq!((env.service.count(), env.auth.count()), (0, 0), "{error}");
}

async fn assert_empty<T: Debug>(mut stream: impl Stream<Item = Result<T, Error>> + Unpin) {
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none());
}

// An empty array would be sent as no filter at all, and would list everything instead of nothing.
#[tokio::test]
async fn a_filter_of_101_entries_is_refused_and_so_is_an_empty_one() {
    for (name, filter) in FILTERS {
        let env = Environment::playing([]);
        let list = |count| filter(env.client.list_deposit_addresses(), count);

        assert_refused(&env, list(101).send().await, &[name, "100", "101"]);
        let mut pages = list(101).pages();
        assert_refused(&env, pages.next().await.expect("an error"), &[name, "100", "101"]);
        assert_empty(pages).await;
        assert_refused(&env, list(0).send().await, &[name, "empty"]);
    }
}

#[tokio::test]
async fn an_entry_that_is_no_uuid_is_refused_by_its_number() {
    let env = Environment::playing([]);
    let ids = ["0c1f4a3e-5b6d-4f70-8a91-b2c3d4e5f607", "sesame"];

    let refused = env.client.list_deposit_addresses().ids(ids).send().await;

    let error = refused.expect_err("the second entry isn't a UUID");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(error.to_string().ends_with("`ids[1]` is not a UUID"), "{error}");
    assert_eq!((env.service.count(), env.auth.count()), (0, 0));
}

#[tokio::test]
async fn a_refused_value_is_named_in_parts_too() {
    let env = Environment::playing([]);
    let body = types::AddInstitutionMembersRequest {
        institution_id: Uuid::from_u128(7),
        members: Vec::new(),
    };

    let limit = env.client.list_deposit_addresses().limit(1001).send().await.unwrap_err();
    let id = env.client.list_deposit_addresses().ids(["x"]).send().await.unwrap_err();
    let members = env.client.add_institution_members().body(body).send().await.unwrap_err();
    let missing = env.client.list_quote_executions().send().await.unwrap_err();
    let other = Error::fake(ErrorKind::InvalidRequest, None);

    for (error, expected) in [
        (limit, Some((Some("limit"), "", "is 1001, the maximum is 1000"))),
        (id, Some((Some("ids"), "[0]", "is not a UUID"))),
        (members, Some((None, ".members", "has 0 entries, the minimum is 1"))),
        (missing, Some((Some("profile_id"), "", "is missing"))),
        (other, None),
    ] {
        let rejected = error.rejected_value();
        let parts = rejected.map(|it| (it.parameter, it.place.as_str(), it.reason.as_str()));
        assert_eq!(parts, expected, "{error}");
    }
}

#[tokio::test]
async fn a_filter_of_100_entries_is_sent() -> Result<(), Error> {
    for (name, filter) in FILTERS {
        let env = Environment::playing([json(200, "{}")]);

        filter(env.client.list_deposit_addresses(), 100).send().await?;

        let request = env.service.request();
        assert_eq!(request.query().len(), 100, "{name}");
        assert!(request.query().iter().all(|pair| pair.starts_with(&format!("{name}="))));
    }
    Ok(())
}

#[tokio::test]
async fn an_empty_filter_lists_nothing_without_a_request() {
    for (name, filter) in FILTERS {
        let env = Environment::playing([]);

        assert_empty(filter(env.client.list_deposit_addresses(), 0).pages()).await;
        let items = filter(env.client.list_deposit_addresses(), 0).items();
        assert_empty(items.concurrency(4)).await;

        assert_eq!((env.service.count(), env.auth.count()), (0, 0), "{name}");
    }
}

// Sections 4.2, 4.3 and 8 of the specification: the maximum is 1000.
#[tokio::test]
async fn a_limit_of_1001_is_refused() {
    let env = Environment::playing([]);

    let monitored = env.client.list_monitoring_addresses().limit(1001);
    let deposits = env.client.list_deposit_addresses().limit(1001);

    assert_refused(&env, monitored.clone().send().await, &["limit", "1000", "1001"]);
    assert_refused(&env, deposits.clone().send().await, &["limit", "1000", "1001"]);
    let mut items = monitored.items();
    let refused = items.next().await.expect("an error");
    assert_refused(&env, refused, &["limit", "1000", "1001"]);
    assert_empty(items).await;
    let refused = deposits.pages().next().await.expect("an error");
    assert_refused(&env, refused, &["limit", "1000", "1001"]);
}

// Section 8 of the specification gives no maximum for quote executions, and no minimum for any
// listing.
#[tokio::test]
async fn a_bound_that_is_not_shown_is_not_enforced() -> Result<(), Error> {
    let env = Environment::always(json(200, "{}"));

    for limit in [i32::MIN, -1, 0, 1001, i32::MAX] {
        env.client.list_quote_executions().profile_id("p").limit(limit).send().await?;
    }
    for limit in [i32::MIN, -1, 0, 1000] {
        env.client.list_monitoring_addresses().limit(limit).send().await?;
        env.client.list_deposit_addresses().limit(limit).send().await?;
    }

    assert_eq!(env.service.lines()[4], "GET /v2/profiles/p/quote-executions?limit=2147483647");
    assert_eq!(env.service.count(), 13);
    Ok(())
}

// Section 4.4 of the specification, rule 2.
#[tokio::test]
async fn members_that_are_empty_are_refused() {
    let env = Environment::playing([]);

    let institution_id = Uuid::from_u128(7);
    let body = types::AddInstitutionMembersRequest { institution_id, members: Vec::new() };
    let result = env.client.add_institution_members().body(body).send().await;

    assert_refused(&env, result, &["members", "1", "0"]);
}

#[tokio::test]
async fn what_the_path_or_the_body_lacks_is_named() {
    let env = Environment::playing([]);

    let without_profile = env.client.list_quote_executions();
    let without_body = env.client.add_institution_members();

    assert_refused(&env, without_profile.clone().send().await, &["profile_id"]);
    let refused = without_profile.clone().pages().next().await.expect("an error");
    assert_refused(&env, refused, &["profile_id"]);
    let refused = without_profile.items().next().await.expect("an error");
    assert_refused(&env, refused, &["profile_id"]);
    assert_refused(&env, without_body.send().await, &["institution_id"]);
}

#[tokio::test]
async fn a_number_that_is_no_int32_is_refused() {
    let env = Environment::playing([]);

    let result = env.client.list_quote_executions().profile_id("p").limit(1_i64 << 40).send().await;

    assert_refused(&env, result, &["limit"]);
}

// Section 4.1 of the specification: `limit` must not be used together with `page_cursor`.
#[tokio::test]
async fn a_limit_beside_a_cursor_is_left_out_for_quote_executions() -> Result<(), Error> {
    let env = Environment::always(json(200, "{}"));

    let call = env.client.list_quote_executions().profile_id("p").side(types::Side::Sell);
    let call = call.page_cursor("c").limit(25);
    call.clone().send().await?;
    assert_empty(call.clone().items()).await;
    let page = call.pages().next().await;

    assert!(page.is_some_and(|page| page.is_ok()));
    for request in env.service.requests() {
        assert_eq!(request.sorted_query(), ["page_cursor=c", "side=SELL"]);
    }
    assert_eq!(env.service.count(), 3);
    Ok(())
}

// Section 4.1 of the specification forbids `limit` together with `page_cursor`. Section 8: a
// response with further results contains a cursor.
#[tokio::test]
async fn the_limit_of_quote_executions_is_sent_with_the_first_page_alone() {
    let script = [json(200, items(&[], "c1")), json(200, items(&[], "c2")), json(200, "{}")];
    let env = Environment::playing(script);

    let call = env.client.list_quote_executions().profile_id("p").limit(25);
    let pages = call.pages().collect::<Vec<_>>().await;

    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    let path = "GET /v2/profiles/p/quote-executions";
    let cursors = ["limit=25", "page_cursor=c1", "page_cursor=c2"];
    assert_eq!(env.service.lines(), cursors.map(|query| format!("{path}?{query}")));
}

// The last page may have an empty cursor. Passing on an empty cursor is the same as passing none.
#[tokio::test]
async fn an_empty_cursor_is_not_sent_and_costs_no_limit() -> Result<(), Error> {
    let env = Environment::always(json(200, "{}"));
    let call = env.client.list_quote_executions().profile_id("p").limit(25).page_cursor("");

    call.clone().send().await?;
    assert!(call.clone().pages().next().await.is_some_and(|page| page.is_ok()));
    assert_empty(call.items()).await;

    assert_eq!(env.service.lines(), ["GET /v2/profiles/p/quote-executions?limit=25"; 3]);
    Ok(())
}

// Sections 4.2 and 4.3 of the specification don't forbid `limit` together with `page_cursor`.
#[tokio::test]
async fn a_limit_beside_a_cursor_is_kept_for_the_others() -> Result<(), Error> {
    let env = Environment::always(json(200, "{}"));

    env.client.list_monitoring_addresses().page_cursor("c").limit(25).send().await?;
    env.client.list_deposit_addresses().page_cursor("c").limit(25).send().await?;
    assert_empty(env.client.list_deposit_addresses().page_cursor("c").limit(25).items()).await;

    for request in env.service.requests() {
        assert_eq!(request.sorted_query(), ["limit=25", "page_cursor=c"], "{}", request.line);
    }
    assert_eq!(env.service.count(), 3);
    Ok(())
}

#[tokio::test]
async fn a_check_says_what_sending_would_refuse_and_sends_nothing() {
    let service = InMemory::always(json(200, "{}"));
    let list = service.client().list_deposit_addresses();
    let header = CallOptions::new().header("host", "elsewhere");

    assert!(list.check().is_ok());
    for wrong in [list.clone().ref_ids([""; 0]), list.options(header)] {
        let refused = wrong.check().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
        assert_eq!(refused.to_string(), wrong.send().await.unwrap_err().to_string());
    }
    assert_eq!(service.count(), 0);
}

#[tokio::test]
async fn an_optional_value_is_set_if_there_is_one() -> Result<(), Error> {
    let service = InMemory::always(json(200, "{}"));
    let list = service.client().list_deposit_addresses();

    let list = list.maybe(Some(7), Deposits::limit);
    list.maybe(None::<String>, Deposits::page_cursor).send().await?;

    assert_eq!(service.requests()[0].url().query(), Some("limit=7"));
    Ok(())
}

#[tokio::test]
async fn a_value_that_no_url_can_contain_is_refused_with_its_name_and_length() {
    let service = InMemory::always(json(200, "{}"));
    let list = service.client().list_deposit_addresses().page_cursor("c".repeat(70_000));

    let error = list.send().await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(
        error.to_string(),
        "listDepositAddresses: `page_cursor` has 70000 bytes, more than a URL can contain"
    );
    assert_eq!(service.count(), 0);
}
