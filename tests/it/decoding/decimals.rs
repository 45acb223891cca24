//! Tests of decimals, which keep the service's string and convert exactly to and from the types of
//! the decimal crates.

use std::str::FromStr;

use bigdecimal::BigDecimal;
use digital_assets::{Error, types::Decimal};
use proptest::prelude::*;
use rust_decimal::Decimal as RustDecimal;

use super::execution;
use crate::{
    cases,
    specification::{QUOTE_EXECUTION, with},
};

// Section 2.1 of the specification: a decimal number is a string.
#[tokio::test]
async fn decimals_are_kept_byte_for_byte() -> Result<(), Error> {
    for text in ["25", "100.00", "0.016663334", "0.1234567890123456789012345678901", "-0", "1E-7"] {
        let record = with(QUOTE_EXECUTION, "price", &format!("{text:?}"));
        let price = execution(&record).await?.price;
        assert_eq!(price, text);
        assert!(price == *text && price != "26" && price != *"26");
    }
    Ok(())
}

#[tokio::test]
async fn an_amount_parses_into_any_type() -> Result<(), Error> {
    let record = execution(QUOTE_EXECUTION).await?;

    assert_eq!(record.price.parse::<RustDecimal>(), Ok(RustDecimal::new(6_425_010, 2)));
    assert_eq!(record.price.parse::<BigDecimal>(), Ok(BigDecimal::new(6_425_010.into(), 2)));
    assert_eq!(record.price.parse::<f64>(), Ok(64_250.1));
    assert!(record.price.parse::<u64>().is_err());
    Ok(())
}

#[test]
fn a_text_with_underscores_is_no_number() {
    for text in ["1_000.5", "_1", "1_", "1._5", "1e1_0", "1_000"] {
        let decimal = Decimal::from(text);

        assert!(RustDecimal::try_from(&decimal).is_err(), "{text}");
        assert!(BigDecimal::try_from(&decimal).is_err(), "{text}");
        let one = std::slice::from_ref(&decimal);
        assert!(one.iter().sum::<Result<RustDecimal, _>>().is_err(), "{text}");
        assert!(one.iter().sum::<Result<BigDecimal, _>>().is_err(), "{text}");
    }
}

#[test]
fn a_sum_is_exact_or_an_error() {
    let summed = |texts: &[&str]| {
        let amounts: Vec<_> = texts.iter().map(|text| Decimal::from(*text)).collect();
        let few = amounts.iter().sum::<Result<RustDecimal, _>>().ok();
        let many = amounts.iter().sum::<Result<BigDecimal, _>>().ok();
        [few.map(|it| it.to_string()), many.map(|it| it.to_plain_string())]
    };
    let most = "79228162514264337593543950335";
    for (texts, few, many) in [
        (&[][..], Some("0"), Some("0")),
        (&["0.10", "0.2", "-0.05"], Some("0.25"), Some("0.25")),
        (&["100.00", "25"], Some("125.00"), Some("125.00")),
        // `checked_add` would round these sums.
        (
            &["7922816251426433759354395.1234", "0.00001"],
            None,
            Some("7922816251426433759354395.12341"),
        ),
        (&[most, "0.5"], None, Some("79228162514264337593543950335.5")),
        (&[most, "1"], None, Some("79228162514264337593543950336")),
        (&[most, "0.0000000000000000000000000000"], Some(most), None),
        (
            &["5000000000000000000000000000.5", "5000000000000000000000000000.5"],
            Some("10000000000000000000000000001"),
            None,
        ),
        (&["1", "twelve"], None, None),
        (&["1", "1e99999999999"], None, None),
        (&["1", "1e999999999"], None, None),
    ] {
        let [sum, exact] = summed(texts);
        assert_eq!(sum.as_deref(), few, "{texts:?}");
        if let Some(many) = many {
            assert_eq!(exact.as_deref(), Some(many), "{texts:?}");
        }
        assert_eq!(
            exact.is_some(),
            !texts.iter().any(|text| text.contains(['e', 'w'])),
            "{texts:?}"
        );
    }
}

proptest! {
    #[test]
    fn a_sum_of_any_amounts_is_the_same_with_either_crate_or_an_error(
        amounts in prop::collection::vec("-?[0-9]{1,14}(\\.[0-9]{1,14})?", 0..8),
    ) {
        let amounts: Vec<_> = amounts.iter().map(|text| Decimal::from(text.as_str())).collect();
        let exact = amounts.iter().sum::<Result<BigDecimal, _>>().unwrap();
        if let Ok(sum) = amounts.iter().sum::<Result<RustDecimal, _>>() {
            prop_assert_eq!(BigDecimal::from_str(&sum.to_string()).unwrap(), exact);
        }
    }
}

