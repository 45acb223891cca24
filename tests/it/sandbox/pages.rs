use chrono::{DateTime, SecondsFormat, Utc};
use digital_assets::sandbox::{Sandbox, Times};
use serde::Serialize;
use serde_json::Value;

use super::caller::{Caller, items, values};

/// The same dice in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn chance(&mut self) -> bool {
        self.below(3) == 0
    }

    fn pick<'a>(&mut self, records: &'a [Value], field: &str) -> &'a str {
        loop {
            if let Some(text) = records[self.below(records.len())][field].as_str() {
                return text;
            }
        }
    }
}

fn time(item: &Value) -> DateTime<Utc> {
    item["created_at"].as_str().unwrap().parse().unwrap()
}

fn truth(records: impl Iterator<Item = impl Serialize>) -> Vec<Value> {
    records.map(|record| serde_json::to_value(record).unwrap()).collect()
}

type Test = fn(&DateTime<Utc>, &DateTime<Utc>) -> bool;

const ALL_TIMES: [Times; 5] =
    [Times::Uniform, Times::OneSecond, Times::Equal, Times::TwoClusters, Times::Skewed];

#[tokio::test]
async fn the_pages_of_quote_executions_are_the_matching_records_in_order() {
    let mut dice = Dice(42);
    for times in ALL_TIMES {
        let caller = Caller::with(Sandbox::builder().executions(700).times(times)).await;
        let path = caller.executions();
        let all = truth(caller.sandbox.executions());
        for _ in 0..30 {
            let (mut filters, mut expected) = (String::new(), all.clone());
            for field in ["side", "market", "status"] {
                if dice.chance() {
                    let value = dice.pick(&all, field);
                    filters.extend([format!("&{field}={value}")]);
                    expected.retain(|item| item[field] == value);
                }
            }
            for (name, sign) in [("begin", 1), ("end", -1)] {
                if dice.chance() {
                    let pivot = time(&all[dice.below(all.len())]);
                    let text = pivot.to_rfc3339_opts(SecondsFormat::Nanos, true);
                    filters.extend([format!("&created_at.{name}={text}")]);
                    expected.retain(|item| time(item).cmp(&pivot) as i8 * sign >= 0);
                }
            }
            if dice.chance() {
                filters += "&order=ASC";
                expected.reverse();
            }
            let limit = 1 + dice.below(if expected.len() > 300 { 400 } else { 60 });

            let found = caller.walk(&path, &filters, limit.max(expected.len() / 20)).await;

            assert!(found == expected, "{times:?} {filters} {limit}");
            let page = caller.ok(&format!("{path}?{filters}")).await;
            assert_eq!(page["total_count"], expected.len(), "{times:?} {filters}");
        }
    }
}

#[tokio::test]
async fn the_pages_of_deposit_addresses_are_the_matching_records_in_order() {
    let mut dice = Dice(7);
    for times in ALL_TIMES {
        let caller = Caller::with(Sandbox::builder().deposit_addresses(500).times(times)).await;
        let all = truth(caller.sandbox.deposit_addresses());
        for _ in 0..30 {
            let (mut filters, mut expected) = (String::new(), all.clone());
            for (name, field) in [
                ("profile_ids", "profile_id"),
                ("identity_ids", "identity_id"),
                ("account_ids", "customer_id"),
                ("ids", "id"),
                ("ref_ids", "ref_id"),
                ("networks", "crypto_network"),
            ] {
                if dice.below(5) == 0 {
                    let wanted: Vec<_> =
                        (0..=dice.below(100)).map(|_| dice.pick(&all, field)).take(100).collect();
                    filters.extend(wanted.iter().map(|value| format!("&{name}={value}")));
                    expected
                        .retain(|item| item[field].as_str().is_some_and(|v| wanted.contains(&v)));
                }
            }
            let tests: [(&str, Test); 4] = [
                ("lt", DateTime::lt),
                ("lte", DateTime::le),
                ("gte", DateTime::ge),
                ("gt", DateTime::gt),
            ];
            for (name, test) in tests {
                if dice.below(5) == 0 {
                    let pivot = time(&all[dice.below(all.len())]);
                    let text = pivot.to_rfc3339_opts(SecondsFormat::Nanos, true);
                    filters.extend([format!("&created_at.{name}={text}")]);
                    expected.retain(|item| test(&time(item), &pivot));
                }
            }
            if dice.chance() {
                filters += "&order=ASC";
                expected.reverse();
            }
            let limit = (1 + dice.below(60)).max(expected.len() / 20);

            let found = caller.walk("/v2/transfer/deposit-addresses", &filters, limit).await;

            assert!(found == expected, "{times:?} {filters} {limit}");
        }
    }
}

#[tokio::test]
async fn the_pages_of_monitoring_addresses_are_the_matching_records_in_order() {
    let caller = Caller::start().await;
    let all = truth(caller.sandbox.monitoring_addresses());
    for (filters, network) in [("", None), ("&crypto_network=SOLANA", Some("SOLANA"))] {
        let mut expected = all.clone();
        expected.retain(|item| network.is_none_or(|network| item["crypto_network"] == network));

        let found = caller.walk("/v2/rewards/monitor/address", filters, 23).await;

        assert!(found == expected, "{filters}");
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

// A choice.
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
    let other = format!("/v2/transfer/deposit-addresses?page_cursor={cursor}");
    assert_eq!(caller.refused(&other).await, "page_cursor");
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

#[tokio::test]
async fn the_same_seed_makes_the_same_records() {
    let ids = |seed| async move {
        let caller = Caller::with(Sandbox::builder().executions(20).seed(seed)).await;
        let page = caller.ok(&caller.executions()).await;
        values(&page, "id").iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };

    assert_eq!(ids(5).await, ids(5).await);
    assert_ne!(ids(5).await, ids(6).await);
}
