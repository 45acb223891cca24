use chrono::{DateTime, Utc};
use digital_assets::sandbox::Sandbox;
use serde_json::Value;

use super::caller::{Caller, items, values};

// Section 2.1 of the specification.
#[tokio::test]
async fn a_record_has_the_fields_of_the_specification() {
    let caller = Caller::start().await;
    let page = caller.ok(&format!("{}?limit=1000", caller.executions())).await;

    for item in items(&page) {
        let text = |name: &str| item[name].as_str().unwrap_or_else(|| panic!("{name}: {item}"));
        assert_eq!(text("profile_id"), caller.sandbox.profile_id().to_string());
        assert_eq!(text("market"), text("base_asset").to_owned() + text("quote_asset"));
        assert_eq!(text("status") == "SETTLED", item.get("settled_at").is_some(), "{item}");
        assert!(text("created_at").ends_with('Z'));
    }
    let some = |test: &dyn Fn(&Value) -> bool| items(&page).iter().any(test);
    assert!(some(&|item| item.get("metadata").is_none()));
    assert!(some(&|item| item["metadata"]["desk"].is_object()));
    assert!(some(&|item| !item["base_amount"].as_str().unwrap().contains('.')));
    assert!(some(&|item| item["base_amount"].as_str().unwrap().ends_with(".00")));
    let digits = |item: &Value| {
        item["quote_amount"].as_str().unwrap().split_once('.').map_or(0, |(_, digits)| digits.len())
    };
    assert!(some(&|item| digits(item) >= 19));
}

// Section 4.1 of the specification: `limit` must not be used together with `page_cursor`.
#[tokio::test]
async fn a_limit_beside_a_cursor_is_refused() {
    let caller = Caller::start().await;
    let path = caller.executions();
    let page = caller.ok(&format!("{path}?limit=7")).await;
    let cursor = page["next_page_cursor"].as_str().unwrap();

    assert_eq!(caller.refused(&format!("{path}?limit=7&page_cursor={cursor}")).await, "limit");
    let next = caller.ok(&format!("{path}?page_cursor={cursor}")).await;
    assert_eq!(items(&next).len(), 7);
}

