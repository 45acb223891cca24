//! Determines the names of a listing's pagination parameters and properties, which are either
//! stated in `x-pagination` or inferred from well-known names.

use serde_json::Value;

use crate::{
    document::{Format, Statements},
    model::{Description, Field, Kind, Parameter, ParameterIn, Record, Responses, Side},
};

const CURSOR: &str = "page_cursor";
const NEXT: &str = "next_page_cursor";
const SIZE: &str = "limit";
const TIME: &str = "created_at";

/// The names of a listing's pagination parameters and properties, as in `x-pagination`.
pub(super) struct Pagination {
    pub cursor: String,
    pub next: String,
    pub items: Option<String>,
    pub size: Option<String>,
    pub more: Option<String>,
    pub order: Option<OrderNames>,
    pub time: Option<TimeNames>,
    pub not_with_cursor: Vec<String>,
}

pub(super) struct OrderNames {
    pub parameter: String,
    pub ascending: String,
    pub descending: String,
    /// The parameter that selects the property to sort by, and the parameter's value for sorting by
    /// creation time.
    pub by: Option<(String, String)>,
}

pub(super) struct TimeNames {
    pub property: String,
    pub range: Option<RangeNames>,
}

pub(super) struct RangeNames {
    pub from: String,
    pub until: String,
    pub until_inclusive: bool,
}

/// The result of a search for well-known names.
pub(super) enum Inferred {
    /// The operation doesn't look like a listing.
    No,
    /// Only some of the well-known names, or only similar names, were found. The text says which
    /// names were found.
    Partial(String),
    /// All names that a listing needs were found.
    Complete(Box<Pagination>),
}

impl Pagination {
    /// Reads the value of `x-pagination`, whose keywords the audit has checked. Returns `None` if
    /// the value is `false`.
    pub(super) fn stated(stated: &Value) -> Option<Self> {
        let name = |of: &Value, keyword: &str| of.text(keyword).map(str::to_owned);
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
            next: name(stated, "next")?,
            items: name(stated, "items"),
            size: name(stated, "size"),
            more: name(stated, "while"),
            order,
            time,
            not_with_cursor: not_with_cursor.map(str::to_owned).collect(),
        })
    }
}

