//! Quote executions: section 4.1 of the specification.

use std::{ops::Range, sync::Arc};

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    response::Response,
};
use chrono::TimeDelta;
use serde_json::Map;
use uuid::Uuid;

use super::{
    amount::Amounts,
    data::{Data, Span},
    fault::Fault,
    listing::{Filter, Listing, Most, ok},
    metadata::metadata,
    parameters::{Parameters, not_found, uuid},
    problem::Refusal,
    random::Topic,
    service::Service,
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
    let profile_id = uuid(&profile_id).filter(|&id| data.has_profile(id));
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

/// What the filters look at, from a single random number: a listing scans it for each record.
struct Key {
    market: &'static Market,
    side: &'static Side,
    settled: bool,
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

    fn is_open(&self) -> bool {
        self.side.is_none() && self.market.is_none() && self.status.is_none()
    }
}

impl Filter for ExecutionFilter {
    type Record = QuoteExecution;

    const OPERATION: Operation = Operation::ListQuoteExecutions;
    const MOST: Most = Most::Chosen(10_000);
    const COUNTED: bool = true;
    const LIMIT_BESIDE_CURSOR: bool = false;

    fn indices(&self, data: &Data) -> Range<u64> {
        if self.profile_id == data.profile(0) {
            return data.executions.within(self.created_at);
        }
        0..0
    }

    fn matches(&self, data: &Data, index: u64) -> bool {
        if self.is_open() {
            return true;
        }
        let key = Key::new(data, index);
        self.side.as_ref().is_none_or(|side| side == key.side)
            && self.market.as_ref().is_none_or(|market| market == key.market)
            && self.status.as_ref().is_none_or(|status| *status == key.status())
    }

    fn record(data: &Data, index: u64) -> QuoteExecution {
        execution(data, index)
    }
}

impl Key {
    fn new(data: &Data, index: u64) -> Self {
        let mut random = data.random(Topic::ExecutionKey, index);
        Self {
            market: random.pick(Market::KNOWN),
            side: random.pick(Side::KNOWN),
            settled: !random.one_in(8),
        }
    }

    fn status(&self) -> QuoteExecutionStatus {
        if self.settled { QuoteExecutionStatus::Settled } else { QuoteExecutionStatus::Created }
    }
}

pub(super) fn execution(data: &Data, index: u64) -> QuoteExecution {
    let key = Key::new(data, index);
    let mut random = data.random(Topic::Execution, index);
    let market = key.market.as_str();
    // The quote assets of section 2.5 have three letters each: EUR, SGD, USD.
    let (base, quote) =
        market.split_at_checked(market.len().saturating_sub(3)).unwrap_or((market, ""));
    let amounts = Amounts::random(base, &mut random);
    let created_at = data.executions.created_at(index);
    let settling = TimeDelta::milliseconds(i64::try_from(random.below(90_000)).unwrap_or_default());
    QuoteExecution {
        id: random.uuid(),
        profile_id: data.profile(0),
        quote_id: random.uuid(),
        status: key.status(),
        market: key.market.clone(),
        side: key.side.clone(),
        price: amounts.price,
        base_amount: amounts.base_amount,
        base_asset: base.to_owned(),
        quote_amount: amounts.quote_amount,
        quote_asset: quote.to_owned(),
        created_at,
        settled_at: key.settled.then(|| created_at + settling),
        metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
    }
}
