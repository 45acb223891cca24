//! Quote executions: section 4.1 of the specification.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    response::Response,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Map;
use uuid::Uuid;

use super::{
    amount::Amounts,
    data::{Data, Kind},
    fault::Fault,
    listing::{Filter, Listing, Most, ok},
    metadata::metadata,
    parameters::{Parameters, not_found, uuid},
    problem::Refusal,
    random::Topic,
    service::Service,
    shelf::Shelf,
    span::Span,
};
use crate::{
    Operation,
    types::{Market, QuoteExecution, QuoteExecutionPage, QuoteExecutionStatus, Side},
};

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    Path(profile_id): Path<String>,
    RawQuery(query): RawQuery,
    fault: Option<Extension<Fault>>,
) -> Result<Response, Refusal> {
    let data = &service.data;
    let profile_id = uuid(&profile_id).filter(|&id| has_profile(data, id));
    let profile_id = profile_id.ok_or_else(|| not_found("profile"))?;
    let listing = ExecutionFilter::read(profile_id, Parameters::parse(query.as_deref()))?;

    let fault = fault.as_deref();
    let mut page = listing.page(data, fault);
    if fault == Some(&Fault::UnknownEnumValue) {
        for execution in &mut page.records {
            execution.market = Market::from("NEWCOINUSD");
            "NEWCOIN".clone_into(&mut execution.base_asset);
        }
    }
    ok(&QuoteExecutionPage {
        total_count: Some(i32::try_from(page.total).unwrap_or(i32::MAX)),
        items: page.records,
        next_page_cursor: page.next,
    })
}

#[derive(Debug, Hash)]
struct ExecutionFilter {
    profile_id: Uuid,
    side: Option<Side>,
    market: Option<Market>,
    status: Option<QuoteExecutionStatus>,
    created_at: Span,
}

/// What the filters look at, from one random number, because a listing computes it for each record.
struct Key<'a> {
    profile_id: Uuid,
    market: &'a Market,
    side: &'a Side,
    status: &'a QuoteExecutionStatus,
}

impl ExecutionFilter {
    fn read(profile_id: Uuid, mut parameters: Parameters) -> Result<Listing<Self>, Refusal> {
        parameters.order_by()?;
        let mut created_at = Span::ALL;
        created_at.from(parameters.time("created_at.begin")?);
        created_at.to(parameters.time("created_at.end")?);
        let filter = Self {
            profile_id,
            side: parameters.one("side")?.map(|text| Side::from(&*text)),
            market: parameters.one("market")?.map(|text| Market::from(&*text)),
            status: parameters.one("status")?.map(|text| QuoteExecutionStatus::from(&*text)),
            created_at,
        };
        Listing::read(filter, parameters)
    }

    fn has(&self, key: &Key<'_>) -> bool {
        self.profile_id == key.profile_id
            && self.side.as_ref().is_none_or(|side| side == key.side)
            && self.market.as_ref().is_none_or(|market| market == key.market)
            && self.status.as_ref().is_none_or(|status| status == key.status)
    }

    /// Whether it keeps every generated record.
    fn is_open(&self, data: &Data) -> bool {
        self.side.is_none()
            && self.market.is_none()
            && self.status.is_none()
            && data.profiles == 1
            && self.profile_id == data.profile(0)
    }
}

impl Filter for ExecutionFilter {
    type Record = QuoteExecution;

    const OPERATION: Operation = Operation::ListQuoteExecutions;
    const MOST: Most = Most::Chosen(10_000);
    const COUNTED: bool = true;
    const LIMIT_BESIDE_CURSOR: bool = false;

    fn span(&self) -> Span {
        self.created_at
    }

    fn matches_made(&self, data: &Data, number: u64) -> bool {
        self.is_open(data) || self.has(&Key::made(data, number))
    }

    fn matches(&self, record: &QuoteExecution) -> bool {
        self.has(&Key::from(record))
    }
}

impl Key<'_> {
    fn made(data: &Data, number: u64) -> Self {
        let mut random = data.random(Topic::ExecutionKey, number);
        let (market, side) = (random.pick(Market::KNOWN), random.pick(Side::KNOWN));
        let status = if random.one_in(8) {
            &QuoteExecutionStatus::Created
        } else {
            &QuoteExecutionStatus::Settled
        };
        Self { profile_id: data.profile(random.below(data.profiles)), market, side, status }
    }
}

impl<'a> From<&'a QuoteExecution> for Key<'a> {
    fn from(record: &'a QuoteExecution) -> Self {
        Self {
            profile_id: record.profile_id,
            market: &record.market,
            side: &record.side,
            status: &record.status,
        }
    }
}

/// One of the sandbox's own, or one that came with a record.
fn has_profile(data: &Data, id: Uuid) -> bool {
    data.has_profile(id) || data.executions.any_inserted(|execution| execution.profile_id == id)
}

impl Kind for QuoteExecution {
    const ID: Topic = Topic::ExecutionId;

    fn shelf(data: &Data) -> &Shelf<Self> {
        &data.executions
    }

    fn made(data: &Data, number: u64, created_at: DateTime<Utc>) -> Self {
        let key = Key::made(data, number);
        let mut random = data.random(Topic::Execution, number);
        let market = key.market.as_str();
        // The quote assets of section 2.5 have three letters each: EUR, SGD, USD.
        let (base, quote) =
            market.split_at_checked(market.len().saturating_sub(3)).unwrap_or((market, ""));
        let amounts = Amounts::random(base, &mut random);
        let settling =
            TimeDelta::milliseconds(i64::try_from(random.below(90_000)).unwrap_or_default());
        let is_settled = *key.status == QuoteExecutionStatus::Settled;
        Self {
            id: data.id(Self::ID, number),
            profile_id: key.profile_id,
            quote_id: random.uuid(),
            status: key.status.clone(),
            market: key.market.clone(),
            side: key.side.clone(),
            price: amounts.price,
            base_amount: amounts.base_amount,
            base_asset: base.to_owned(),
            quote_amount: amounts.quote_amount,
            quote_asset: quote.to_owned(),
            created_at,
            settled_at: is_settled.then(|| created_at.checked_add_signed(settling)).flatten(),
            metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
        }
    }

    fn id(&self) -> Uuid {
        self.id
    }

    fn created_at(&self) -> DateTime<Utc> {
        self.created_at
    }
}
