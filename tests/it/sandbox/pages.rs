use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use digital_assets::sandbox::{Sandbox, Times};
use fastrand::Rng;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::caller::{Caller, items};

fn time(item: &Value) -> DateTime<Utc> {
    item["created_at"].as_str().unwrap().parse().unwrap()
}

fn truth(records: impl Iterator<Item = impl Serialize>) -> Vec<Value> {
    records.map(|record| serde_json::to_value(record).unwrap()).collect()
}

const ALL_TIMES: [Times; 6] = [
    Times::Uniform,
    Times::OneSecond,
    Times::Equal,
    Times::TwoClusters,
    Times::Skewed,
    Times::Bursts,
];

/// A listing: its path, its records, and the field that each of its filters compares.
struct Listing {
    path: &'static str,
    records: fn(&Sandbox) -> Vec<Value>,
    insert: fn(&Sandbox, Value),
    filters: &'static [(&'static str, &'static str)],
    times: &'static [&'static str],
    most_entries: usize,
    is_counted: bool,
}

const LISTINGS: &[Listing] = &[
    Listing {
        path: "/v2/profiles/7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10/quote-executions",
        records: |sandbox| truth(sandbox.executions()),
        insert: |sandbox, it| sandbox.insert_execution(serde_json::from_value(it).unwrap()),
        filters: &[("side", "side"), ("market", "market"), ("status", "status")],
        times: &["begin", "end"],
        most_entries: 1,
        is_counted: true,
    },
    Listing {
        path: "/v2/rewards/monitor/address",
        records: |sandbox| truth(sandbox.monitoring_addresses()),
        insert: |sandbox, it| {
            sandbox.insert_monitoring_address(serde_json::from_value(it).unwrap());
        },
        filters: &[("crypto_network", "crypto_network"), ("address", "address")],
        times: &[],
        most_entries: 1,
        is_counted: false,
    },
    Listing {
        path: "/v2/transfer/deposit-addresses",
        records: |sandbox| truth(sandbox.deposit_addresses()),
        insert: |sandbox, it| sandbox.insert_deposit_address(serde_json::from_value(it).unwrap()),
        filters: &[
            ("profile_ids", "profile_id"),
            ("identity_ids", "identity_id"),
            ("account_ids", "customer_id"),
            ("ids", "id"),
            ("ref_ids", "ref_id"),
            ("networks", "crypto_network"),
        ],
        times: &["lt", "lte", "eq", "gte", "gt"],
        most_entries: 100,
        is_counted: false,
    },
];

/// Inserts random records. Returns all expected records, oldest first, each with its rank among
/// records with the same time. A changed record keeps its rank.
fn filled(sandbox: &Sandbox, listing: &Listing, dice: &mut Rng) -> Vec<(usize, Value)> {
    let made = (listing.records)(sandbox).into_iter().rev();
    let mut model: Vec<_> = made.enumerate().collect();
    for number in 1..=40 {
        let (mut rank, mut record) = model[dice.usize(..model.len())].clone();
        let near = time(&model[dice.usize(..model.len())].1);
        let tick = TimeDelta::nanoseconds([-1, 0, 1][dice.usize(..3)]);
        record["created_at"] = serde_json::to_value(near + tick).unwrap();
        for (_, field) in listing.filters {
            let other = &model[dice.usize(..model.len())].1;
            if *field != "id"
                && dice.u8(..3) == 0
                && let Some(value) = other.get(field)
            {
                record[field] = value.clone();
            }
        }
        if dice.u8(..3) == 0 {
            rank = 1_000_000 + number;
            record["id"] = Uuid::from_u128(number as u128).to_string().into();
        }
        (listing.insert)(sandbox, record.clone());
        model.retain(|(_, known)| known["id"] != record["id"]);
        model.push((rank, record));
    }
    model.sort_by_key(|(rank, record)| (time(record), *rank));
    model
}

/// Returns a query with random filters, and the records in `left` that match it.
fn filtered(listing: &Listing, mut left: Vec<Value>, dice: &mut Rng) -> (String, Vec<Value>) {
    let (all, mut query) = (left.clone(), String::new());
    for (name, field) in listing.filters {
        if dice.usize(..4) == 0 {
            let count = 1 + dice.usize(..listing.most_entries);
            let known: Vec<_> = all.iter().filter_map(|item| item[field].as_str()).collect();
            let wanted: Vec<_> = (0..count).map(|_| known[dice.usize(..known.len())]).collect();
            // Identifiers are case-insensitive, but addresses and references aren't.
            let is_id = field.ends_with("id") && *field != "ref_id";
            let sent = |text: &str| if is_id { text.to_uppercase() } else { text.to_owned() };
            query.extend(wanted.iter().map(|value| format!("&{name}={}", sent(value))));
            left.retain(|item| item[field].as_str().is_some_and(|v| wanted.contains(&v)));
        }
    }
    for name in listing.times {
        if dice.usize(..4) == 0 {
            let pivot = time(&all[dice.usize(..all.len())]);
            let text = pivot.to_rfc3339_opts(SecondsFormat::Nanos, true);
            query.extend([format!("&created_at.{name}={text}")]);
            left.retain(|item| match *name {
                "lt" => time(item) < pivot,
                "lte" | "end" => time(item) <= pivot,
                "eq" => time(item) == pivot,
                "gte" | "begin" => time(item) >= pivot,
                _ => time(item) > pivot,
            });
        }
    }
    (query, left)
}

