//! A record with its creation time and its later changes.

use std::{ops::Range, time::Duration};

use uuid::Uuid;

use crate::{listing::Listing, service::Service, time::text};

/// A record. Its durations are times since the service started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The creation time in nanoseconds since 1970, from the service's own clock or from a node's
    /// clock.
    pub created: i128,
    /// The time by which the record is sorted, if that isn't its creation time.
    pub place: Option<i128>,
    /// When the record is first listed.
    pub visible: Duration,
    /// When an execution becomes `SETTLED`; `None` means never.
    pub settled: Option<Duration>,
    /// When the record's content changes, and the new content. The earliest change is first.
    pub changes: Vec<(Duration, u64)>,
    /// A period in which the record isn't listed.
    pub hidden: Range<Duration>,
    /// When the record is removed from its listing.
    pub removed: Option<Duration>,
    /// The first page after this time that would contain the record leaves it out.
    pub left_out: Option<Duration>,
}

impl Record {
    /// Returns a record that is listed from the start and never changes.
    #[must_use]
    pub fn at(created: i128) -> Self {
        Self { created, ..Self::default() }
    }

    /// Returns the record's content, which is its price, note or address. It is 0 at first.
    #[must_use]
    pub fn content(&self, now: Duration) -> u64 {
        self.changes.iter().rev().find(|(at, _)| *at <= now).map_or(0, |(_, content)| *content)
    }

    /// Returns whether the record is listed at this time.
    #[must_use]
    pub fn is_visible(&self, now: Duration) -> bool {
        let is_hidden = self.hidden.contains(&now);
        self.visible <= now && !is_hidden && self.removed.is_none_or(|removed| now < removed)
    }

    /// Returns whether an execution's status is `SETTLED` at this time.
    #[must_use]
    pub fn is_settled(&self, now: Duration) -> bool {
        self.settled.is_some_and(|settled| settled <= now)
    }

    pub(crate) fn state(&self, now: Duration) -> &'static str {
        if self.is_settled(now) { "DELIVERED" } else { "IN_TRANSIT" }
    }

    pub(crate) fn status(&self, now: Duration) -> &'static str {
        if self.is_settled(now) { "SETTLED" } else { "CREATED" }
    }
}

/// Returns the identifier of the record with this number.
#[must_use]
pub fn id(number: usize) -> Uuid {
    Uuid::from_u128(number as u128)
}

/// Returns the number of the record with this identifier.
#[must_use]
pub fn number(id: Uuid) -> usize {
    usize::try_from(id.as_u128()).unwrap_or(usize::MAX)
}

const PROFILE: &str = "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10";
const QUOTE: &str = "9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03";

pub(crate) fn market(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "BTCUSD" } else { "ETHUSD" }
}

pub(crate) fn side(number: usize) -> &'static str {
    if number.is_multiple_of(3) { "SELL" } else { "BUY" }
}

pub(crate) fn depot(number: usize) -> String {
    format!("D{number}")
}

impl Service {
    /// Returns a record as JSON: the required fields and, if present, `settled_at` and `ref_id`.
    pub(crate) fn json(
        &self,
        listing: Listing,
        number: usize,
        now: Duration,
        is_unknown: bool,
    ) -> String {
        let known = |value| if is_unknown { "NEW" } else { value };
        let (record, id) = (&self.records[number], id(number));
        let created = text(self.told.of(record.created));
        let created = if self.leap_seconds {
            created.replacen(":59.", ":60.", 1).replacen(":59Z", ":60Z", 1)
        } else {
            created
        };
        let content = record.content(now);
        let rest = match listing {
            Listing::Parcels => {
                let state = record.state(now);
                return format!(
                    r#"{{"id":"{id}","state":"{state}","note":"{content}","booked_at":"{created}"}}"#
                );
            }
            Listing::Scans => return format!(r#"{{"id":{number},"scanned_at":"{created}"}}"#),
            Listing::Depots => return format!(r#"{{"id":"{}"}}"#, depot(number)),
            Listing::ByTime | Listing::ByPage => format!(r#""content":"{content}""#),
            Listing::QuoteExecutions => {
                let settled = record.settled.filter(|settled| *settled <= now).map(|settled| {
                    let at = text(self.now + settled.as_nanos().cast_signed());
                    format!(r#","settled_at":"{at}""#)
                });
                format!(
                    r#""profile_id":"{PROFILE}","quote_id":"{QUOTE}","status":"{}","market":"{}","side":"{}","price":"{content}","base_amount":"1","base_asset":"BTC","quote_amount":"1","quote_asset":"USD"{}"#,
                    record.status(now),
                    known(market(number)),
                    side(number),
                    settled.unwrap_or_default(),
                )
            }
            Listing::DepositAddresses | Listing::MonitoringAddresses => {
                let network = known("SOLANA");
                let ref_id = self.ref_id(number);
                let ref_id = ref_id.map_or_else(String::new, |id| format!(r#","ref_id":"{id}""#));
                format!(r#""crypto_network":"{network}","address":"{content}"{ref_id}"#)
            }
        };
        format!(r#"{{"id":"{id}","created_at":"{created}",{rest}}}"#)
    }

    /// Removes from a page the records that are due to be left out. Each is left out once.
    pub(crate) fn leave_out(&mut self, page: &mut Vec<usize>, now: Duration) {
        page.retain(|number| {
            let record = &mut self.records[*number];
            record.left_out.take_if(|from| *from <= now).is_none()
        });
    }

    pub(crate) fn ref_id(&self, number: usize) -> Option<String> {
        let width = self.ref_ids?;
        Some(format!("{number:0width$}"))
    }
}
