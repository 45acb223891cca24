//! Reads `x-pagination`, which states the names of a listing's parameters and properties.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::Statements;

/// The names of a listing's parameters and properties, as in `x-pagination`.
#[derive(Clone)]
pub(super) struct Pagination {
    pub cursor: String,
    pub next: NextName,
    pub items: Option<String>,
    pub size: Option<String>,
    pub more: Option<MoreName>,
    pub order: Option<OrderNames>,
    pub time: Option<TimeNames>,
    pub not_with_cursor: Vec<String>,
}

/// The JSON pointer to the next page's cursor.
#[derive(Clone)]
pub(super) enum NextName {
    /// A pointer from the page.
    OfPage(String),
    /// A pointer from the last record of the page.
    OfLastRecord(String),
}

/// The JSON pointer to the boolean that says whether another page follows.
#[derive(Clone)]
pub(super) enum MoreName {
    While(String),
    End(String),
}

#[derive(Clone)]
pub(super) struct OrderNames {
    pub parameter: String,
    pub ascending: String,
    pub descending: String,
    /// The parameter that selects the property to sort by, and the parameter's value for sorting by
    /// creation time.
    pub by: Option<(String, String)>,
}

#[derive(Clone)]
pub(super) struct TimeNames {
    pub property: String,
    pub range: Option<RangeNames>,
}

#[derive(Clone)]
pub(super) struct RangeNames {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

impl Pagination {
    /// Reads the value of `x-pagination`, whose keywords the audit has checked. Returns `None` if
    /// the value is `false`.
    pub(super) fn stated(stated: &Value) -> Option<Self> {
        let name = |of: &Value, keyword: &str| of.text(keyword).map(str::to_owned);
        let last = stated.get("next").and_then(|next| name(next, "last"));
        let last = last.map(NextName::OfLastRecord);
        let next = name(stated, "next").map(NextName::OfPage);
        let more = name(stated, "while").map(MoreName::While);
        let order = stated.get("order").and_then(|order| {
            let by = order
                .get("by")
                .and_then(|by| Some((name(by, "parameter")?, query_text(by, "time")?)));
            Some(OrderNames {
                parameter: name(order, "parameter")?,
                ascending: query_text(order, "ascending")?,
                descending: query_text(order, "descending")?,
                by,
            })
        });
        let time = stated.get("time").and_then(|time| {
            let range = name(time, "from").zip(name(time, "until")).map(|(from, until)| {
                RangeNames { from, until, until_inclusive: time.is_true("inclusive") }
            });
            Some(TimeNames { property: name(time, "property")?, range })
        });
        let not_with_cursor = stated.list("not-with-cursor").iter().filter_map(Value::as_str);
        Some(Self {
            cursor: name(stated, "cursor")?,
            next: next.or(last)?,
            items: name(stated, "items"),
            size: name(stated, "size"),
            more: more.or_else(|| name(stated, "end").map(MoreName::End)),
            order,
            time,
            not_with_cursor: not_with_cursor.map(str::to_owned).collect(),
        })
    }
}

impl Pagination {
    /// Returns the optional names, each with its keyword.
    pub(super) fn optional_names(&self) -> BTreeSet<(&'static str, String)> {
        let order = self.order.iter();
        let by = order.clone().filter_map(|order| order.by.as_ref());
        let range = self.time.iter().filter_map(|time| time.range.as_ref());
        let more = self.more.iter().map(MoreName::stated);
        self.size
            .iter()
            .map(|it| ("size", &**it))
            .chain(more)
            .chain(order.map(|it| ("order", &*it.parameter)))
            .chain(by.map(|(parameter, _)| ("order", &**parameter)))
            .chain(self.time.iter().map(|it| ("time", &*it.property)))
            .chain(range.flat_map(|it| [("time", &*it.from), ("time", &*it.until)]))
            .chain(self.not_with_cursor.iter().map(|it| ("not-with-cursor", &**it)))
            .map(|(keyword, name)| (keyword, name.to_owned()))
            .collect()
    }
}

impl MoreName {
    /// Returns the keyword of `x-pagination`, and the pointer.
    pub(super) fn stated(&self) -> (&'static str, &str) {
        match self {
            Self::While(pointer) => ("while", pointer),
            Self::End(pointer) => ("end", pointer),
        }
    }
}

/// Returns the value of a keyword as it is sent in a query.
fn query_text(of: &Value, keyword: &str) -> Option<String> {
    let value = of.get(keyword)?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
