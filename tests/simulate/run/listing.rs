//! Programs that list records with sequential requests, with windows or with a split filter, while
//! records arrive. Some programs are killed and resumed. They must receive the service's records in
//! order.

use std::{collections::HashSet, fmt::Write as _, mem, time::Duration};

use chrono::{DateTime, Utc};
use digital_assets::{
    Checkpoint, Error, ErrorKind, Items, Record, builder,
    types::{Market, Order, Side},
};
use fastrand::Rng;
use tokio::time::{sleep, timeout};
use virtual_service::{Asked, BEGIN, Endpoint, Rounding, SECOND, Service, Ties, id, number};

use super::{
    Program, World, printed,
    promises::{Kept, each_once, in_time, whole},
    service::{
        Arrivals, MOST_ARRIVALS, in_pairs_of_seconds, in_seconds, is_exact, with_a_dense_end,
        with_a_dense_second, with_a_growing_end, with_an_odd_end, with_records_to_come,
    },
};

pub(super) async fn executions(world: &mut World) -> Kept {
    let list = world.client.list_quote_executions().profile_id(world.sandbox.profile_id());
    let mut list = list;
    let mut query = String::new();
    if world.random.u8(..4) == 0 {
        list = list.market(Market::BtcUsd);
        query += "&market=BTCUSD";
    }
    if world.random.u8(..4) == 0 {
        list = list.side(Side::Buy);
        query += "&side=BUY";
    }
    let times = world.wire.endpoint.change(|service| {
        let times: Vec<i128> = service.records.iter().map(|record| record.created).collect();
        Some(times).filter(|times| is_exact(service) && !times.is_empty())
    });
    if let Some(times) = times.filter(|_| world.random.bool()) {
        let mut time = || times[world.random.usize(..times.len())];
        let (a, b) = (time(), time());
        let (begin, end) = (utc(a.min(b)), utc(a.max(b)));
        list = list.created_at_begin(begin).created_at_end(end);
        let _ = write!(query, "&created_at.begin={begin:?}&created_at.end={end:?}");
    }
    if world.random.bool() {
        list = list.order(Order::Asc);
        query += "&order=ASC";
    }
    let there_is = There::of(world, query);
    let concurrency = concurrency(world);
    let list = move |page| list.clone().limit(page).items().concurrency(concurrency);
    walk(world, list, &there_is).await
}

pub(super) async fn deposit_addresses(world: &mut World) -> Kept {
    let mut list = world.client.list_deposit_addresses();
    let mut query = String::new();
    if world.random.bool() {
        list = list.order(Order::Asc);
        query += "&order=ASC";
    }
    let there_is = There::of(world, query);
    let concurrency = concurrency(world);
    walk(world, |page| list.clone().limit(page).items().concurrency(concurrency), &there_is).await
}

pub(super) async fn monitoring_addresses(world: &mut World) -> Kept {
    let list = world.client.list_monitoring_addresses();
    let there_is = There::of(world, String::new());
    walk(world, |page| list.clone().limit(page).items(), &there_is).await
}

/// The largest number of filter entries in a request.
const MOST_IDS: usize = 100;

/// The length in bytes of the longest filter that isn't split: a URL of 7,000 bytes, without 500
/// bytes for the cursor and the times, without the path, and without a page size of one digit.
const LONGEST_FILTER: usize = 6_462;

