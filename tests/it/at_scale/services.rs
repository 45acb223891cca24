//! Services that differ from the sandbox where the specification leaves a choice.

use std::collections::HashSet;

use chrono::DateTime;
use digital_assets::{Client, ErrorKind, types::Order};
use uuid::Uuid;

use super::{
    ids,
    service::{BOTH, Service, id_of, spread},
};
use crate::{
    Environment, log,
    server::json,
    specification::{DEPOSIT_ADDRESS, items, with},
    within_bounds,
};

#[tokio::test]
async fn a_stop_among_records_that_tell_one_time_loses_none_of_them() {
    for (told, read, rounded) in [
        (3, 9, false),
        (3, 3, false),
        (0, 9, false),
        (9, 3, false),
        (9, 0, false),
        (3, 0, false),
        (0, 0, false),
        (6, 9, true),
        (3, 9, true),
        (0, 9, true),
    ] {
        let service = Service { told, read, rounded, ..Service::new(spread(300, 50_000)) };
        for order in BOTH {
            let (_server, client) = service.clone().serve();
            let list = || client.list_deposit_addresses().order(order.clone()).limit(40);
            let mut items = list().items();
            let mut walked = super::take(&mut items, 130).await.unwrap();

            walked.extend(ids(list().items().resume(items.checkpoint())).await);

            let expected = service.expected(&order);
            assert!(walked == expected, "{told} told, {read} read, {order}: {}", walked.len());
        }
    }
}

#[tokio::test]
async fn a_merged_walk_that_stops_before_it_is_where_it_was_doubles_nothing() {
    let at = 1_735_689_600_000_000_000;
    let service = Service::new([at; 200]);
    // The first record doesn't exist yet when the listing begins.
    let mut early = service.clone();
    early.times[0] = DateTime::UNIX_EPOCH;
    let ((_early, before), (_server, client)) = (early.serve(), service.serve());
    let list = |client: &Client| {
        let all = (0..200).map(Uuid::from_u128);
        let list = client.list_deposit_addresses().order(Order::Asc).ids(all);
        list.created_at_gte(DateTime::from_timestamp_nanos(at)).limit(40).items()
    };
    let mut items = list(&before);
    let mut walked = super::take(&mut items, 120).await.unwrap();
    let mut items = list(&client).resume(items.checkpoint());
    walked.extend(super::take(&mut items, 1).await.unwrap());

    walked.extend(ids(list(&client).resume(items.checkpoint())).await);

    assert_eq!(walked.len(), 200);
    assert_eq!(walked.iter().collect::<HashSet<_>>().len(), 200);
}

#[tokio::test]
async fn a_checkpoint_whose_record_is_gone_is_an_error_of_its_operation() {
    let page = |numbers: [usize; 2]| {
        let address = |number| with(DEPOSIT_ADDRESS, "id", &format!("{:?}", id_of(number)));
        json(200, items(&numbers.map(address).each_ref().map(String::as_str), ""))
    };
    let env = Environment::playing([page([1, 2]), page([2, 3])]);
    let mut begun = env.client.list_deposit_addresses().items();
    begun.next().await.unwrap().unwrap();

    let mut resumed = env.client.list_deposit_addresses().items().resume(begun.checkpoint());

    let error = resumed.next().await.unwrap().unwrap_err();
    let message = "listDepositAddresses: the checkpoint's record isn't listed any more; \
                     begin anew from its created_at";
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::StaleCheckpoint, message));
    assert!(resumed.next().await.is_none());
}

#[tokio::test]
async fn a_listing_whose_last_record_was_not_there_yet_is_walked() {
    for order in BOTH {
        let service = Service::new(spread(300, 1_000_000_000));
        let service = Service { empty_at_first: true, ..service };
        let (_server, client) = service.clone().serve();
        let list = client.list_deposit_addresses().order(order.clone()).limit(20);

        let walked = within_bounds(ids(list.items().concurrency(4))).await;

        assert_eq!(walked, service.expected(&order), "{order}");
    }
}

// Section 8: at most 100 entries each; design: and no URL longer than 7,000 bytes.
#[tokio::test]
async fn later_pages_and_windows_have_urls_as_short_as_the_first() {
    for length in 50..64 {
        let service = Service { ballast: "x".repeat(200), ..Service::new(spread(300, 1_000)) };
        let (server, client) = service.serve();
        let filter = |count: usize| (0..count).map(|n| format!("{n:0length$}")).collect::<Vec<_>>();
        let list = client.list_deposit_addresses().ref_ids(filter(100)).limit(60);

        for concurrency in [1, 5] {
            ids(list.clone().items().concurrency(concurrency)).await;
        }

        let longest = server.lines().iter().map(String::len).max().unwrap();
        assert!(longest <= 7_000 - 25, "{length} characters each: {longest} bytes");
    }
}

#[tokio::test]
async fn pages_of_few_records_are_no_cause_for_many_requests() {
    for (limit, most) in [(1, 1_000), (2, 600), (3, 500)] {
        let (server, client) = Service::new(spread(300, 3_600_000_000_000)).serve();

        let walked = ids(client.list_deposit_addresses().limit(limit).items().concurrency(8)).await;

        assert_eq!(walked.len(), 300);
        assert!(server.count() <= most, "limit {limit}: {} requests", server.count());
    }
}

#[tokio::test]
async fn bursts_cost_few_more_requests_than_one_after_the_other() {
    let day = 24 * 3_600 * 1_000_000_000;
    let times = (0..60).flat_map(|n| (0..50).map(move |m| 1 + n * day + m * 1_000_000_000));
    for order in BOTH {
        let service = Service::new(times.clone());
        let (server, client) = service.clone().serve();
        let list = client.list_deposit_addresses().order(order.clone()).limit(50);

        let walked = ids(list.items().concurrency(8)).await;

        assert_eq!(walked, service.expected(&order), "{order}");
        assert!(server.count() <= 3 * 60, "{order}: {} requests", server.count());
    }
}

#[tokio::test]
async fn without_the_last_record_one_page_is_asked_for_at_a_time_and_an_event_says_so() {
    for order in BOTH {
        let service = Service { refuses_last: true, ..Service::new(spread(300, 1_000_000_000)) };
        let (server, client) = service.clone().serve();
        let list = client.list_deposit_addresses().order(order.clone()).limit(20);

        log::start();
        let walked = ids(list.items().concurrency(4)).await;
        let recorded = log::stop();

        assert_eq!(walked, service.expected(&order), "{order}");
        assert_eq!(server.count(), 300 / 20 + 1, "{order}");
        let messages = recorded.messages();
        let said = messages.iter().filter(|message| message.starts_with("no last record")).count();
        assert_eq!(said, 1, "{order}: {messages:?}");
    }
}
