//! Listings of records that have a time and no identifier.

use chrono::{DateTime, Utc};

use super::Items;
use crate::{
    BoxFuture, Checkpoint, Client, Error, Id, Operation, Record,
    call::{Call, Query, Start},
    listing::{CURSOR, pager::Batch, plan::Plan, sealed},
};

struct Nameless {
    number: usize,
    time: DateTime<Utc>,
}

impl sealed::Record for Nameless {}

impl Record for Nameless {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(self.time)
    }

    fn id(&self) -> Option<Id> {
        None
    }
}

/// When the records were created, in seconds.
const TIMES: [i64; 10] = [1, 2, 2, 2, 2, 2, 3, 4, 4, 5];

/// Pages of three records in ascending order.
fn fetch(_: Client, call: Call) -> BoxFuture<'static, Result<Batch<Nameless>, Error>> {
    Box::pin(async move {
        let from: Option<DateTime<Utc>> =
            call.query.get("created_at.begin").map(|from| from.parse().unwrap());
        let at = call.query.get(CURSOR).map(str::to_owned);
        let behind = at.as_deref().map_or(0, |at| at.parse().unwrap());
        let all = TIMES.iter().enumerate().map(|(number, time)| Nameless {
            number,
            time: DateTime::from_timestamp(*time, 0).unwrap(),
        });
        let listed = all.filter(|record| from.is_none_or(|from| record.time >= from)).skip(behind);
        let records: Vec<Nameless> = listed.take(3).collect();
        let next = (records.len() == 3).then(|| (behind + 3).to_string());
        Ok(Batch { at, records, next })
    })
}

fn items(client: Client, operation: Operation) -> Items<Nameless> {
    let mut query = Query::default();
    query.add("order", ["ASC"]);
    let call = Call { operation, path: "/".to_owned(), query, headers: Vec::new(), body: None };
    let start = Start { client, call, is_empty: false };
    Items::of(Ok(Plan::new(operation.listing().unwrap(), start, fetch)))
}

#[tokio::test]
async fn each_comes_once_however_often_the_listing_is_resumed() {
    let client = Client::builder("http://127.0.0.1:1").bearer_token("token").build().unwrap();
    // With bounds of time, and without.
    let operations = [Operation::ListQuoteExecutions, Operation::ListMonitoringAddresses];
    for (operation, step) in
        operations.into_iter().flat_map(|of| (1..=TIMES.len()).map(move |step| (of, step)))
    {
        let (mut numbers, mut kept) = (Vec::new(), None::<Checkpoint>);
        loop {
            let mut items = items(client.clone(), operation);
            if let Some(kept) = kept {
                items = items.resume(kept);
            }
            let before = numbers.len();
            while numbers.len() < before + step
                && let Some(record) = items.next().await
            {
                numbers.push(record.unwrap().number);
            }
            if numbers.len() == before {
                break;
            }
            kept = Some(items.checkpoint());
        }

        assert!(numbers.iter().copied().eq(0..TIMES.len()), "{step} at a time: {numbers:?}");
    }
}