/// Lists records with a filter that usually has to be split. Records with the same time may come in
/// any order.
pub(super) async fn split_filters(world: &mut World) -> Kept {
    let count = world.wire.endpoint.listed("").len() + MOST_ARRIVALS;
    let share = world.random.u8(..);
    let mut numbers: Vec<usize> = (0..count).filter(|_| world.random.u8(..) <= share).collect();
    let is_ascending = world.random.bool();
    let (order, query) = if is_ascending { (Order::Asc, "&order=ASC") } else { (Order::Desc, "") };
    let list = world.client.list_deposit_addresses().order(order);
    let is_one_call = world.random.bool();
    let (list, chunk) = if is_one_call {
        // With a page size of one digit, the URL has exactly the greatest allowed length.
        numbers.truncate(60);
        let (width, name) = (20, "&ref_ids=".len());
        let rest = LONGEST_FILTER - query.len() - numbers.len() * (name + width) - name;
        world.wire.endpoint.change(|service| service.ref_ids = Some(width));
        let ids = numbers.iter().map(|number| format!("{number:0width$}"));
        (list.ref_ids(ids.chain(["x".repeat(rest)])), MOST_IDS)
    } else if world.random.bool() {
        (list.ids(numbers.iter().copied().map(id)), MOST_IDS)
    } else {
        // A URL with `chunk` entries is about as long as allowed.
        let chunk = world.random.usize(4..20);
        numbers.truncate(6 * chunk);
        let width = world.random.usize(6_300..6_500) / chunk - "&ref_ids=".len();
        world.wire.endpoint.change(|service| service.ref_ids = Some(width));
        (list.ref_ids(numbers.iter().map(|number| format!("{number:0width$}"))), chunk)
    };
    let concurrency = if is_one_call { 1 } else { concurrency(world) };
    // There may be one request more than chunks, because the client distributes the entries so that
    // the last request doesn't have only a few.
    let parts = (1..).zip(numbers.chunks(chunk)).last().map_or(0, |(part, _)| part + 1);
    let numbers = Some(numbers.into_iter().collect());
    let there_is = There { numbers, is_one_call, ..There::of(world, query.to_owned()) };
    let list = |page| list.clone().limit(page).items().concurrency(concurrency);
    // With one request at a time, a record may have to wait for a page of each part. A single part
    // may be listed with windows.
    let (found, required) = collect(world, list, &there_is, parts.max(2)).await?;
    there_is.holds(&found, world.dropped > 0, required.as_ref())?;
    if world.random.u8(..4) == 0 { grown_in_parts(world).await } else { Ok(()) }
}

/// Lists the two parts of a filter again and again while records appear. A record that appears
/// within five minutes of its creation time may not be lost.
async fn grown_in_parts(world: &mut World) -> Kept {
    const LENGTH: u64 = 1_000;
    let endpoint = world.wire.endpoint.clone();
    let end = endpoint.elapsed() + Duration::from_secs(LENGTH + 300);
    let service = with_records_to_come(&mut world.random, endpoint.elapsed(), LENGTH);
    let count = service.records.len();
    meets(world, service);
    let list = world.client.list_deposit_addresses().ids((0..count).map(id)).order(Order::Asc);
    let concurrency = concurrency(world);
    let list = |page| list.clone().limit(page).items().concurrency(concurrency);
    let (mut items, mut found, mut began) = (list(page(world)), Vec::new(), endpoint.elapsed());
    loop {
        let is_killed = world.random.u8(..32) == 0;
        let patience = Duration::from_millis(world.random.u64(..4_000));
        let patience = if is_killed { patience } else { Duration::MAX };
        let is_over = match timeout(patience, items.next()).await {
            Err(_) => true,
            Ok(Some(Ok(record))) => {
                found.push(number_of(&record)?);
                is_killed
            }
            Ok(Some(Err(error))) => {
                world.pass(&error).await?;
                error.kind() == ErrorKind::RepeatedCursor
            }
            Ok(None) if began > end => {
                let all: Vec<usize> = (0..count).collect();
                return each_once(&found, &all, |_| true);
            }
            Ok(None) => {
                sleep(Duration::from_secs(world.random.u64(..200))).await;
                true
            }
        };
        if is_over {
            began = endpoint.elapsed();
            items = go_on(world, items, !found.is_empty(), list)?;
        }
    }
}

fn utc(time: i128) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(i64::try_from(time).unwrap_or_default())
}

/// Runs many short listings, because services differ most in the pages at the end of a listing.
pub(super) async fn ends(world: &mut World) -> Kept {
    // A token has the scopes of one operation, so all listings use the same operation.
    let lists_executions = world.random.bool();
    for _ in 0..20 {
        let is_dense = world.random.bool();
        let service = if is_dense { with_a_dense_second } else { with_an_odd_end };
        one_of(world, lists_executions, service).await?;
    }
    if !lists_executions {
        for _ in 0..8 {
            shown_and_killed(world).await?;
        }
        for _ in 0..12 {
            shown_at_the_end(world).await?;
        }
    }
    for service in [in_seconds, in_pairs_of_seconds] {
        for _ in 0..2 {
            one_of(world, lists_executions, service).await?;
        }
    }
    if !lists_executions {
        for _ in 0..12 {
            grown_behind_the_end(world).await?;
        }
        for _ in 0..4 {
            begun_at_a_page(world).await?;
        }
    }
    Ok(())
}