/// Returns the value of a keyword as it is sent in a query.
fn query_text(of: &Value, keyword: &str) -> Option<String> {
    let value = of.get(keyword)?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

impl Description {
    /// Searches an operation's parameters and response for the well-known names of a listing.
    pub(super) fn inferred(&self, parameters: &[Parameter], responses: &Responses) -> Inferred {
        let page = responses.schema.as_ref().and_then(|schema| self.record(schema));
        let next = page.and_then(|page| page.property(NEXT)).is_some();
        let cursor = in_query(parameters, CURSOR).is_some();
        if !(cursor && next) {
            return Self::partial(parameters, page, (cursor, next));
        }
        let size = in_query(parameters, SIZE);
        let size = size.filter(|size| matches!(size.schema.kind, Kind::Integer(_)));
        let time = page.and_then(|page| self.page_records(page, None).ok());
        let time = time.and_then(|(_, item)| self.record(item)?.property(TIME));
        let time = time.filter(|time| time.schema.is_time());
        let order = self.order_names(parameters);
        let is_timed = order.is_some() && time.is_some_and(is_of_every_record);
        let range = range(parameters).filter(|_| is_timed);
        Inferred::Complete(Box::new(Pagination {
            cursor: CURSOR.to_owned(),
            next: format!("/{NEXT}"),
            items: None,
            size: size.map(|size| size.name.clone()),
            more: None,
            order,
            time: time.map(|time| TimeNames { property: time.wire.clone(), range }),
            not_with_cursor: Vec::new(),
        }))
    }

    /// Returns `Partial` if an operation has only some of the well-known names of a listing, or has
    /// similar names. Otherwise, returns `No`.
    fn partial(
        parameters: &[Parameter],
        page: Option<&Record>,
        (cursor, next): (bool, bool),
    ) -> Inferred {
        let mut queries = parameters.iter().filter(|p| p.location == ParameterIn::Query);
        let taken = if cursor { Some(CURSOR) } else { None };
        let taken = taken.or_else(|| queries.find(|p| is_cursor(&p.name)).map(|p| &*p.name));
        let has_array = page.is_some_and(|page| page.fields.iter().any(is_array));
        let fields = page.filter(|_| next || has_array).into_iter().flat_map(|page| &page.fields);
        let returned = if next { Some(NEXT) } else { None };
        let returned =
            returned.or_else(|| fields.map(|field| &*field.wire).find(|name| is_next_cursor(name)));
        let missing = match (taken, returned) {
            (None, None) => return Inferred::No,
            (Some(taken), None) => {
                format!("the operation takes `{taken}`, but its response has no `{NEXT}`")
            }
            (None, Some(returned)) => {
                format!("the response has `{returned}`, but the operation takes no `{CURSOR}`")
            }
            (Some(taken), Some(returned)) => {
                format!("the operation takes `{taken}`, and its response has `{returned}`")
            }
        };
        Inferred::Partial(missing)
    }

    /// Returns the reason why an inferred listing can't be split into time windows. Returns `None`
    /// if the listing can be split, or if it has no parameter that filters by time.
    pub(super) fn windows_obstacle(parameters: &[Parameter], names: &Pagination) -> Option<String> {
        let mut times = parameters.iter();
        let time = times.find(|p| p.location == ParameterIn::Query && p.schema.is_time())?;
        let missing = match (&names.order, &names.time) {
            (_, Some(TimeNames { range: Some(_), .. })) => return None,
            (None, _) => format!("no `order` parameter that sorts by {TIME}"),
            (_, None) => format!("no `{TIME}` in its records"),
            _ if range(parameters).is_some() => format!("no required `{TIME}` in its records"),
            _ => {
                let is = |end: &[&str]| end.iter().any(|end| bound(parameters, end).is_some());
                match (is(&FROM), is(&[UNTIL, &[BELOW]].concat())) {
                    (false, true) => format!("no `{TIME}.begin`"),
                    (true, false) => format!("no `{TIME}.end`"),
                    _ => format!("no `{TIME}.begin` and no `{TIME}.end`"),
                }
            }
        };
        Some(format!(
            "can't be listed by time: the operation takes `{}`, but has {missing}",
            time.name
        ))
    }

    fn order_names(&self, parameters: &[Parameter]) -> Option<OrderNames> {
        let order = in_query(parameters, "order")?;
        let by = in_query(parameters, "order_by");
        let by_time = by.and_then(|by| Some((by.name.clone(), self.value(by, TIME)?)));
        if by.is_some() && by_time.is_none() {
            return None;
        }
        Some(OrderNames {
            parameter: order.name.clone(),
            ascending: self.value(order, "asc")?,
            descending: self.value(order, "desc")?,
            by: by_time,
        })
    }

    /// Returns the value in a parameter's enum that equals `word`, ignoring case. `word` must be
    /// lowercase.
    fn value(&self, of: &Parameter, word: &str) -> Option<String> {
        let mut known = self.enumeration(&of.schema)?.values.iter().map(|(_, known)| known);
        known.find(|known| known.to_lowercase() == word).cloned()
    }
}

const FROM: [&str; 2] = ["begin", "gte"];
const UNTIL: &[&str] = &["end", "lte"];
const BELOW: &str = "lt";

fn range(parameters: &[Parameter]) -> Option<RangeNames> {
    let first = |ends: &[&str]| ends.iter().find_map(|end| bound(parameters, end));
    let until = first(UNTIL);
    let until_inclusive = until.is_some();
    let until = until.or_else(|| bound(parameters, BELOW))?;
    Some(RangeNames { from: first(&FROM)?, until, until_inclusive })
}

fn bound(parameters: &[Parameter], end: &str) -> Option<String> {
    let parameter = in_query(parameters, &format!("{TIME}.{end}"))?;
    parameter.schema.is_time().then(|| parameter.name.clone())
}

/// Returns whether every record in a listing has a value for this property.
fn is_of_every_record(time: &Field) -> bool {
    time.required || time.required_of == Some(Side::Service)
}

fn is_array(field: &Field) -> bool {
    field.schema.array().is_some()
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Returns whether services commonly use this name for a cursor parameter.
fn is_cursor(name: &str) -> bool {
    const NAMES: &[&str] =
        &["after", "before", "startingafter", "pagetoken", "nexttoken", "continuationtoken"];
    let name = plain(name);
    name.ends_with("cursor") || NAMES.contains(&&*name)
}

/// Returns whether services commonly use this name for the property that leads to the next page.
fn is_next_cursor(name: &str) -> bool {
    let name = plain(name);
    let is_next = name.starts_with("next") && (name.ends_with("token") || name.contains("cursor"));
    is_next || name == "cursor" || name == "continuationtoken" || name == "hasmore"
}

/// Returns whether values of this kind are strings without a format, as required for a cursor.
pub(super) fn is_any_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(text) if text.format == Format::Text)
}

pub(super) fn in_query<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|p| p.name == name && p.location == ParameterIn::Query)
}
