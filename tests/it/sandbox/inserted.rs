//! Records that a test inserts into the sandbox.

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::{
    sandbox::Sandbox,
    types::{CryptoNetwork, DepositAddress, QuoteExecutionStatus},
};
use uuid::Uuid;

use super::caller::{Caller, items, values};

const DEPOSITS: &str = "/v2/transfer/deposit-addresses";

fn new_id(number: u128) -> Uuid {
    Uuid::from_u128(0x4d8b_3e72_16f9_4a05_8c3d_0000_0000_0000 + number)
}

/// A copy of the newest record, with a new identifier and another time.
fn another(sandbox: &Sandbox, number: u128, created_at: DateTime<Utc>) -> DepositAddress {
    let mut address = sandbox.deposit_addresses().next().unwrap();
    (address.id, address.created_at) = (new_id(number), created_at);
    address
}

async fn listed(caller: &Caller, filters: &str) -> Vec<String> {
    let found = caller.walk(DEPOSITS, filters, 40).await;
    found.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn ids(sandbox: &Sandbox) -> Vec<String> {
    sandbox.deposit_addresses().map(|address| address.id.to_string()).collect()
}

#[tokio::test]
async fn a_late_record_stands_where_its_time_puts_it() {
    let caller = Caller::with(Sandbox::builder().deposit_addresses(90)).await;
    let before = ids(&caller.sandbox);
    let times: Vec<_> =
        caller.sandbox.deposit_addresses().map(|address| address.created_at).collect();
    let middle = times.iter().position(|time| *time < times[40]).unwrap();
    let tick = TimeDelta::nanoseconds(1);

    caller.sandbox.insert_deposit_address(another(&caller.sandbox, 1, times[middle] + tick));
    caller.sandbox.insert_deposit_address(another(&caller.sandbox, 2, times[0] + tick));
    caller.sandbox.insert_deposit_address(another(&caller.sandbox, 3, times[89] - tick));

    let mut expected = before;
    expected.insert(middle, new_id(1).to_string());
    expected.insert(0, new_id(2).to_string());
    expected.push(new_id(3).to_string());
    assert_eq!(ids(&caller.sandbox), expected);
    assert_eq!(listed(&caller, "").await, expected);
    expected.reverse();
    assert_eq!(listed(&caller, "&order=ASC").await, expected);
}

#[tokio::test]
async fn the_same_identifier_again_is_a_changed_record() {
    let caller = Caller::with(Sandbox::builder().executions(50)).await;
    let mut execution = caller
        .sandbox
        .executions()
        .find(|execution| execution.status == QuoteExecutionStatus::Created)
        .unwrap();
    let settled = |status: &str| format!("{}?status={status}", caller.executions());
    let before = caller.ok(&settled("SETTLED")).await["total_count"].as_u64().unwrap();

    execution.status = QuoteExecutionStatus::Settled;
    execution.settled_at = Some(execution.created_at + TimeDelta::hours(1));
    for _ in 0..2 {
        caller.sandbox.insert_execution(execution.clone());
    }

    let page = caller.ok(&settled("SETTLED")).await;
    assert_eq!(page["total_count"], before + 1);
    assert!(values(&page, "id").contains(&execution.id.to_string().as_str()));
    assert_eq!(caller.sandbox.executions().count(), 50);
    assert_eq!(caller.sandbox.executions().filter(|found| *found == execution).count(), 1);
    let created = caller.ok(&settled("CREATED")).await;
    assert!(!values(&created, "id").contains(&execution.id.to_string().as_str()));
}

#[tokio::test]
async fn a_changed_time_moves_a_record() {
    let caller = Caller::with(Sandbox::builder().deposit_addresses(50)).await;
    let made = caller.sandbox.deposit_addresses().nth(10).unwrap();
    let mut newest = caller.sandbox.deposit_addresses().next().unwrap().created_at;
    caller.sandbox.insert_deposit_address(another(&caller.sandbox, 1, made.created_at));

    for mut moved in [made, another(&caller.sandbox, 1, newest)] {
        newest += TimeDelta::seconds(1);
        moved.created_at = newest;
        caller.sandbox.insert_deposit_address(moved.clone());

        let found = listed(&caller, "").await;
        assert_eq!(found.len(), 51);
        assert_eq!(found[0], moved.id.to_string());
        assert!(!found[1..].contains(&found[0]));
    }
}

#[tokio::test]
async fn a_cursor_survives_what_is_inserted_and_changed_after_it_was_given_out() {
    for order in ["DESC", "ASC"] {
        let caller = Caller::with(Sandbox::builder().deposit_addresses(60)).await;
        let mut expected = listed(&caller, &format!("&order={order}")).await;
        let first = caller.ok(&format!("{DEPOSITS}?limit=20&order={order}")).await;
        let cursor = first["next_page_cursor"].as_str().unwrap();

        let mut walked: Vec<_> = caller.sandbox.deposit_addresses().collect();
        if order == "ASC" {
            walked.reverse();
        }
        // The last that was handed out, one before, and the next, are changed where they stand.
        for at in [19, 3, 20] {
            walked[at].address = "changed".to_owned();
            caller.sandbox.insert_deposit_address(walked[at].clone());
        }
        // One is late on the page that was handed out, one is on the next page.
        caller.sandbox.insert_deposit_address(another(&caller.sandbox, 1, walked[5].created_at));
        caller.sandbox.insert_deposit_address(another(&caller.sandbox, 2, walked[40].created_at));

        let rest =
            caller.ok(&format!("{DEPOSITS}?limit=1000&order={order}&page_cursor={cursor}")).await;
        let rest: Vec<_> = values(&rest, "id").iter().map(|id| (*id).to_owned()).collect();
        let (late, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|id| *id == new_id(2).to_string());
        assert_eq!(late.len(), 1, "{order}");
        assert_eq!(others, expected.split_off(20), "{order}");
    }
}

#[tokio::test]
async fn filters_find_what_is_inserted() {
    let caller = Caller::start().await;
    let profile = new_id(7);
    let mut address =
        another(&caller.sandbox, 1, "2024-02-29T12:00:00.000000001Z".parse().unwrap());
    address.profile_id = Some(profile);
    address.ref_id = Some("by hand".to_owned());
    address.crypto_network = CryptoNetwork::from("NEWNET");
    caller.sandbox.insert_deposit_address(address.clone());
    let mut execution = caller.sandbox.executions().next().unwrap();
    (execution.id, execution.profile_id) = (new_id(2), profile);
    let unknown = format!("/v2/profiles/{profile}/quote-executions");
    assert_eq!(caller.get(&unknown).await.0, 404);
    caller.sandbox.insert_execution(execution);

    for filter in [
        format!("profile_ids={profile}"),
        format!("ids={}", address.id),
        "ref_ids=by+hand".to_owned(),
        "networks=NEWNET".to_owned(),
        "created_at.eq=2024-02-29T12:00:00.000000001Z".to_owned(),
        "created_at.lt=2024-03-01T00:00:00Z".to_owned(),
    ] {
        let page = caller.ok(&format!("{DEPOSITS}?{filter}")).await;
        assert_eq!(values(&page, "id"), [address.id.to_string()], "{filter}");
    }
    assert_eq!(values(&caller.ok(&unknown).await, "id"), [new_id(2).to_string()]);
}

#[tokio::test]
async fn monitoring_addresses_are_inserted_too() {
    let caller = Caller::with(Sandbox::builder().monitoring_addresses(3)).await;
    let mut address = caller.sandbox.monitoring_addresses().nth(1).unwrap();
    address.name = Some("by hand".to_owned());
    caller.sandbox.insert_monitoring_address(address.clone());
    address.id = new_id(1);
    caller.sandbox.insert_monitoring_address(address.clone());

    let page = caller.ok(&format!("/v2/rewards/monitor/address?address={}", address.address)).await;

    assert_eq!(values(&page, "name"), ["by hand", "by hand"]);
    assert_eq!(caller.sandbox.monitoring_addresses().count(), 4);
}

#[tokio::test]
async fn any_time_that_can_be_told_can_be_a_record_s() {
    let caller = Caller::with(Sandbox::builder().deposit_addresses(2)).await;
    let times = ["-262143-01-01T00:00:00Z", "1969-07-20T20:17:40Z", "+262142-12-31T23:59:59Z"];
    for (number, time) in (1..).zip(times) {
        let address = another(&caller.sandbox, number, time.parse().unwrap());
        caller.sandbox.insert_deposit_address(address);
    }

    let found = caller.ok(DEPOSITS).await;

    let found = values(&found, "created_at");
    assert_eq!(found.len(), 5);
    assert_eq!((found[4], found[3], found[0]), (times[0], times[1], times[2]));
    let recent = caller.ok(&format!("{DEPOSITS}?created_at.gt=9999-12-31T23:59:59.999Z")).await;
    assert_eq!(items(&recent).len(), 1);
}
