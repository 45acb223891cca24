//! Quote executions: section 4.1 of the specification.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::Map;
use uuid::Uuid;

use super::{
    amount::amounts,
    collection::Collection,
    data::Listed,
    listing::{Compared, Field},
    metadata::metadata,
    parameters::{Parameters, not_found, uuid},
    problem::Rejection,
    random::Topic,
    service::Service,
};
use crate::types::{
    Decimal, Market, QuoteExecution, QuoteExecutionPage, QuoteExecutionStatus, Side,
};

impl Listed for QuoteExecution {
    const ID: Topic = Topic::ExecutionId;
    const FILTERS: &'static [Compared<Self>] = &[
        ("profile_id", |it| Field::Id(Some(it.profile_id))),
        ("side", |it| Field::Text(Some(it.side.as_str()))),
        ("market", |it| Field::Text(Some(it.market.as_str()))),
        ("status", |it| Field::Text(Some(it.status.as_str()))),
    ];
    const COUNTED: bool = true;

    fn collection(service: &Service) -> &Collection<Self> {
        &service.executions
    }

    fn outline(service: &Service, number: u64) -> Self {
        let mut random = service.random(Topic::ExecutionKey, number);
        let (market, side) = (random.pick(Market::KNOWN), random.pick(Side::KNOWN));
        let is_created = random.one_in(8);
        let unset = Decimal::from("");
        Self {
            id: Uuid::nil(),
            profile_id: service.id(Topic::Profile, random.below(service.settings.profiles)),
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

    fn finish(self, service: &Service, number: u64, created_at: DateTime<Utc>) -> Self {
        let mut random = service.random(Topic::Execution, number);
        let market = self.market.as_str();
        // The quote assets of section 2.5 have three letters each: EUR, SGD, USD.
        let (base, quote) =
            market.split_at_checked(market.len().saturating_sub(3)).unwrap_or((market, ""));
        let [price, base_amount, quote_amount] = amounts(base, &mut random);
        let settling =
            TimeDelta::milliseconds(i64::try_from(random.below(90_000)).unwrap_or_default());
        let is_settled = self.status == QuoteExecutionStatus::Settled;
        Self {
            id: service.id(Self::ID, number),
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

    /// The profile is one of the sandbox's own, or one that came with a record.
    fn check(service: &Service, parameters: &Parameters) -> Result<(), Rejection> {
        let is_known = |id: &Uuid| {
            service.has_profile(*id) || service.executions.any_inserted(|it| it.profile_id == *id)
        };
        let profile = parameters.get("profile_id").and_then(uuid).filter(is_known);
        profile.map(drop).ok_or_else(|| not_found("profile"))
    }
}
