//! The service's listings, with the names of their parameters and of the fields in their pages.

use serde_json::{Map, Value, json};

use crate::service::End;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// The listing in section 4.1 of the specification.
    QuoteExecutions,
    /// The listing in section 4.2 of the specification.
    MonitoringAddresses,
    /// The listing in section 4.3 of the specification.
    DepositAddresses,
    /// A listing that isn't in any OpenAPI description. It has every kind of time bound.
    ByTime,
    /// A listing that isn't in any OpenAPI description. It has no time bounds.
    ByPage,
    /// A listing in `examples/parcels`, as are `Scans` and `Depots`.
    Parcels,
    Scans,
    Depots,
}

/// The names of a listing's parameters.
pub(crate) struct Names {
    pub(crate) cursor: &'static str,
    pub(crate) size: &'static str,
    /// Whether a request may have a cursor together with a page size.
    pub(crate) size_with_cursor: bool,
    /// The parameter for the order, and its value for ascending order.
    pub(crate) order: (&'static str, &'static str),
    /// The parameters for the lower time bound. Each has the distance in nanoseconds from the bound
    /// to the first time that the bound allows.
    pub(crate) froms: &'static [(&'static str, i128)],
    /// The parameters for the upper time bound, with the distance to the last time that the bound
    /// allows.
    pub(crate) untils: &'static [(&'static str, i128)],
    /// All other parameters.
    pub(crate) others: &'static [&'static str],
    /// The largest number of entries that one request's filter may have.
    pub(crate) most_entries: usize,
}

const MONITORING_ADDRESSES: Names = Names {
    cursor: "page_cursor",
    size: "limit",
    size_with_cursor: true,
    order: ("order", "ASC"),
    froms: &[],
    untils: &[],
    others: &[],
    // The limit in section 4.3 of the specification.
    most_entries: 100,
};

const QUOTE_EXECUTIONS: Names = Names {
    size_with_cursor: false,
    froms: &[("created_at.begin", 0)],
    untils: &[("created_at.end", 0)],
    others: &["side", "market", "status", "order_by"],
    ..MONITORING_ADDRESSES
};

const DEPOSIT_ADDRESSES: Names = Names {
    froms: &[("created_at.gte", 0), ("created_at.gt", 1)],
    untils: &[("created_at.lte", 0), ("created_at.lt", -1)],
    others: &["ids", "ref_ids", "order_by"],
    ..MONITORING_ADDRESSES
};

const BY_TIME: Names = Names {
    froms: &[("created_at.begin", 0), ("created_at.gte", 0), ("created_at.gt", 1)],
    untils: &[("created_at.end", 0), ("created_at.lte", 0), ("created_at.lt", -1)],
    ..DEPOSIT_ADDRESSES
};

const PARCELS: Names = Names {
    cursor: "after",
    size: "per_page",
    size_with_cursor: true,
    order: ("sort", "oldest_first"),
    froms: &[("booked_since", 0)],
    untils: &[("booked_before", -1)],
    others: &["state", "depots"],
    most_entries: 50,
};

const SCANS: Names = Names {
    cursor: "page_token",
    size: "count",
    size_with_cursor: false,
    order: ("oldest_first", "true"),
    froms: &[("since", 0)],
    untils: &[("until", 0)],
    others: &[],
    most_entries: 0,
};

const DEPOTS: Names = Names {
    cursor: "from",
    size: "page_size",
    size_with_cursor: true,
    order: ("", ""),
    froms: &[],
    untils: &[],
    others: &[],
    most_entries: 0,
};

impl Listing {
    pub(crate) fn of(path: &str) -> Option<Self> {
        Some(match path.rsplit('/').next()? {
            "quote-executions" => Self::QuoteExecutions,
            "address" => Self::MonitoringAddresses,
            "deposit-addresses" => Self::DepositAddresses,
            "by-time" => Self::ByTime,
            "by-page" => Self::ByPage,
            "parcels" => Self::Parcels,
            "scans" => Self::Scans,
            "depots" => Self::Depots,
            _ => return None,
        })
    }

    pub(crate) fn names(self) -> &'static Names {
        match self {
            Self::QuoteExecutions => &QUOTE_EXECUTIONS,
            Self::MonitoringAddresses | Self::ByPage => &MONITORING_ADDRESSES,
            Self::DepositAddresses => &DEPOSIT_ADDRESSES,
            Self::ByTime => &BY_TIME,
            Self::Parcels => &PARCELS,
            Self::Scans => &SCANS,
            Self::Depots => &DEPOTS,
        }
    }

    /// Returns a page as JSON, with these records and the cursor of the next page.
    pub(crate) fn page(self, records: &str, next: Option<&str>, end: End) -> String {
        let (array, cursor, parent) = match self {
            Self::MonitoringAddresses => ("addresses", "next_page_cursor", None),
            Self::Parcels => ("data", "next", Some("meta")),
            Self::Scans => ("scans", "token", Some("page")),
            Self::Depots => ("depots", "next_page", None),
            _ => ("items", "next_page_cursor", None),
        };
        let mut fields = Map::new();
        if self == Self::Scans {
            fields.insert("has_more".to_owned(), next.is_some().into());
        }
        match (next, end) {
            (None, End::Absent) => {}
            (None, End::Null) => drop(fields.insert(cursor.to_owned(), Value::Null)),
            (next, _) => drop(fields.insert(cursor.to_owned(), next.unwrap_or_default().into())),
        }
        let rest = match parent {
            None => Value::Object(fields),
            Some(parent) => json!({ parent: fields }),
        };
        let rest = rest.to_string();
        let comma = if rest == "{}" { "" } else { "," };
        format!(r#"{{"{array}":[{records}]{comma}{}"#, &rest[1..])
    }
}

impl Names {
    pub(crate) fn has(&self, name: &str) -> bool {
        let bounds = self.froms.iter().chain(self.untils).map(|(bound, _)| *bound);
        let paging = [self.cursor, self.size, self.order.0];
        paging.into_iter().chain(bounds).chain(self.others.iter().copied()).any(|it| it == name)
    }
}
