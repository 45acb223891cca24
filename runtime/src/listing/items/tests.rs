//! Tests with records that have no identifier.

use chrono::{DateTime, Utc};
use virtual_service::{BEGIN, Endpoint, SECOND, Service};

use super::Items;
use crate::{
    BoxFuture, Checkpoint, Error, ErrorKind, Id, Operation, Record,
    call::{Call, Sender},
    fixture::{BY_PAGE, BY_TIME, Item, ItemPage},
    listing::{
        pager::{Fetched, fetch_records},
        plan::Plan,
        sealed,
        tests::start,
    },
};

struct Unnamed {
    number: usize,
    time: Option<DateTime<Utc>>,
}

impl sealed::Record for Unnamed {}

impl Record for Unnamed {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        self.time
    }

    fn id(&self) -> Option<Id> {
        None
    }
}

fn fetch(sender: Sender, call: Call) -> BoxFuture<'static, Result<Fetched<Vec<Unnamed>>, Error>> {
    let unnamed = |record: Item| Unnamed {
        number: virtual_service::number(record.id().unwrap().to_string().parse().unwrap()),
        time: record.created_at(),
    };
    Box::pin(async move {
        let Fetched { page, next, is_empty } = fetch_records::<ItemPage>(sender, call).await?;
        Ok(Fetched { page: page.into_iter().map(unnamed).collect(), next, is_empty })
    })
}

/// Fetches the same records as `fetch`, but without times.
fn fetch_untimed(
    sender: Sender,
    call: Call,
) -> BoxFuture<'static, Result<Fetched<Vec<Unnamed>>, Error>> {
    Box::pin(async move {
        let mut fetched = fetch(sender, call).await?;
        fetched.page.iter_mut().for_each(|record| record.time = None);
        Ok(fetched)
    })
}

/// A stream that reads three records per page.
fn items(endpoint: &Endpoint, operation: Operation) -> Items<Unnamed> {
    let start = start(endpoint.clone(), operation, 3);
    Items::of(Ok(Plan::new(operation.listing().unwrap(), start, fetch)))
}

/// Reads the whole listing, and stops and resumes after every `step` records. Returns the numbers
/// of all records.
async fn numbers(step: usize, items: impl Fn() -> Items<Unnamed>) -> Vec<usize> {
    let (mut numbers, mut kept) = (Vec::new(), None::<Checkpoint>);
    loop {
        let mut items = items();
        if let Some(kept) = kept {
            items = items.resume(kept);
        }
        let before = numbers.len();
        while numbers.len() < before + step
            && let Some(record) = items.next().await
        {
            numbers.push(record.unwrap().number);
        }
        if numbers.len() == before || numbers.len() > 100 {
            return numbers;
        }
        kept = Some(items.checkpoint());
    }
}

#[tokio::test(start_paused = true)]
async fn each_comes_once_however_often_the_listing_is_resumed() {
    let times = [1, 2, 2, 2, 2, 2, 3, 4, 4, 5].map(|second| BEGIN + second * SECOND);
    let endpoint = Service::of(times).serve();
    // The first listing has time bounds, and the second one doesn't.
    for operation in [BY_TIME, BY_PAGE] {
        for step in 1..=10 {
            let numbers = numbers(step, || items(&endpoint, operation)).await;

            assert!(numbers.iter().copied().eq(0..10), "{step} records at a time: {numbers:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_says_where_to_continue_after_a_refused_cursor() {
    let endpoint = Service::of((0..9).map(|second| BEGIN + second * SECOND)).serve();
    let start = start(endpoint.clone(), BY_PAGE, 3);
    let plan = Plan::new(BY_PAGE.listing().unwrap(), start, fetch_untimed);
    let mut items = Items::of(Ok(plan));
    for _ in 0..4 {
        assert!(items.next().await.unwrap().is_ok());
    }
    endpoint.change(|service| service.refuses = |asked| asked.get("page_cursor").map(|_| 410));
    for _ in 0..2 {
        assert!(items.next().await.unwrap().is_ok());
    }

    let error = items.next().await.unwrap().err().unwrap();

    assert_eq!(error.kind(), ErrorKind::StaleCheckpoint);
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("410"), "{cause}");
    assert!(items.next().await.is_none());
}
