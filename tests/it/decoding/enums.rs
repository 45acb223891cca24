//! Tests of enums, which accept any string.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    fmt::{Debug, Display},
    hash::Hash,
    str::FromStr,
};

use digital_assets::{Error, types};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::{deposit, execution};
use crate::{
    cases,
    specification::{DEPOSIT_ADDRESS, MARKETS, NETWORKS, QUOTE_EXECUTION, with},
};

#[tokio::test]
async fn an_unknown_value_of_an_enum_is_kept() -> Result<(), Error> {
    let record = with(QUOTE_EXECUTION, "market", r#""BTCGBP""#);
    let record = with(&with(&record, "side", r#""SHORT""#), "status", r#""CANCELLED""#);
    let record = execution(&record).await?;

    let texts = [record.market.as_str(), record.side.as_str(), record.status.as_str()];
    assert_eq!(texts, ["BTCGBP", "SHORT", "CANCELLED"]);
    assert!(!record.market.is_known() && !record.side.is_known() && !record.status.is_known());

    let record = with(DEPOSIT_ADDRESS, "compatible_crypto_networks", r#"["BASE","TRON",""]"#);
    let record = deposit(&with(&record, "crypto_network", r#""TRON""#)).await?;

    assert_eq!(record.crypto_network.to_string(), "TRON");
    let networks = record.compatible_crypto_networks.iter().map(types::CryptoNetwork::as_str);
    assert_eq!(networks.collect::<Vec<_>>(), ["BASE", "TRON", ""]);
    Ok(())
}

fn texts(list: &str) -> Vec<&str> {
    list.split(", ").collect()
}

// Sections 2.1, 2.5, 2.6, 4.1 and 4.3 of the specification.
#[test]
fn the_known_values_are_those_of_the_specification_in_its_order() {
    use types::{CryptoNetwork, Market, Order, OrderBy, QuoteExecutionStatus, Side};

    let known = |values: &mut dyn Iterator<Item = &'static str>| values.collect::<Vec<_>>();

    assert_eq!(known(&mut Market::KNOWN.iter().map(Market::as_str)), texts(MARKETS));
    assert_eq!(known(&mut CryptoNetwork::KNOWN.iter().map(CryptoNetwork::as_str)), texts(NETWORKS));
    assert_eq!(known(&mut Side::KNOWN.iter().map(Side::as_str)), ["BUY", "SELL"]);
    assert_eq!(known(&mut Order::KNOWN.iter().map(Order::as_str)), ["DESC", "ASC"]);
    assert_eq!(known(&mut OrderBy::KNOWN.iter().map(OrderBy::as_str)), ["CREATED_AT"]);
    let statuses = known(&mut QuoteExecutionStatus::KNOWN.iter().map(QuoteExecutionStatus::as_str));
    assert_eq!(statuses, ["CREATED", "SETTLED"]);
}

/// Asserts that every way of parsing `text` gives the same value, and that every way of printing
/// this value gives `text`.
fn assert_open<T>(text: &str, known: &[T], as_str: fn(&T) -> &str, is_known: fn(&T) -> bool)
where
    T: FromStr<Err = Infallible> + From<String> + for<'a> From<&'a str>,
    T: Serialize + DeserializeOwned + Display + Debug + Clone + Ord + Hash,
    T: PartialEq<str> + for<'a> PartialEq<&'a str>,
{
    let value = T::from(text);

    let Ok(parsed) = text.parse::<T>();
    let json = serde_json::to_string(&value).expect("JSON");
    assert_eq!(json, serde_json::to_string(text).expect("JSON"));
    let borrowed: T = serde_json::from_str(&json).expect("a string");
    let owned: T = serde_json::from_value(text.into()).expect("a string");
    let ways_in = BTreeSet::from([T::from(text.to_owned()), parsed, borrowed, owned]);

    assert_eq!(ways_in, BTreeSet::from([value.clone()]));
    assert_eq!((as_str(&value), &*value.to_string()), (text, text));
    assert!(value == *text && value == text && value != "another");
    let is_listed = known.iter().any(|value| as_str(value) == text);
    assert_eq!(is_known(&value), is_listed, "{value:?}");
    assert_eq!(known.contains(&value), is_listed, "{value:?}");
}

fn assert_all_open(text: &str) {
    use types::{CryptoNetwork, Market, Order, OrderBy, QuoteExecutionStatus as Status, Side};

    assert_open(text, Market::KNOWN, Market::as_str, Market::is_known);
    assert_open(text, CryptoNetwork::KNOWN, CryptoNetwork::as_str, CryptoNetwork::is_known);
    assert_open(text, Side::KNOWN, Side::as_str, Side::is_known);
    assert_open(text, Status::KNOWN, Status::as_str, Status::is_known);
    assert_open(text, Order::KNOWN, Order::as_str, Order::is_known);
    assert_open(text, OrderBy::KNOWN, OrderBy::as_str, OrderBy::is_known);
}

#[test]
fn known_values_go_round() {
    let lists = [MARKETS, NETWORKS, "BUY, SELL, CREATED, SETTLED, DESC, ASC, CREATED_AT"];

    for text in lists.into_iter().flat_map(texts) {
        assert_all_open(text);
        assert_all_open(&text.to_lowercase());
        assert_all_open(&format!(" {text}"));
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_value_of_an_enum_goes_round(text in any::<String>()) {
        assert_all_open(&text);
    }
}