async fn one_of(
    world: &mut World,
    lists_executions: bool,
    service: fn(&mut Rng) -> Service,
) -> Kept {
    let service = service(&mut world.random);
    world.wire.endpoint.become_another(service);
    let dropped = mem::take(&mut world.dropped);
    if lists_executions {
        executions(world).await?;
    } else {
        deposit_addresses(world).await?;
    }
    world.dropped += dropped;
    Ok(())
}

/// Kills a program after a page shows that the service doesn't sort by time, but before the program
/// receives a record. The programs before and after it have a page size of one record.
async fn shown_and_killed(world: &mut World) -> Kept {
    let service = with_a_dense_second(&mut world.random);
    meets(world, Service { largest_page: 12, ..service });
    let list = world.client.list_deposit_addresses();
    let there_is = There::of(world, String::new());
    let (few, several) = (world.random.usize(1..8), world.random.i32(3..9));
    let shows_it = |there: &There| there.endpoint.asked().iter().any(|page| page.records.len() > 1);
    let programs = [
        (1, 1, Until::Found(few)),
        (several, concurrency(world), Until::Shown(shows_it, Duration::ZERO)),
        (1, concurrency(world), Until::End),
    ];
    in_turn(world, &list, &there_is, programs).await
}

/// Kills a slow program after its windows have read the last second, where the records aren't
/// sorted by time, but before it receives those records. A later program starts right before that
/// second.
async fn shown_at_the_end(world: &mut World) -> Kept {
    let (service, before) = with_a_dense_end(&mut world.random);
    meets(world, service);
    let list = world.client.list_deposit_addresses().order(Order::Asc);
    let there_is = There::of(world, "&order=ASC".to_owned());
    let programs = [
        (1, concurrency(world), Until::Shown(There::shows_its_order, Duration::from_secs(10))),
        (1, 1, Until::Found(before)),
        (1, 2, Until::End),
    ];
    in_turn(world, &list, &there_is, programs).await
}

/// Adds records after the last one while windows read it, and a few right before it.
///
/// A program is killed when it receives one of the records after the last one. The next programs
/// must receive the rest of them.
async fn grown_behind_the_end(world: &mut World) -> Kept {
    let from = world.wire.endpoint.elapsed();
    let (service, among) = with_a_growing_end(&mut world.random, from);
    meets(world, service);
    let list = world.client.list_deposit_addresses().order(Order::Asc);
    let there_is = There::of(world, "&order=ASC".to_owned());
    there_is.endpoint.change(|service| service.records.extend(among));
    let mut page = || world.random.i32(1..7);
    let (first, second, third) = (page(), page(), page());
    let programs = [
        (first, concurrency(world), Until::FoundBehind),
        (second, concurrency(world), Until::FoundBehind),
        (third, 1, Until::End),
    ];
    in_turn(world, &list, &there_is, programs).await
}

/// Starts a program at a page's cursor among records with the same time, and kills it there.
async fn begun_at_a_page(world: &mut World) -> Kept {
    let count = world.random.usize(4..12);
    meets(world, Service { now: BEGIN, ..Service::of([BEGIN].repeat(count)) });
    let list = world.client.list_deposit_addresses().order(Order::Asc);
    let (page, most) = (world.random.usize(1..4), world.random.usize(1..3));
    let cursor = loop {
        let first = list.clone().limit(i32::try_from(page).unwrap_or(1)).pages().next().await;
        match first.ok_or("there is no page")? {
            Ok(first) if !first.items.is_empty() => break first.next_page_cursor.clone(),
            Ok(_) => {}
            Err(error) => world.pass(&error).await?,
        }
    };
    let mut items = list.clone().page_cursor(cursor.ok_or("there is no other page")?).items();
    let mut found = Vec::new();
    loop {
        match items.next().await {
            Some(Ok(record)) => {
                found.push(number_of(&record)?);
                if found.len() == most {
                    items = go_on(world, items, true, |page| list.clone().limit(page).items())?;
                }
            }
            Some(Err(error)) if error.kind() == ErrorKind::RepeatedCursor => return Ok(()),
            Some(Err(error)) => world.pass(&error).await?,
            None => return whole(&found, &(page..count).collect::<Vec<_>>(), |_| true),
        }
    }
}

