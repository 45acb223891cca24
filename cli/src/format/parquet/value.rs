//! From the text of a cell to the value that Parquet stores.

/// The digits of a decimal number: the most that Parquet's readers support.
pub(super) const PRECISION: i32 = 38;
pub(super) const MOST_DIGITS: u32 = PRECISION.unsigned_abs();

/// A decimal text as a number with this many digits after the point. `None` if it isn't one.
pub(super) fn decimal(text: &str, scale: u32) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let missing = scale.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let number = digits.parse::<i128>().ok()?.checked_mul(10_i128.checked_pow(missing)?)?;
    let fits = number < 10_i128.pow(PRECISION.unsigned_abs());
    fits.then_some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn a_decimal_is_exact_or_none() {
        for (text, scale, expected) in [
            ("0", 0, Some(0)),
            ("25", 2, Some(2_500)),
            ("100.00", 1, Some(1_000)),
            ("-0.016663334", 9, Some(-16_663_334)),
            ("0.016663334", 8, None),
            ("99999999999999999999999999999999999999", 0, Some(10_i128.pow(38) - 1)),
            ("100000000000000000000000000000000000000", 0, None),
            ("9999999999999999999999", 18, None),
            ("1e5", 18, None),
            (".5", 18, None),
            ("", 18, None),
            ("-", 18, None),
            ("--1", 18, None),
        ] {
            assert_eq!(decimal(text, scale), expected, "{text} at {scale}");
        }
    }
}
