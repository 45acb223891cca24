//! Generates and filters quote executions (section 4.1 of the service's specification).

use chrono::{DateTime, TimeDelta, Utc};
use oas_client::sandbox::{
    Collection, Compared, Data, Field, Listed, Parameters, Rejection, Topic, not_found, uuid,
};
use serde::Serialize;
use serde_json::Map;
use uuid::Uuid;

use super::{
    amount::amounts,
    metadata::metadata,
    records::{EXECUTION, EXECUTION_ID, EXECUTION_KEY, PROFILE, Records, has_profile},
};
use crate::types::{
    Decimal, Market, QuoteExecution, QuoteExecutionPage, QuoteExecutionStatus, Side,
};

impl Listed for QuoteExecution {
    type Data = Records;

    const ID: Topic = EXECUTION_ID;
    const FILTERS: &'static [Compared<Self>] = &[
        ("profile_id", |it| Field::Id(Some(it.profile_id))),
        ("side", |it| Field::Text(Some(it.side.as_str()))),
        ("market", |it| Field::Text(Some(it.market.as_str()))),
        ("status", |it| Field::Text(Some(it.status.as_str()))),
    ];
    const COUNTED: bool = true;

    fn collection(records: &Records) -> &Collection<Self> {
        &records.executions
    }

    fn outline(records: &Records, number: u64) -> Self {
        let mut random = records.random(EXECUTION_KEY, number);
        let (market, side) = (random.pick(Market::KNOWN), random.pick(Side::KNOWN));
        let is_created = random.one_in(8);
        let unset = Decimal::from("");
        Self {
            id: Uuid::nil(),
            profile_id: records.id(PROFILE, random.below(records.profiles)),
            quote_id: Uuid::nil(),
            status: if is_created {
                QuoteExecutionStatus::Created
            } else {
                QuoteExecutionStatus::Settled
            },
            market: market.clone(),
            side: side.clone(),
            price: unset.clone(),
            base_amount: unset.clone(),
            base_asset: String::new(),
            quote_amount: unset,
            quote_asset: String::new(),
            created_at: DateTime::UNIX_EPOCH,
            settled_at: None,
            metadata: Map::new(),
        }
    }

    fn finish(self, records: &Records, number: u64, created_at: DateTime<Utc>) -> Self {
        let mut random = records.random(EXECUTION, number);
        let market = self.market.as_str();
        // Every quote asset has three letters: EUR, SGD or USD (section 2.5 of the specification).
        let (base, quote) =
            market.split_at_checked(market.len().saturating_sub(3)).unwrap_or((market, ""));
        let [price, base_amount, quote_amount] = amounts(base, &mut random);
        let settling =
            TimeDelta::milliseconds(i64::try_from(random.below(90_000)).unwrap_or_default());
        let is_settled = self.status == QuoteExecutionStatus::Settled;
        Self {
            id: records.id(Self::ID, number),
            quote_id: random.uuid(),
            price,
            base_amount,
            base_asset: base.to_owned(),
            quote_amount,
            quote_asset: quote.to_owned(),
            created_at,
            settled_at: is_settled.then(|| created_at.checked_add_signed(settling)).flatten(),
            metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
            ..self
        }
    }

    fn key(&self) -> (Uuid, DateTime<Utc>) {
        (self.id, self.created_at)
    }

    fn with_unknown_value(self) -> Self {
        Self { market: Market::from("NEWCOINUSD"), base_asset: "NEWCOIN".to_owned(), ..self }
    }

    fn page(items: Vec<Self>, next: Option<String>, total: u32) -> impl Serialize {
        let total_count = Some(i32::try_from(total).unwrap_or(i32::MAX));
        QuoteExecutionPage { total_count, items, next_page_cursor: next }
    }

    /// Returns a 404 rejection if the request's profile is neither a profile of the sandbox nor the
    /// profile of an inserted execution.
    fn check(records: &Records, parameters: &Parameters) -> Result<(), Rejection> {
        let is_known = |id: &Uuid| {
            has_profile(records, *id) || records.executions.any_inserted(|it| it.profile_id == *id)
        };
        let profile = parameters.get("profile_id").and_then(uuid).filter(is_known);
        profile.map(drop).ok_or_else(|| not_found("profile"))
    }
}