pub(super) fn meets(world: &mut World, service: Service) {
    let takes = Duration::ZERO..=Duration::from_secs(2);
    world.wire.arrive(Arrivals::none());
    world.wire.endpoint.become_another(Service { takes, ..service });
}

/// When a program is killed.
enum Until {
    /// It has received this many records.
    Found(usize),
    /// It has received a record that appeared after the original last record.
    FoundBehind,
    /// This condition is true. The program pauses for this duration after each record.
    Shown(fn(&There) -> bool, Duration),
    End,
}

/// Runs three programs, each of which resumes where the previous one was killed. Each has its own
/// page size and number of concurrent requests.
async fn in_turn(
    world: &mut World,
    list: &builder::ListDepositAddresses,
    there_is: &There,
    programs: [(i32, usize, Until); 3],
) -> Kept {
    let (mut items, mut found) = (list.clone().limit(1).items(), Vec::new());
    for (page, requests, until) in programs {
        let mut required: HashSet<usize> = there_is.now().into_iter().collect();
        required.retain(|number| *number < there_is.arrived);
        let list = |_| list.clone().limit(page).items().concurrency(requests);
        items = go_on(world, items, !found.is_empty(), list)?;
        loop {
            let (is_killed, pause) = match until {
                Until::Found(most) => (found.len() >= most, Duration::ZERO),
                Until::FoundBehind => (there_is.has_one_behind(&found), Duration::ZERO),
                Until::Shown(is_shown, pause) => (is_shown(there_is), pause),
                Until::End => (false, Duration::ZERO),
            };
            if is_killed {
                break;
            }
            match timeout(Duration::from_millis(100), items.next()).await {
                Err(_) => {}
                Ok(Some(Ok(record))) => {
                    found.push(number_of(&record)?);
                    if !pause.is_zero() {
                        sleep(pause).await;
                    }
                }
                Ok(Some(Err(error))) if there_is.forgives(&error) => return Ok(()),
                Ok(Some(Err(error))) if error.kind() == ErrorKind::RepeatedCursor => return Ok(()),
                Ok(Some(Err(error)))
                    if error.kind() == ErrorKind::StaleCheckpoint
                        && there_is.has_grown_within() =>
                {
                    return Ok(());
                }
                Ok(Some(Err(error))) => world.pass(&error).await?,
                Ok(None) if matches!(until, Until::FoundBehind) => break,
                Ok(None) => return there_is.holds(&found, true, Some(&required)),
            }
        }
    }
    Ok(())
}

fn page(world: &mut World) -> i32 {
    let largest = if world.program == Program::Ends { [4, 12] } else { [12, 120] };
    let largest = largest[world.random.usize(..2)];
    world.random.i32(1..largest)
}

fn concurrency(world: &mut World) -> usize {
    let is_end = world.program == Program::Ends;
    let concurrency =
        if is_end { world.random.usize(2..9) } else { [1, 2, 3, 8][world.random.usize(..4)] };
    world.concurrency = world.concurrency.max(concurrency);
    concurrency
}

/// The records that a listing should return.
struct There {
    endpoint: Endpoint,
    query: String,
    /// The numbers of the records that the filter matches. If the filter is split, records with the
    /// same time may come in any order. `None` without a filter.
    numbers: Option<HashSet<usize>>,
    /// Whether one request per page is enough, because no filter is split.
    is_one_call: bool,
    /// How many records were listed at the start.
    at_first: usize,
    /// The number of the first record that arrived after the start.
    arrived: usize,
}

impl There {
    fn of(world: &World, query: String) -> Self {
        let endpoint = world.wire.endpoint.clone();
        let at_first = endpoint.listed(&query).len();
        let arrived = endpoint.change(|service| service.records.len());
        Self { endpoint, query, numbers: None, is_one_call: true, at_first, arrived }
    }

