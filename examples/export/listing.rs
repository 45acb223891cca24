//! From the command line to a listing, and to how much of it there is.

use digital_assets::{
    builder::{ListDepositAddresses, ListMonitoringAddresses},
    types::{CryptoNetwork, Market, Order, QuoteExecutionStatus, Side},
};

use super::{
    End, Result,
    arguments::{self, Listing, Span},
    place::Place,
    progress::Extent,
};

pub(crate) async fn export(listing: &Listing) -> Result<End> {
    let place = Place::find().await?;
    let (client, service, target) = (&place.client, &place.service, listing.target());
    let size = target.page_size;
    if let Some(Span { from: Some(from), to: Some(to), .. }) = listing.span()
        && from > to
    {
        arguments::refuse("--from is behind --to");
    }
    match listing {
        Listing::QuoteExecutions { profile, market, side, status, span, .. } => {
            let profile = profile.as_ref().or(place.profile.as_ref());
            arguments::note_unknown("market", market.as_ref(), Market::is_known);
            arguments::note_unknown("side", side.as_ref(), Side::is_known);
            arguments::note_unknown("status", status.as_ref(), QuoteExecutionStatus::is_known);
            let Some(profile) = profile else {
                arguments::refuse("--profile is needed, or DIGITAL_ASSETS_PROFILE_ID");
            };
            let mut list = client.list_quote_executions().profile_id(profile).order(Order::Asc);
            if let Some(market) = market {
                list = list.market(market.clone());
            }
            if let Some(side) = side {
                list = list.side(side.clone());
            }
            if let Some(status) = status {
                list = list.status(status.clone());
            }
            if let Some(from) = span.from {
                list = list.created_at_begin(from);
            }
            if let Some(to) = span.to {
                list = list.created_at_end(to);
            }
            let first = list.clone().limit(1);
            let extent = Box::pin(async { Some(Extent::of(first.send().await.ok()?.total_count)) });
            let items = list.limit(size).items().concurrency(span.concurrency);
            super::export(items, extent, service, target).await
        }
        Listing::DepositAddresses { network, span, .. } => {
            arguments::note_unknown("network", network, CryptoNetwork::is_known);
            let mut list = client.list_deposit_addresses();
            if !network.is_empty() {
                list = list.networks(network.clone());
            }
            if let Some(from) = span.from {
                list = list.created_at_gte(from);
            }
            if let Some(to) = span.to {
                list = list.created_at_lte(to);
            }
            let ends = [Order::Asc, Order::Desc].map(|order| list.clone().order(order).limit(1));
            let extent = Box::pin(async {
                let [oldest, newest] = ends.map(ListDepositAddresses::send);
                let (oldest, newest) = (oldest.await.ok()?, newest.await.ok()?);
                Some(Extent::between(oldest.items.first(), newest.items.first()))
            });
            let items = list.order(Order::Asc).limit(size).items().concurrency(span.concurrency);
            super::export(items, extent, service, target).await
        }
        Listing::MonitoringAddresses { network, .. } => {
            arguments::note_unknown("network", network.as_ref(), CryptoNetwork::is_known);
            let mut list = client.list_monitoring_addresses();
            if let Some(network) = network {
                list = list.crypto_network(network.clone());
            }
            let ends = [Order::Asc, Order::Desc].map(|order| list.clone().order(order).limit(1));
            let extent = Box::pin(async {
                let [oldest, newest] = ends.map(ListMonitoringAddresses::send);
                let (oldest, newest) = (oldest.await.ok()?, newest.await.ok()?);
                Some(Extent::between(oldest.addresses.first(), newest.addresses.first()))
            });
            let items = list.order(Order::Asc).limit(size).items();
            super::export(items, extent, service, target).await
        }
    }
}
