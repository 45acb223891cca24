//! Tests of cursors: where a listing starts, where it continues, and what happens if a cursor is
//! repeated.

use digital_assets::builder::ListDepositAddresses;
use futures_util::TryStreamExt;

use super::{once, page, queries, ref_id};
use crate::{
    log,
    prelude::*,
    specification::{DEPOSIT_ADDRESS, items},
};

#[tokio::test]
async fn a_listing_can_begin_at_a_cursor() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "c6"), page(&["2"], "")]);

    let records = env.client.list_deposit_addresses().page_cursor("c5").items();
    let ref_ids: Vec<String> = records.map_ok(ref_id).try_collect().await?;

    assert_eq!(ref_ids, ["1", "2"]);
    assert_eq!(queries(&env), ["page_cursor=c5", "page_cursor=c6"]);
    Ok(())
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
        for by_page in [false, true] {
            let pages = cursors.iter().enumerate();
            let pages = pages.map(|(number, cursor)| page(&[&number.to_string()], cursor));
            let env = Environment::playing(pages);
            let list = env.client.list_deposit_addresses();
            let list = list.maybe(start, ListDepositAddresses::page_cursor);

            let mut results: Vec<_> = if by_page {
                let mut pages = list.pages();
                let results = pages.by_ref().map_ok(drop).collect().await;
                assert_eq!(pages.cursor(), None);
                results
            } else {
                list.items().map_ok(drop).collect().await
            };

            let error = results.pop().expect("an end that is seen").expect_err("a circle");
            assert_eq!(error.kind(), ErrorKind::RepeatedCursor, "{cursors:?}");
            assert_eq!(error.operation(), Some(operation::LIST_DEPOSIT_ADDRESSES));
            assert!(!error.is_retryable());
            assert!(
                results.len() == cursors.len() && results.iter().all(Result::is_ok),
                "{cursors:?}"
            );
            assert_eq!(env.service.count(), cursors.len());
        }
    }
}

#[tokio::test]
async fn a_walk_that_came_back_still_says_where_it_stood() -> Result<(), Error> {
    let env = Environment::playing([page(&["1", "2"], "c"), page(&["3", "4"], "c")]);
    let mut items = env.client.list_deposit_addresses().items();
    for _ in 0..4 {
        items.next().await.transpose()?;
    }
    let checkpoint = items.checkpoint();

    let error = items.next().await.and_then(Result::err);

    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::RepeatedCursor));
    assert!(items.checkpoint() == checkpoint);
    assert!(items.next().await.is_none());
    Ok(())
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

// It isn't an error if a service returns new cursors forever, but events report the empty pages.
#[tokio::test]
async fn empty_pages_in_a_row_are_an_event_every_power_of_two() {
    // A page with a record ends the sequence of empty pages.
    let service = InMemory::scripted(|at, _| {
        let records = if at == 70 { &[DEPOSIT_ADDRESS][..] } else { &[] };
        let cursor = if at == 73 { String::new() } else { format!("c{at}") };
        json(200, items(records, &cursor))
    });
    let client = service.client();

    let list = client.list_deposit_addresses().items();
    let (recorded, records) = log::of(list.collect::<Vec<_>>()).await;

    assert_eq!(records.len(), 1);
    let events =
        recorded.events().filter(|event| event.field("message") == Some("empty pages in a row"));
    let pages: Vec<_> = events.filter_map(|event| event.field("pages")).collect();
    assert_eq!(pages, ["1u64", "2u64", "4u64", "8u64", "16u64", "32u64", "64u64", "1u64", "2u64"]);
}