    /// Returns the numbers of the records that are listed now, in the service's order.
    fn now(&self) -> Vec<usize> {
        let mut listed = self.endpoint.listed(&self.query);
        listed
            .retain(|number| self.numbers.as_ref().is_none_or(|numbers| numbers.contains(number)));
        listed
    }

    /// Returns the records that may still be listed after the records in `found`.
    fn behind(&self, found: &[usize]) -> Vec<usize> {
        let mut now = self.now();
        if self.numbers.is_some() && !self.is_disorderly() {
            // Records with the time of the last returned record may still follow that record.
            let Some(last) = found.last().map(|last| self.told(*last)) else { return now };
            let is_ascending = self.is_ascending();
            now.retain(|number| {
                let told = self.told(*number);
                if is_ascending { told >= last || self.is_of_now(*number) } else { told <= last }
            });
            return now;
        }
        if self.numbers.is_some() && self.has_ties_of_filter() {
            // Each part orders records with the same time differently, so no record is certain to
            // follow.
            return Vec::new();
        }
        // A late record with the time of the last returned record may be listed far before that
        // record.
        let farthest = now.iter().rposition(|number| found.contains(number));
        now.split_off(farthest.map_or(0, |farthest| farthest + 1))
    }

    /// Returns whether the record was created after the service started, and so appeared on time. A
    /// resumed listing with a split filter always returns such a record.
    fn is_of_now(&self, number: usize) -> bool {
        self.endpoint.change(|service| service.records[number].created >= service.now)
    }

    fn is_ascending(&self) -> bool {
        self.query.contains("order=ASC")
    }

    fn told(&self, number: usize) -> i128 {
        self.endpoint.change(|service| service.told.of(service.records[number].created))
    }

    fn holds(&self, found: &[usize], was_resumed: bool, required: Option<&HashSet<usize>>) -> Kept {
        let is_required =
            |number: usize| required.is_some_and(|required| required.contains(&number));
        if self.is_disorderly() && !self.shows_its_order() {
            // A resumed listing doesn't return a record that was created before its time bound but
            // is listed much later.
            if was_resumed || required.is_none() || self.numbers.is_some() {
                return Ok(());
            }
            // If ties aren't reversed with the direction, the first record in one direction isn't
            // the last record in the other direction. Then only the first page matters.
            let turns = self.endpoint.change(|service| service.ties == Ties::Turn);
            let (mut pages, _) = self.pages();
            pages.truncate(if turns { usize::MAX } else { 1 });
            let listed: HashSet<usize> = pages.into_iter().flat_map(|page| page.records).collect();
            let lost = listed.into_iter().filter(|n| !found.contains(n) && is_required(*n));
            return match lost.min() {
                Some(number) => Err(format!("record {number} was listed, but not returned")),
                None if turns => self.reads_on(found),
                None => Ok(()),
            };
        }
        let now = self.now();
        // The exact order is checked only if no record has arrived. A new record with the time of
        // the last returned record is returned after that record.
        let has_order = self.numbers.is_none() && !self.has_ties_of_filter();
        if has_order && now.len() == self.at_first {
            return whole(found, &now, is_required);
        }
        let is_ascending = self.is_ascending();
        let times: Vec<i128> = found.iter().map(|number| self.told(*number)).collect();
        let is_sorted =
            if is_ascending { times.is_sorted() } else { times.is_sorted_by(|a, b| a >= b) };
        let is_merged = self.numbers.as_ref().is_some_and(|numbers| numbers.len() > MOST_IDS);
        // A record that appears in a part that has already ended is returned by the next program.
        let goes_back = is_ascending && self.numbers.is_some() && was_resumed;
        if !is_sorted && !goes_back && (is_merged || !self.is_disorderly()) {
            return Err("merged records are out of order".to_owned());
        }
        each_once(found, &now, is_required)
    }