#[test]
fn a_number_that_rust_decimal_cannot_hold_is_refused_and_not_rounded() {
    let one_digit_too_many = "0.12345678901234567890123456789";
    let parsed: RustDecimal = Decimal::from(one_digit_too_many).parse().expect("a rounded number");
    assert_eq!(parsed.to_string(), "0.1234567890123456789012345679");

    for text in [
        one_digit_too_many,
        "0.12345678901234567890123456789e0",
        "79228162514264337593543950336",
        "1e-29",
        "1e29",
        "1e99999999999",
        "1e",
        "",
        "NaN",
        "12,5",
    ] {
        assert!(RustDecimal::try_from(&Decimal::from(text)).is_err(), "{text}");
    }
}

#[test]
fn an_exponent_is_heeded() {
    for (text, plain) in
        [("1E-7", "0.0000001"), ("1.50e3", "1500"), ("-2.5e+1", "-25"), ("7e0", "7")]
    {
        let decimal = Decimal::from(text);
        let rust_decimal = RustDecimal::try_from(&decimal).expect(text);
        assert_eq!(RustDecimal::try_from(decimal.clone()), Ok(rust_decimal));
        assert_eq!(rust_decimal, RustDecimal::from_str_exact(plain).expect(plain));
        let bigdecimal = BigDecimal::try_from(&decimal).expect(text);
        assert_eq!(BigDecimal::try_from(decimal.clone()).ok().as_ref(), Some(&bigdecimal));
        assert_eq!(bigdecimal, BigDecimal::from_str(plain).expect(plain));
    }
}

#[test]
fn a_bigdecimal_is_written_without_an_exponent_unless_that_takes_a_thousand_zeros() {
    let written = |digits: i64, scale| Decimal::from(BigDecimal::new(digits.into(), scale));

    assert_eq!(written(1, 18), "0.000000000000000001");
    assert_eq!(written(-15, -3), "-15000");
    assert_eq!(written(0, 2), "0.00");
    assert_eq!(written(1, -1_000).as_str().len(), 1_001);
    for scale in [i64::MAX, i64::from(i32::MAX), 1_001, -1_001, -i64::from(i32::MAX)] {
        let decimal = written(25, scale);
        assert!(decimal.as_str().len() < 30, "{decimal}");
        assert_eq!(decimal.parse(), Ok(BigDecimal::new(25.into(), scale)), "{decimal}");
    }
}

/// Decimal numbers as services write them, some with more digits than a `rust_decimal::Decimal` can
/// hold.
fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,40})?"
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_text_is_kept(text in prop_oneof![number(), any::<String>()]) {
        let json = serde_json::to_string(&text).expect("JSON");

        let decimal: Decimal = serde_json::from_str(&json).expect("a string");

        prop_assert_eq!(decimal.as_str(), &text);
        prop_assert!(decimal == *text && decimal == text.as_str());
        prop_assert_eq!(<Decimal as AsRef<str>>::as_ref(&decimal), &text);
        prop_assert_eq!(&decimal, &Decimal::from_str(&text).expect("infallible"));
        prop_assert_eq!(serde_json::to_string(&decimal).expect("JSON"), json);
        prop_assert_eq!(decimal.to_string(), text.as_str());
        prop_assert_eq!(String::from(decimal), text);
    }

    #[test]
    fn any_number_goes_through_bigdecimal_unchanged(text in number()) {
        let decimal = Decimal::from(text.as_str());

        let number = BigDecimal::try_from(&decimal).expect("a number");

        // `BigDecimal` has no negative zero.
        let is_zero = text.trim_start_matches('-').chars().all(|c| "0.".contains(c));
        let same = if is_zero { text.trim_start_matches('-') } else { &text };
        prop_assert_eq!(&Decimal::from(&number), &same);
        prop_assert_eq!(Decimal::from(number), same);
    }

    #[test]
    fn what_rust_decimal_takes_it_takes_exactly(text in number(), exponent in -30..30) {
        for text in [text.clone(), format!("{text}e{exponent}")] {
            let decimal = Decimal::from(text.as_str());
            let exact = BigDecimal::try_from(&decimal).expect("a number");

            let Ok(number) = RustDecimal::try_from(&decimal) else { continue };

            let again = Decimal::from(&number);
            prop_assert_eq!(&again, &Decimal::from(number));
            prop_assert_eq!(BigDecimal::try_from(&again).expect("a number"), exact);
            prop_assert_eq!(RustDecimal::try_from(&again), Ok(number));
        }
    }

    #[test]
    fn any_number_of_rust_decimal_is_written_with_every_digit(
        (mantissa, scale) in (-79_228_162_514_264_337_593_543_950_335_i128..=79_228_162_514_264_337_593_543_950_335, 0..=28_u32),
    ) {
        let number = RustDecimal::from_i128_with_scale(mantissa, scale);

        let decimal = Decimal::from(number);

        let again = RustDecimal::try_from(&decimal).expect("its own number");
        prop_assert_eq!((again.mantissa(), again.scale()), (mantissa, scale));
    }
}