// Section 4.1 of the specification states the types of the parameters. Rejecting unknown parameters
// is the sandbox's own choice.
#[tokio::test]
async fn what_the_specification_does_not_have_is_refused() {
    let caller = Caller::start().await;
    let path = caller.executions();
    for (query, parameter) in [
        ("limit=0", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=2147483648", "limit"),
        ("limit=1&limit=2", "limit"),
        ("created_at.begin=yesterday", "created_at.begin"),
        ("created_at.begin=2025-01-01", "created_at.begin"),
        // A `+` that isn't percent-encoded is a space.
        ("created_at.end=2025-01-01T00:00:00+00:00", "created_at.end"),
        ("order=desc", "order"),
        ("order_by=ID", "order_by"),
        ("page_cursor=", "page_cursor"),
        ("page_cursor=nonsense", "page_cursor"),
        ("markets=BTCUSD", "markets"),
        ("offset=10", "offset"),
        ("created_at_begin=2025-01-01T00:00:00Z", "created_at_begin"),
    ] {
        assert_eq!(caller.refused(&format!("{path}?{query}")).await, parameter, "{query}");
    }
}

// Section 4.1 of the specification: times follow RFC 3339, which allows every offset (RFC 3339,
// section 5.6).
#[tokio::test]
async fn a_time_has_any_offset_of_rfc_3339() {
    let caller = Caller::start().await;
    let path = caller.executions();
    let in_utc = caller.ok(&format!("{path}?limit=3&created_at.end=2025-06-01T00:00:00Z")).await;
    for time in [
        "2025-06-01T00:00:00z",
        "2025-06-01t00:00:00Z",
        "2025-06-01T00:00:00%2B00:00",
        "2025-06-01T00:00:00-00:00",
        "2025-06-01T02:00:00%2B02:00",
        "2025-06-01T05:45:00.000%2B05:45",
        "2025-06-01T14:00:00.000000000%2B14:00",
        "2025-05-31T12:00:00-12:00",
        "2025-06-01T23:59:00%2B23:59",
        "2025-05-31T00:01:00-23:59",
    ] {
        let page = caller.ok(&format!("{path}?limit=3&created_at.end={time}")).await;
        assert_eq!(items(&page), items(&in_utc), "{time}");
    }
    for time in [
        "2025-06-01T00:00:00%2B0000",
        "2025-06-01T00:00:00%2B00",
        "2025-06-01T00:00:00%2B24:00",
        "2025-06-01T00:00:00%2B02:60",
        "2025-06-01T00:00:00",
        "2025-06-01T00:00Z",
        "2025-06-01+00:00:00Z",
    ] {
        let refused = caller.refused(&format!("{path}?created_at.end={time}")).await;
        assert_eq!(refused, "created_at.end", "{time}");
    }
}

// This is the sandbox's own choice. Services add values over time, so an unknown value is one that
// no record has yet.
#[tokio::test]
async fn an_unknown_value_in_a_filter_finds_nothing() {
    let caller = Caller::start().await;
    for query in ["market=NEWUSD", "side=HOLD", "status=FAILED"] {
        let page = caller.ok(&format!("{}?{query}", caller.executions())).await;
        assert_eq!(page["total_count"], 0, "{query}");
        assert!(page.get("next_page_cursor").is_none(), "{query}");
    }
    let page = caller.ok("/v2/rewards/monitor/address?crypto_network=BITCOIN").await;
    assert!(items(&page).is_empty());
}

// This is the sandbox's own choice.
#[tokio::test]
async fn a_profile_without_executions_is_empty_and_an_unknown_one_is_not_found() {
    let caller = Caller::start().await;
    let own = caller.sandbox.profile_id();
    let other =
        caller.sandbox.deposit_addresses().find_map(|a| a.profile_id.filter(|id| *id != own));

    let path = format!("/v2/profiles/{}/quote-executions", other.unwrap());
    assert_eq!(caller.ok(&path).await["total_count"], 0);
    for unknown in ["7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a11", "me", "a%2Fb"] {
        let path = format!("/v2/profiles/{unknown}/quote-executions");
        assert_eq!(caller.get(&path).await.0, 404, "{unknown}");
    }
}

// This is the sandbox's own choice: amounts have as many digits as real services send, and fit
// every decimal type.
#[tokio::test]
async fn amounts_are_read_exactly_by_a_decimal_type_of_28_digits() {
    let caller = Caller::start().await;
    let page = caller.ok(&format!("{}?limit=5000", caller.executions())).await;

    let mut digits = std::collections::BTreeSet::new();
    for name in ["price", "base_amount", "quote_amount"] {
        for amount in values(&page, name) {
            let exact = rust_decimal::Decimal::from_str_exact(amount).unwrap();
            assert!(exact > rust_decimal::Decimal::ZERO, "{name}");
            assert_eq!(exact.to_string(), amount, "{name}");
            digits.insert(amount.split_once('.').map_or(0, |(_, digits)| digits.len()));
        }
    }
    assert!(digits.contains(&8) && digits.contains(&18), "{digits:?}");
}

#[tokio::test]
async fn executions_are_spread_over_as_many_profiles_as_asked_for() {
    for count in [1, 3, 60] {
        let caller = Caller::with(Sandbox::builder().executions(900).profiles(count)).await;
        let profiles = caller.sandbox.profile_ids();
        assert_eq!((profiles.len() as u64, profiles[0]), (count, caller.sandbox.profile_id()));

        let mut total = 0;
        for profile in profiles {
            let path = format!("/v2/profiles/{profile}/quote-executions");
            let found = caller.walk(&path, "", 100).await;
            assert!(found.iter().all(|item| item["profile_id"] == profile.to_string()));
            assert!(!found.is_empty(), "{count}");
            total += found.len();
        }
        assert_eq!(total, 900, "{count}");
    }
}

#[test]
fn the_same_seed_makes_the_same_newest_records_however_many_there_are() {
    let newest = |seed, count| {
        let sandbox = Sandbox::builder().seed(seed).executions(count).monitoring_addresses(count);
        let sandbox = sandbox.deposit_addresses(count).build();
        (
            sandbox.executions().take(100).collect::<Vec<_>>(),
            sandbox.monitoring_addresses().take(100).collect::<Vec<_>>(),
            sandbox.deposit_addresses().take(100).collect::<Vec<_>>(),
        )
    };
    let many = newest(5, 7_000);
    assert_ne!(many, newest(6, 7_000));
    for count in [1, 10, 100, 777] {
        let few = newest(5, count);

        assert_eq!(few.0, many.0[..few.0.len()], "{count}");
        assert_eq!(few.1, many.1[..few.1.len()], "{count}");
        assert_eq!(few.2, many.2[..few.2.len()], "{count}");
    }
}

#[test]
fn all_records_are_older_than_now_until_others_are_added() {
    let now: DateTime<Utc> = "2031-05-01T00:00:00Z".parse().unwrap();
    let sandbox = Sandbox::builder().now(now).build();
    let newest = || sandbox.executions().next().unwrap().created_at;

    assert!(newest() < now && newest() > now - chrono::TimeDelta::hours(2));
    sandbox.add_executions(1);
    assert!(newest() > now);
}