    /// Checks that the listing's first page leads to its last page.
    ///
    /// A page leads to another page with its cursor, if both have the same query, or if the other
    /// page also contains its last returned record. The last page has no cursor, or begins with a
    /// record that has arrived.
    fn reads_on(&self, found: &[usize]) -> Kept {
        let (mut left, _) = self.pages();
        let mut led_to = vec![left.remove(0)];
        while let Some(page) = led_to.pop() {
            let begins_behind = page.records.first().is_some_and(|first| *first >= self.arrived);
            if page.next.is_none() || begins_behind {
                return Ok(());
            }
            let last = page.records.iter().rfind(|number| found.contains(number));
            let leads_to = |other: &mut Asked| {
                last.is_some_and(|last| other.records.contains(last))
                    || page.next.as_deref() == other.get("page_cursor")
                    || page.query == other.query
            };
            led_to.extend(left.extract_if(.., leads_to));
        }
        Err("the listing wasn't read to its end".to_owned())
    }

    /// Returns the requests of this listing that have a response, and those in the opposite
    /// direction.
    fn pages(&self) -> (Vec<Asked>, Vec<Asked>) {
        let is_ascending = self.is_ascending();
        let answered = self.endpoint.asked().into_iter().filter(|asked| asked.answered.is_some());
        answered.partition(|asked| (asked.get("order") == Some("ASC")) == is_ascending)
    }

    /// Returns whether the service doesn't sort by the reported times.
    fn is_disorderly(&self) -> bool {
        self.endpoint.change(|service| {
            let tells_it =
                matches!(service.told, Rounding::Down(unit) if unit % service.ordered == 0);
            service.nearly > 0 || service.ordered > 1 && !tells_it
        })
    }

    fn has_one_behind(&self, found: &[usize]) -> bool {
        found.iter().any(|number| (self.at_first..self.arrived).contains(number))
    }

    /// Returns whether records have appeared among the existing ones.
    fn has_grown_within(&self) -> bool {
        self.endpoint.change(|service| service.records.len() > self.arrived)
    }

    fn has_ties_of_filter(&self) -> bool {
        self.endpoint.change(|service| service.ties == Ties::OfFilter)
    }

    /// Returns whether pages show that the service doesn't sort by time. If none does, the client
    /// can't know.
    ///
    /// Either a page is out of order, or a page goes beyond the time of the listing's last record
    /// without that record, and a later request shows that the record is still the last one.
    fn shows_its_order(&self) -> bool {
        let is_ascending = self.is_ascending();
        let time = |number| if is_ascending { self.told(number) } else { -self.told(number) };
        let (pages, probes) = self.pages();
        pages.iter().any(|page| {
            let cursor = page.get("page_cursor").and_then(|cursor| cursor.split('.').next());
            let before = cursor.and_then(|number| number.parse().ok());
            let numbers = before.into_iter().chain(page.records.iter().copied());
            let times: Vec<i128> = numbers.map(time).collect();
            let its_own = probes.iter().rfind(|probe| {
                let begins_alike = filter(probe) == filter(page);
                probe.program == page.program && (probe.at <= page.at || begins_alike)
            });
            // After a page that skips the last record, the client asks for the last records again,
            // because the record may have left the listing.
            let is_confirmed = |end: &usize| {
                let again = |probe: &&Asked| probe.program == page.program && probe.at > page.at;
                probes.iter().filter(again).any(|probe| probe.records.contains(end))
            };
            let mut ends = its_own.into_iter().filter_map(|probe| probe.records.first());
            let skips = |end: &usize| {
                !page.records.contains(end)
                    && times.first() < Some(&time(*end))
                    && times.last() > Some(&time(*end))
            };
            !times.is_sorted() || ends.any(|end| skips(end) && is_confirmed(end))
        })
    }

    fn is_odd(&self) -> bool {
        self.is_disorderly() || self.has_ties_of_filter()
    }

    /// Returns whether a request had a time bound that the program didn't set.
    fn was_bounded(&self) -> bool {
        let is_own = |name: &str| name.starts_with("created_at") && !self.query.contains(name);
        let asked = self.endpoint.asked();
        asked.iter().any(|asked| asked.query.iter().any(|(name, _)| is_own(name)))
    }

    /// Returns whether the service has rejected a cursor. If a page shows that it doesn't sort by
    /// time, the listing then ends with an error.
    fn was_refused(&self) -> bool {
        self.endpoint.asked().iter().any(|asked| {
            let is_expired = |cursor: &str| {
                self.endpoint.change(|service| service.expired.iter().any(|it| it == cursor))
            };
            asked.get("page_cursor").is_some_and(is_expired)
        })
    }

