//! Prefetching, and what remains when a stream is dropped.

use digital_assets::Error;
use futures_util::TryStreamExt;

use super::{page, queries, ref_id};
use crate::{
    Environment, granting, moment,
    server::{Server, gate, silent},
    within_bounds,
};

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
