//! Generates prices and amounts, with integer arithmetic. The decimal strings can have trailing
//! zeros.

use oas_client::sandbox::Random;

use crate::types::Decimal;

/// The maximum number of digits after the decimal point in an untruncated product. Common decimal
/// types can store this many digits.
const MOST_DIGITS: u32 = 20;

/// A decimal number: `units` divided by 10 to the power of `scale`.
#[derive(Clone, Copy)]
struct Number {
    units: u128,
    scale: u32,
}

/// Generates a price, a base amount and a quote amount. The quote amount is the product of the
/// other two numbers, often truncated to fewer digits.
pub(super) fn amounts(base_asset: &str, random: &mut Random) -> [Decimal; 3] {
    let price = price(base_asset, random);
    let base = match random.below(8) {
        0 => Number { units: u128::from(1 + random.below(500)), scale: 0 },
        1 => Number { units: u128::from(100 * (1 + random.below(500))), scale: 2 },
        _ => worth(u128::from(1_000 + random.below(10_000_000)), price, random),
    };
    let product =
        Number { units: price.units.saturating_mul(base.units), scale: price.scale + base.scale };
    let cents = product.cut(2);
    let quote = match random.below(4) {
        0 | 1 if cents.units > 0 => cents,
        2 => product.at_most(8),
        _ if product.scale <= MOST_DIGITS => product,
        _ => product.at_most(18),
    };
    [price, base, quote].map(Number::text)
}

/// Generates a price within 20% of the asset's typical price.
fn price(base_asset: &str, random: &mut Random) -> Number {
    let (units, scale): (u64, u32) = match base_asset {
        "BTC" => (6_400_000, 2),
        "ETH" => (310_000, 2),
        "PAXG" => (330_000, 2),
        "BCH" => (45_000, 2),
        "AAVE" => (25_000, 2),
        "QNT" | "LTC" => (9_000, 2),
        "USDP" => (1_000_000, 6),
        "BONK" => (250_000, 10),
        "PEPE" | "SHIB" => (120_000, 10),
        _ => (15_000_000, 7),
    };
    Number { units: u128::from(units - units / 5 + random.below(units / 5 * 2)), scale }
}

/// Returns the amount that costs this many cents at this price, with a random number of digits
/// after the decimal point.
fn worth(cents: u128, price: Number, random: &mut Random) -> Number {
    let scale = *random.pick(&[4, 8, 8, 8, 8, 9, 18, 18]);
    let units = cents * 10_u128.pow(scale + price.scale) / (100 * price.units);
    Number { units: units.max(1), scale }
}

impl Number {
    /// Truncates the number to this many digits after the decimal point.
    fn cut(self, scale: u32) -> Self {
        let scale = scale.min(self.scale);
        Self { units: self.units / 10_u128.pow(self.scale - scale), scale }
    }

    /// Like `cut`, but returns the original number if the result would be zero.
    fn at_most(self, scale: u32) -> Self {
        let cut = self.cut(scale);
        if cut.units == 0 { self } else { cut }
    }

    fn text(self) -> Decimal {
        let scale = usize::try_from(self.scale).unwrap_or_default();
        let mut text = format!("{:0>width$}", self.units, width = scale + 1);
        if scale > 0 {
            text.insert(text.len() - scale, '.');
        }
        Decimal::from(text)
    }
}