    /// Returns whether the listing may fail with this error because of the service's order.
    fn forgives(&self, error: &Error) -> bool {
        let says_so = error.to_string().contains("in order of time");
        self.is_odd() && (error.kind() == ErrorKind::StaleCheckpoint || says_so)
    }
}

/// Returns the parameters that a listing shares with the same listing in the opposite direction.
fn filter(asked: &Asked) -> Vec<&(String, String)> {
    let own = ["order", "limit", "page_cursor"];
    asked.query.iter().filter(|(name, _)| !own.contains(&&**name)).collect()
}

async fn walk<T: Record>(
    world: &mut World,
    list: impl Fn(i32) -> Items<T>,
    there_is: &There,
) -> Kept {
    // With windows, the client first requests the last record. If that request fails, the client
    // continues without the record's time.
    let most_calls = if world.concurrency > 1 { 2 } else { 1 };
    let (found, required) = collect(world, list, there_is, most_calls).await?;
    there_is.holds(&found, world.dropped > 0, required.as_ref())
}

/// The largest number of kills. A program that is killed again and again would never finish,
/// because windows that resume within an instant read all its records again.
const MOST_KILLS: u64 = 1_000;

/// Lists all records. Continues after errors, and sometimes resumes from a checkpoint with another
/// page size. Fails if a record takes longer than `most_calls` calls.
///
/// Returns the records that were found, and the records that must be among them: those listed at
/// the start, and those listed after the last found record whenever a program resumed. The latter
/// is `None` if the listing failed because of the service's order.
async fn collect<T: Record>(
    world: &mut World,
    list: impl Fn(i32) -> Items<T>,
    there_is: &There,
    most_calls: u32,
) -> Result<(Vec<usize>, Option<HashSet<usize>>), String> {
    // The number of kills per 256 records.
    let many = if world.program == Program::Ends { 128 } else { 32 };
    let kills = [0, 0, 4, 4, many][world.random.usize(..5)];
    let (mut items, mut found, mut errors) = (list(page(world)), Vec::new(), 0);
    let mut required: HashSet<usize> = there_is.now().into_iter().collect();
    let (most, mut arrived) = (required.len() + MOST_ARRIVALS, 0);
    // How many records had been found each time that a program resumed.
    let mut resumed = Vec::new();
    world.wire.arrive(Arrivals::new(world.random.fork()));
    let most_wait = world.call_timeout * most_calls;
    printed::add(&items);
    loop {
        // The program is killed while it waits for a record, or right after the record.
        let is_killed = world.random.u8(..) < kills && world.dropped < MOST_KILLS;
        let patience = Duration::from_millis(world.random.u64(..4_000));
        let patience = if is_killed { patience } else { Duration::MAX };
        world.wire.log.wait();
        let next = timeout(patience, items.next()).await;
        world.wire.log.waited();
        in_time(world.wire.log.entries().longest_wait(), most_wait)?;
        let mut is_over = is_killed;
        match next {
            // A program that polls the same stream again after it stopped waiting may not lose a
            // record either.
            Err(_) => is_over = world.random.bool(),
            Ok(Some(Ok(record))) => {
                found.push(number_of(&record)?);
                world.wire.log.note(&format!("record {:?}", found.last()));
            }
            Ok(Some(Err(error))) if there_is.forgives(&error) => {
                // With sequential requests, the client can find the checkpoint's record itself,
                // unless a time bound has left out the records before it. So the listing shouldn't
                // have failed.
                let is_single = world.concurrency == 1 && there_is.is_one_call;
                if is_single
                    && !there_is.was_bounded()
                    && !there_is.was_refused()
                    && (resumed.is_empty() || resumed == [found.len()])
                {
                    return Err(format!("a listing failed although it could continue: {error}"));
                }
                let before = resumed.last().copied().unwrap_or_default();
                if before < found.len() {
                    let again =
                        go_on(world, items, true, &list)?.next().await.and_then(Result::err);
                    if again.is_none_or(|error| error.kind() != ErrorKind::StaleCheckpoint) {
                        return Err("after the error, resuming should fail, but didn't".to_owned());
                    }
                }
                return Ok((found, None));
            }
            Ok(Some(Err(error))) => {
                errors += 1;
                world.pass(&error).await?;
                if error.kind() == ErrorKind::RepeatedCursor {
                    if items.next().await.is_some() {
                        return Err("a stream continued after its end".to_owned());
                    }
                    is_over = true;
                }
            }
            Ok(None) => {
                another_day(world, items, &list, there_is, &found).await?;
                return Ok((found, Some(required)));
            }
        }
        if found.len() > most || errors > 1_000_000 {
            return Err(format!("no end: {} of {most} records, {errors} errors", found.len()));
        }
        if is_over {
            resumed.push(found.len());
            items = go_on(world, items, !found.is_empty(), &list)?;
            let arrivals = world.wire.arrivals();
            if arrivals > mem::replace(&mut arrived, arrivals) {
                required.extend(there_is.behind(&found));
            }
        }
    }
}

