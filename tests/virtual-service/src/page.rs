//! The page of records in a response.

use std::{collections::HashMap, time::Duration};

use crate::{
    listing::Listing,
    order::{Order, Place},
    query::Query,
    service::Service,
};

/// The sorted record numbers for each order that was requested. They are cached until a record
/// changes.
#[derive(Debug, Default)]
pub(crate) struct Orders(HashMap<Order, Vec<(Place, usize)>>);

/// Returns one of the numbers in a cursor. A cursor consists of the number of the last record
/// before its page, the page size, and a number that makes the cursor unique. If the service's
/// cursors are offsets, the first part is `o` and the number of records before the page.
fn part(query: &Query, at: usize) -> Option<usize> {
    query.cursor()?.split('.').nth(at)?.trim_start_matches('o').parse().ok()
}

/// A page of records.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) numbers: Vec<usize>,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

impl Orders {
    fn get(&mut self, service: &Service, order: Order) -> &[(Place, usize)] {
        // With `Ties::OfFilter`, each filter adds an order, most of which are used only once.
        if self.0.len() > 8 {
            self.0.clear();
        }
        self.0.entry(order).or_insert_with(|| {
            let place = |number| (service.place(number, order), number);
            let mut all: Vec<_> = (0..service.records.len()).map(place).collect();
            all.sort_unstable();
            all
        })
    }

    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }

    /// Returns the numbers of at most `most` records, starting after the query's cursor.
    pub(crate) fn listed(
        &mut self,
        service: &Service,
        query: &Query,
        now: Duration,
        most: usize,
    ) -> Vec<usize> {
        let order = Order::of(service, query);
        let (from, until) = query.range(service);
        let offset = part(query, 0).filter(|_| service.offsets).unwrap_or_default();
        let behind = part(query, 0).filter(|_| !service.offsets);
        let behind = behind.map(|number| service.place(number, order));
        // Records outside of this range of sort times can't be within the bounds.
        let slack = service.disorder() + service.bounds.unit();
        let (first, last) = (from - slack, until + slack);
        let (first, last) = if order.is_ascending { (first, last) } else { (-last, -first) };
        let all = self.get(service, order);
        let begin = all.partition_point(|(place, _)| place.0 < first || Some(*place) <= behind);
        let filters = query.filters();
        let listed = all[begin..].iter().take_while(|(place, _)| place.0 <= last);
        let listed = listed.map(|(_, number)| *number).filter(|number| {
            let time = service.bounds.compared(service.records[*number].created);
            (from..=until).contains(&time) && filters.pass(service, *number, now)
        });
        listed.skip(offset).take(most).collect()
    }

    pub(crate) fn page(
        &mut self,
        service: &Service,
        query: &Query,
        now: Duration,
        is_empty: bool,
        request: usize,
    ) -> Page {
        let size = query.size().or_else(|| part(query, 1)).unwrap_or(service.page);
        let size = size.clamp(1, service.largest_page);
        let mut numbers = self.listed(service, query, now, size + 1);
        if is_empty && !numbers.is_empty() {
            // The request's number makes the cursor unique. A cursor that occurs twice would be a
            // loop.
            let behind = query.cursor().and_then(|cursor| cursor.split('.').next());
            let behind = behind.unwrap_or_default();
            return Page { numbers: Vec::new(), next: Some(format!("{behind}.{size}.{request}")) };
        }
        let has_more = numbers.len() > size;
        numbers.truncate(size);
        let new = size.saturating_sub(service.overlap).max(1);
        let behind = if service.offsets {
            format!("o{}", part(query, 0).unwrap_or_default() + new)
        } else {
            numbers.get(new - 1).map(ToString::to_string).unwrap_or_default()
        };
        let next = has_more.then(|| format!("{behind}.{size}.{}", service.ballast));
        Page { numbers, next }
    }

    pub(crate) fn json(
        service: &Service,
        listing: Listing,
        page: &Page,
        now: Duration,
        is_unknown: bool,
    ) -> String {
        let records = page.numbers.iter().map(|n| service.json(listing, *n, now, is_unknown));
        let records: Vec<String> = records.collect();
        listing.page(&records.join(","), page.next.as_deref(), service.end)
    }
}
