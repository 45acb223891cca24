//! Tests of records that a test inserts into the sandbox.

use chrono::{DateTime, Utc};
use digital_assets::{sandbox::Sandbox, types::DepositAddress};
use uuid::Uuid;

use super::caller::{Caller, items, values};

const DEPOSITS: &str = "/v2/transfer/deposit-addresses";

fn new_id(number: u128) -> Uuid {
    Uuid::from_u128(0x4d8b_3e72_16f9_4a05_8c3d_0000_0000_0000 + number)
}

/// Returns a copy of the newest record, with a new identifier and another creation time.
fn another(sandbox: &Sandbox, number: u128, created_at: DateTime<Utc>) -> DepositAddress {
    let mut address = sandbox.deposit_addresses().next().unwrap();
    (address.id, address.created_at) = (new_id(number), created_at);
    address
}

async fn listed(caller: &Caller, filters: &str) -> Vec<String> {
    let found = caller.walk(DEPOSITS, filters, 40).await;
    found.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
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
        // The last returned record, an earlier one and the next one are changed without moving.
        for at in [19, 3, 20] {
            walked[at].address = "changed".to_owned();
            caller.sandbox.insert_deposit_address(walked[at].clone());
        }
        // One new record belongs to the page that was already returned, and the other one to a
        // later page.
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
async fn a_profile_that_comes_with_a_record_is_known() {
    let caller = Caller::start().await;
    let profile = new_id(7);
    let path = format!("/v2/profiles/{profile}/quote-executions");
    assert_eq!(caller.get(&path).await.0, 404);

    let mut execution = caller.sandbox.executions().next().unwrap();
    (execution.id, execution.profile_id) = (new_id(2), profile);
    caller.sandbox.insert_execution(execution);

    assert_eq!(values(&caller.ok(&path).await, "id"), [new_id(2).to_string()]);
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