/// Resumes a finished listing after more records have appeared, some of them before its last
/// record. The resumed listing must return the new records, or fail if some are before the last
/// record.
async fn another_day<T: Record>(
    world: &mut World,
    items: Items<T>,
    list: impl Fn(i32) -> Items<T>,
    there_is: &There,
    found: &[usize],
) -> Kept {
    let has_end = there_is.is_ascending() && there_is.numbers.is_none() && !there_is.is_odd();
    let mut times = found.iter().rev().map(|number| there_is.told(*number));
    let Some(end) = times.next().filter(|_| has_end && world.random.bool()) else {
        return Ok(());
    };
    let before = times.find(|time| *time < end);
    world.wire.arrive(Arrivals::none());
    let span = end - before.unwrap_or(end) + SECOND;
    let earliest = if world.random.bool() { -span } else { 0 };
    let count = there_is.endpoint.change(|service| {
        let count = service.records.len();
        for _ in 0..world.random.usize(1..4) {
            let created = end + world.random.i128(earliest..=span);
            service.records.push(virtual_service::Record::at(created));
        }
        count
    });
    let mut new: Vec<usize> = there_is.now();
    new.retain(|number| !found.contains(number));
    let told = |number: &usize| there_is.told(*number);
    let is_late = new.iter().map(told).any(|time| time < end && before < Some(time));
    new.retain(|number| told(number) >= end);
    let (mut items, mut rest) = (go_on(world, items, true, &list)?, Vec::new());
    let is_told = loop {
        match items.next().await {
            Some(Ok(record)) => rest.push(number_of(&record)?),
            Some(Err(error)) if error.kind() == ErrorKind::StaleCheckpoint => break true,
            Some(Err(error)) => {
                world.pass(&error).await?;
                if error.kind() == ErrorKind::RepeatedCursor {
                    items = go_on(world, items, true, &list)?;
                }
            }
            None => break false,
        }
    };
    there_is.endpoint.change(|service| service.records.truncate(count));
    match (is_told, is_late) {
        (true, true) => Ok(()),
        (true, false) => Err("a checkpoint was rejected, but no record is late".to_owned()),
        (false, true) => Err("no error reported records before the last one".to_owned()),
        (false, false) => each_once(&rest, &new, |_| true),
    }
}

pub(super) fn number_of(record: &impl Record) -> Result<usize, String> {
    let id = record.id().and_then(|id| id.to_string().parse().ok());
    id.map(number).ok_or_else(|| "a record has no identifier".to_owned())
}

/// Resumes the listing from the stream's serialized checkpoint, as another process would.
pub(super) fn go_on<T: Record>(
    world: &mut World,
    items: Items<T>,
    has_found: bool,
    list: impl Fn(i32) -> Items<T>,
) -> Result<Items<T>, String> {
    printed::add(&items.checkpoint());
    let kept = serde_json::to_string(&items.checkpoint()).map_err(|e| e.to_string())?;
    let kept: Checkpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
    drop(items);
    world.wire.endpoint.end_program(has_found);
    world.dropped += 1;
    world.wire.log.note("resumed");
    Ok(list(page(world)).resume(kept))
}
