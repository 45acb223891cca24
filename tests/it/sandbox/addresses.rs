use digital_assets::sandbox::Sandbox;

use super::caller::{Caller, items, values};

const MONITORING: &str = "/v2/rewards/monitor/address";
const DEPOSIT: &str = "/v2/transfer/deposit-addresses";

// Sections 4.2, 4.3 and 8 of the specification: the default is 100, and the maximum is 1000.
#[tokio::test]
async fn a_page_has_a_hundred_records_by_default_and_no_more_than_its_maximum() {
    let sandbox = Sandbox::builder().monitoring_addresses(1_200).deposit_addresses(1_200);
    let caller = Caller::with(sandbox.executions(10_010)).await;
    let executions = caller.executions();
    for (path, large, most) in [
        (MONITORING, "1000", 1_000),
        (DEPOSIT, "1000", 1_000),
        // Section 4.1 of the specification states neither a default nor a maximum. These numbers
        // are the sandbox's own choice.
        (&executions, "2147483647", 10_000),
    ] {
        for (query, count) in [("", 100), ("?limit=1", 1), (&format!("?limit={large}"), most)] {
            let page = caller.ok(&format!("{path}{query}")).await;
            assert_eq!(items(&page).len(), count, "{path}{query}");
            assert!(page["next_page_cursor"].is_string(), "{path}{query}");
        }
    }
    for path in [MONITORING, DEPOSIT] {
        assert_eq!(caller.refused(&format!("{path}?limit=1001")).await, "limit");
        assert_eq!(caller.refused(&format!("{path}?limit=0")).await, "limit");
    }
}

// Section 4.1 of the specification forbids `limit` together with a cursor, but only for quote
// executions.
#[tokio::test]
async fn a_limit_beside_a_cursor_sets_the_size_of_that_page() {
    let caller = Caller::start().await;
    for path in [MONITORING, DEPOSIT] {
        let page = caller.ok(&format!("{path}?limit=7")).await;
        let cursor = page["next_page_cursor"].as_str().unwrap();

        let same = caller.ok(&format!("{path}?page_cursor={cursor}")).await;
        let other = caller.ok(&format!("{path}?page_cursor={cursor}&limit=3")).await;

        assert_eq!(items(&same).len(), 7);
        assert_eq!(items(&other), &items(&same)[..3]);
    }
}

// Section 2.6 of the specification: this listing has only four networks. Section 2.2: the name is
// optional.
#[tokio::test]
async fn monitored_addresses_are_on_the_four_networks() {
    let caller = Caller::start().await;
    let page = caller.ok(&format!("{MONITORING}?limit=1000")).await;

    let mut networks = values(&page, "crypto_network");
    networks.sort_unstable();
    networks.dedup();
    assert_eq!(networks, ["ETHEREUM", "INK", "SOLANA", "XLAYER"]);
    let named = items(&page).iter().filter(|item| item.get("name").is_some()).count();
    assert!(named > 0 && named < items(&page).len());
    for item in items(&page) {
        let (network, address) = (&item["crypto_network"], item["address"].as_str().unwrap());
        assert_eq!(network != "SOLANA", address.starts_with("0x") && address.len() == 42);
    }
}

// Section 4.2 of the specification: the address must be valid for the given network.
#[tokio::test]
async fn an_address_that_is_not_valid_for_its_network_is_refused() {
    let caller = Caller::start().await;
    for (network, address) in [
        ("SOLANA", "0x52908400098527886E0F7030069857D2E4169EE7"),
        ("ETHEREUM", "4Nd1mYvXhT9pQeRsJ7wKcZbUaGfLxD2Ek8Hn5MtVoPq3"),
        ("INK", "0x5290"),
    ] {
        let path = format!("{MONITORING}?crypto_network={network}&address={address}");
        assert_eq!(caller.refused(&path).await, "address", "{network}");
    }
    let valid = "crypto_network=ETHEREUM&address=0x52908400098527886E0F7030069857D2E4169EE7";
    assert!(items(&caller.ok(&format!("{MONITORING}?{valid}")).await).is_empty());
    assert_eq!(caller.refused(&format!("{MONITORING}?order_by=CREATED_AT")).await, "order_by");
}

// Section 2.6 of the specification: no network's name contains a comma.
#[tokio::test]
async fn networks_joined_with_commas_are_rejected() {
    let caller = Caller::start().await;
    for joined in ["SOLANA,BASE", "SOLANA%2CBASE", "SOLANA%2C+BASE", "SOLANA,"] {
        for (path, parameter) in [(DEPOSIT, "networks"), (MONITORING, "crypto_network")] {
            let path = format!("{path}?{parameter}={joined}");
            assert_eq!(caller.refused(&path).await, parameter, "{joined}");
        }
        let second = format!("{DEPOSIT}?networks=INK&networks={joined}");
        assert_eq!(caller.refused(&second).await, "networks", "{joined}");
    }
    assert!(items(&caller.ok(&format!("{DEPOSIT}?ref_ids=a,b")).await).is_empty());
}

// Sections 4.3 and 8 of the specification: an array has at most 100 entries.
#[tokio::test]
async fn an_array_has_a_hundred_entries_at_most() {
    let caller = Caller::start().await;
    let id = "00000000-0000-0000-0000-000000000000";
    for parameter in ["profile_ids", "identity_ids", "account_ids", "ids", "ref_ids", "networks"] {
        let entries = |count| format!("{DEPOSIT}?{}", format!("&{parameter}={id}").repeat(count));

        assert!(items(&caller.ok(&entries(100)).await).is_empty(), "{parameter}");
        assert_eq!(caller.refused(&entries(101)).await, parameter);
    }
    assert_eq!(caller.refused(&format!("{DEPOSIT}?ids=customer-42")).await, "ids");
}

#[tokio::test]
async fn unset_fields_are_absent() {
    let caller = Caller::start().await;
    let all = caller.walk(DEPOSIT, "", 1000).await;
    for field in [
        "profile_id",
        "identity_id",
        "customer_id",
        "ref_id",
        "conversion_target_asset",
        "compatible_crypto_networks",
        "metadata",
    ] {
        let with = all.iter().filter(|item| item.get(field).is_some()).count();
        assert!(with > 0 && with < all.len(), "{field}");
    }
}