// Sections 4.1 to 4.3 of the specification: filters and how they combine, time bounds, and order.
#[tokio::test]
async fn whatever_is_inserted_and_filtered_the_pages_are_the_matching_records_in_order() {
    let mut dice = Rng::with_seed(42);
    for (times, listing) in ALL_TIMES.iter().flat_map(|t| LISTINGS.iter().map(move |l| (*t, l))) {
        let sandbox = Sandbox::builder().times(times);
        let sandbox = sandbox.executions(300).monitoring_addresses(300).deposit_addresses(300);
        let caller = Caller::with(sandbox).await;
        let model = filled(&caller.sandbox, listing, &mut dice);
        let all: Vec<_> = model.into_iter().map(|(_, record)| record).collect();
        assert!((listing.records)(&caller.sandbox).iter().eq(all.iter().rev()), "{times:?}");
        for _ in 0..25 {
            let (mut query, mut expected) = filtered(listing, all.clone(), &mut dice);
            if dice.u8(..3) == 0 {
                query += "&order=ASC";
            } else {
                expected.reverse();
            }
            let limit = (1 + dice.usize(..60)).max(expected.len() / 20);

            let page = caller.get(&format!("{}?{query}", listing.path)).await;
            if page.0 == 400 {
                assert_eq!(page.1["meta"]["parameter"], "address", "{query}");
                continue;
            }
            let found = caller.walk(listing.path, &query, limit).await;

            assert!(found == expected, "{times:?} {query} {limit}");
            if listing.is_counted {
                assert_eq!(page.1["total_count"], expected.len(), "{times:?} {query}");
            }
        }
    }
}

#[tokio::test]
async fn a_listing_that_fits_its_page_has_no_cursor() {
    let caller = Caller::with(Sandbox::builder().executions(10)).await;
    let path = caller.executions();

    let exact = caller.ok(&format!("{path}?limit=10")).await;
    let short = caller.ok(&format!("{path}?limit=9")).await;

    assert_eq!((items(&exact).len(), exact.get("next_page_cursor")), (10, None));
    assert!(short["next_page_cursor"].is_string());
}

// This is the sandbox's own choice.
#[tokio::test]
async fn a_cursor_is_refused_with_other_filters_another_order_or_another_operation() {
    let caller = Caller::start().await;
    let path = caller.executions();
    let page = caller.ok(&format!("{path}?limit=2&side=BUY")).await;
    let cursor = page["next_page_cursor"].as_str().unwrap();

    caller
        .ok(&format!("{path}?page_cursor={cursor}&side=BUY&order=DESC&order_by=CREATED_AT"))
        .await;
    for query in ["", "&side=SELL", "&side=BUY&order=ASC", "&side=BUY&market=BTCUSD"] {
        let path = format!("{path}?page_cursor={cursor}{query}");
        assert_eq!(caller.refused(&path).await, "page_cursor", "{query}");
    }
    let deposits = "/v2/transfer/deposit-addresses";
    for other in [cursor, "AAAA", "not+base64!", "%00", &format!("{cursor}AAAA")] {
        let path = format!("{deposits}?page_cursor={other}");
        assert_eq!(caller.refused(&path).await, "page_cursor", "{other}");
    }
}

#[tokio::test]
async fn records_added_while_walking_are_newer_and_disturb_nothing() {
    for times in ALL_TIMES {
        let caller = Caller::with(Sandbox::builder().executions(50).times(times)).await;
        let path = caller.executions();
        let before = truth(caller.sandbox.executions());
        let first = caller.ok(&format!("{path}?limit=30")).await;

        caller.sandbox.add_executions(20);
        let cursor = first["next_page_cursor"].as_str().unwrap();
        let second = caller.ok(&format!("{path}?page_cursor={cursor}")).await;

        assert!([items(&first), items(&second)].concat() == before, "{times:?}");
        assert_eq!(second["total_count"], 50, "{times:?}");
        let added = caller.ok(&format!("{path}?limit=20")).await;
        assert!(time(items(&added).last().unwrap()) > time(&before[0]), "{times:?}");
        assert_eq!(added["total_count"], 70, "{times:?}");
    }
}
