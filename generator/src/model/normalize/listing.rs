//! Resolves the names in `x-pagination`: checks that each parameter and each property exists and
//! has the right type.

use super::pagination::{MoreName, NextName, OrderNames, Pagination, RangeNames};
use crate::{
    document::Format,
    model::{
        Body, Description, Field, Form, Kind, Listing, More, Next, Order, OrderKey, PageSize,
        Parameter, ParameterIn, Record, Responses, Schema, Side, TimeRange,
    },
};

/// The parts of an operation that `x-pagination` may name.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub parameters: &'a [Parameter],
    pub body: Option<&'a Body>,
    pub responses: &'a Responses,
}

/// A problem with a name in `x-pagination`: the steps to the keyword that states the name, and a
/// message.
pub(super) struct Problem(pub &'static [&'static str], pub String);

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn keep<T>(&mut self, found: Result<T, Problem>) -> Option<T> {
        found.map_err(|problem| self.0.push(problem)).ok()
    }
}

/// The name of the property that identifies a record.
const ID: &str = "id";

const AT_NEXT: &[&str] = &["next"];

impl Description {
    /// Makes the field for the next page's cursor optional, because the last page has no next page.
    /// In the fields that lead to the cursor, the records or `more`, null means the same as an
    /// absent field.
    pub(super) fn make_cursor_optional(&mut self, listing: &Listing) {
        let next = if let Next::OfPage(next) = &listing.next { Some(next) } else { None };
        let more = listing.more.as_ref().map(|more| &more.field);
        for path in [&listing.records].into_iter().chain(next).chain(more) {
            for end in 1..=path.len() {
                if let Some(field) = self.field_mut(&listing.page, &path[..end]) {
                    field.clearable = false;
                }
            }
        }
        let Some(field) = next.and_then(|next| self.field_mut(&listing.page, next)) else { return };
        if field.required || field.required_of.is_some() {
            field.required_of = Some(Side::Client);
        }
        (field.required, field.null, field.next_cursor) = (false, false, true);
    }

    fn field_mut(&mut self, page: &str, path: &[String]) -> Option<&mut Field> {
        let (owner, name) = self.owner(page, path)?;
        let Form::Record(record) = &mut self.types.get_mut(&owner)?.form else { return None };
        record.fields.iter_mut().find(|field| field.name == name)
    }

    /// Returns the listing that `names` describes, or the problems with the names.
    pub(super) fn resolved(
        &self,
        names: &Pagination,
        parts: Parts<'_>,
    ) -> Result<Listing, Vec<Problem>> {
        let Parts { parameters, responses, .. } = parts;
        let mut problems = Problems::default();
        let page = problems.keep(self.page(responses));
        let cursor = problems.keep(self.cursor(names, parts));
        let more = page.and_then(|page| problems.keep(self.more(names, page)));
        let records = page.and_then(|page| {
            let records = self.page_records(page, names.items.as_deref());
            problems.keep(records.map_err(|text| Problem(&["items"], text)))
        });
        let item = records.as_ref().map(|(_, item)| *item);
        let from = match names.next {
            NextName::OfPage(_) => page,
            NextName::OfLastRecord(_) => item.and_then(|item| self.record(item)),
        };
        let sent = cursor.map(|cursor| &cursor.schema.kind);
        let next = from.and_then(|from| problems.keep(self.next(&names.next, from, sent)));
        if item.is_some() && from.is_none() {
            let text = "a record is not an object with properties";
            problems.0.push(Problem(AT_NEXT, text.into()));
        }
        let created_at = item.and_then(|item| problems.keep(self.created_at(names, item)));
        let size = problems.keep(page_size(names, parameters));
        let order = names.order.as_ref().map(|order| self.order(order, parameters));
        let order = problems.keep(order.transpose());
        let time_range = problems.keep(time_range(names, parameters));
        let not_with_cursor = problems.keep(not_with_cursor(names, parameters));
        let made = (|| {
            let (records, item) = records?;
            Some(Listing {
                page: page?.name.clone(),
                records,
                item: item.clone(),
                id: self.identifier(item),
                cursor: names.cursor.clone(),
                next: next?,
                more: more?,
                not_with_cursor: not_with_cursor?,
                filters: filters(parameters),
                size: size?,
                created_at: created_at?,
                order: order?,
                time_range: time_range?,
            })
        })();
        made.filter(|_| problems.0.is_empty()).ok_or(problems.0)
    }

    /// Returns the type of a page, which is the operation's response. The response must always be
    /// an object with properties.
    fn page(&self, responses: &Responses) -> Result<&Record, Problem> {
        let schema = responses.schema.as_ref();
        if responses.may_be_empty || schema.is_some_and(|schema| schema.nullable) {
            return Err(Problem(AT_NEXT, "the response can be empty or null".into()));
        }
        let record = schema.and_then(|schema| self.record(schema));
        record
            .ok_or_else(|| Problem(AT_NEXT, "the response is not an object with properties".into()))
    }

    /// Follows a JSON pointer (RFC 6901) from a record, such as a page. Returns the names of all
    /// fields along the pointer, and the last field.
    pub(super) fn pointed<'a>(
        &'a self,
        from: &'a Record,
        pointer: &str,
    ) -> Result<(Vec<String>, &'a Field), String> {
        let nowhere = |step: &str| format!("`{pointer}` points to nothing: there is no `{step}`");
        let Some(steps) = pointer.strip_prefix('/') else {
            return Err(format!(
                "`{pointer}` is not a JSON pointer, which must begin with `/`: a cursor in a \
                 response header isn't supported"
            ));
        };
        let (mut names, mut at, mut found) = (Vec::new(), Some(from), None::<&Field>);
        for step in steps.split('/') {
            if found.is_some_and(|field| field.schema.array().is_some()) {
                return Err(format!("`{pointer}` points into an array, which isn't supported"));
            }
            let step = step.replace("~1", "/").replace("~0", "~");
            let field = at.and_then(|at| at.property(&step)).ok_or_else(|| nowhere(&step))?;
            names.push(field.name.clone());
            at = self.record(&field.schema);
            found = Some(field);
        }
        found.map(|field| (names, field)).ok_or_else(|| nowhere(""))
    }

    /// Follows a field path from a page. Returns the name of the record that contains the last
    /// field, and the name of that field.
    fn owner(&self, page: &str, names: &[String]) -> Option<(String, String)> {
        let (last, steps) = names.split_last()?;
        let mut at = self.record_named(page)?;
        for step in steps {
            at = self.record(&at.field(step)?.schema)?;
        }
        Some((at.name.clone(), last.clone()))
    }

    /// Returns the parameter for the cursor.
    fn cursor<'a>(&self, names: &Pagination, parts: Parts<'a>) -> Result<&'a Parameter, Problem> {
        let name = &names.cursor;
        let elsewhere = || {
            let body = parts.body.and_then(|body| self.record(&body.schema));
            let is_header = |p: &Parameter| p.location == ParameterIn::Header && p.name == *name;
            let place = match () {
                () if body.is_some_and(|body| body.property(name).is_some()) => "the request body",
                () if parts.parameters.iter().any(is_header) => "a header",
                () => return format!("there is no query parameter `{name}`"),
            };
            format!("`{name}` is in {place}: a cursor that isn't in the query isn't supported")
        };
        let cursor = in_query(parts.parameters, name);
        let cursor = cursor.ok_or_else(|| Problem(&["cursor"], elsewhere()))?;
        let may_be_uuid = matches!(names.next, NextName::OfLastRecord(_));
        let problem = match &cursor.schema.kind {
            Kind::Text(text) if text.is_url => "is a URL, which isn't supported as a cursor",
            kind if !is_cursor(kind, may_be_uuid) => {
                "must be a string without a `format`, or an integer"
            }
            _ if cursor.required => "is required, but the first request has no cursor",
            _ => return Ok(cursor),
        };
        Err(Problem(&["cursor"], format!("the query parameter `{name}` {problem}")))
    }

    /// Returns the place of the next page's cursor. `from` is the page, or the page's last record.
    /// `sent` is the kind of the cursor parameter, if it is known.
    fn next(&self, name: &NextName, from: &Record, sent: Option<&Kind>) -> Result<Next, Problem> {
        let (at, pointer, is_of_record): (&[&str], _, _) = match name {
            NextName::OfPage(pointer) => (AT_NEXT, pointer, false),
            NextName::OfLastRecord(pointer) => (&["next", "last"], pointer, true),
        };
        let (steps, field) = self.pointed(from, pointer).map_err(|text| Problem(at, text))?;
        let problem = match (&field.schema.kind, sent) {
            (Kind::Text(text), _) if text.is_url => {
                "is a URL: the URL of a next page isn't supported"
            }
            (kind @ Kind::Text(_), _) if !is_cursor(kind, is_of_record) => {
                "has a `format`, but a cursor must be a plain string"
            }
            (kind, _) if !is_cursor(kind, is_of_record) => "is neither a string nor an integer",
            (Kind::Text(_), Some(Kind::Integer(_))) => {
                "is a string, but the cursor's query parameter is an integer"
            }
            (kind, Some(sent)) if is_uuid(sent) && !is_uuid(kind) => {
                "is not a UUID, but the cursor's query parameter is one"
            }
            _ if is_of_record => return Ok(Next::OfLastRecord(steps)),
            _ => return Ok(Next::OfPage(steps)),
        };
        Err(Problem(at, format!("`{pointer}` {problem}")))
    }

    /// Returns the boolean that says whether another page follows, or `None` if `x-pagination`
    /// doesn't name such a boolean.
    fn more(&self, names: &Pagination, page: &Record) -> Result<Option<More>, Problem> {
        let Some(more) = &names.more else { return Ok(None) };
        let (pointer, at, is_end): (_, &[&str], _) = match more {
            MoreName::While(pointer) => (pointer, &["while"], false),
            MoreName::End(pointer) => (pointer, &["end"], true),
        };
        match self.pointed(page, pointer).map_err(|text| Problem(at, text))? {
            (field, of) if matches!(of.schema.kind, Kind::Boolean) => {
                Ok(Some(More { field, is_end }))
            }
            _ => Err(Problem(at, format!("`{pointer}` is not a boolean"))),
        }
    }

    /// Returns the field path from a page to its records, and the schema of a record. If `pointer`
    /// is `None`, the records are the page's only array or, if the page has several arrays, the
    /// array named `items`.
    pub(super) fn page_records<'a>(
        &'a self,
        page: &'a Record,
        pointer: Option<&str>,
    ) -> Result<(Vec<String>, &'a Schema), String> {
        let (steps, field) = if let Some(pointer) = pointer {
            self.pointed(page, pointer)?
        } else {
            let arrays = || page.fields.iter().filter(|field| field.schema.array().is_some());
            let only = arrays().next().filter(|_| arrays().count() == 1);
            let found = only.or_else(|| arrays().find(|field| field.wire == "items"));
            let field = found.ok_or_else(|| {
                let count = arrays().count();
                format!(
                    "the response has {count} arrays, and `items` doesn't name the one with the \
                     records"
                )
            })?;
            (vec![field.name.clone()], field)
        };
        let name = pointer.map_or_else(|| format!("/{}", field.wire), str::to_owned);
        let Some(array) = field.schema.array() else {
            return Err(match field.schema.kind {
                Kind::Map(_) => format!("`{name}` is a map: records by key aren't supported"),
                _ => format!("`{name}` is not an array"),
            });
        };
        if array.each.nullable {
            return Err(format!("a record in `{name}` can be null"));
        }
        Ok((steps, &array.each))
    }

    /// Returns the name of the property that identifies a record. The property must be a string or
    /// an integer. An enum isn't accepted, because it states a record's kind rather than its
    /// identity.
    fn identifier(&self, item: &Schema) -> Option<String> {
        let id = self.record(item)?.property(ID)?;
        let is_identifier = match &id.schema.kind {
            Kind::Text(_) => true,
            Kind::Integer(integer) => integer.known.is_empty(),
            _ => false,
        };
        is_identifier.then(|| id.wire.clone())
    }

    /// Returns the name of the property with a record's creation time.
    fn created_at(&self, names: &Pagination, item: &Schema) -> Result<Option<String>, Problem> {
        let Some(time) = &names.time else { return Ok(None) };
        let property = &time.property;
        let field = self.record(item).and_then(|record| record.property(property));
        let other = self.operations.iter().find_map(|operation| {
            let listing = operation.listing.as_ref().filter(|listing| listing.is_of(item))?;
            let other = listing.created_at.as_ref().filter(|other| *other != property)?;
            Some(format!(
                "`{property}` can't be the time of these records, because `{}` lists the same \
                 records by `{other}`: give one of the two listings a schema of its own for its \
                 records",
                operation.id
            ))
        });
        let problem = match field {
            Some(field) if field.schema.is_time() => match other {
                None => return Ok(Some(property.clone())),
                Some(problem) => problem,
            },
            Some(_) => format!("`{property}` is not a `date-time`"),
            None => format!("a record has no property `{property}`"),
        };
        Err(Problem(&["time", "property"], problem))
    }

    /// Returns the parameters that sort the records by creation time.
    fn order(&self, names: &OrderNames, parameters: &[Parameter]) -> Result<Order, Problem> {
        let OrderNames { parameter, ascending, descending, by } = names;
        let order = stated(parameters, parameter, &["order", "parameter"])?;
        self.takes(order, ascending, &["order", "ascending"])?;
        self.takes(order, descending, &["order", "descending"])?;
        if ascending == descending {
            return Err(Problem(&["order", "descending"], "is the same as `ascending`".into()));
        }
        let key = by.as_ref().map(|(parameter, by_time)| {
            let by = stated(parameters, parameter, &["order", "by", "parameter"])?;
            self.takes(by, by_time, &["order", "by", "time"])?;
            let known = self.enumeration(&by.schema);
            let is_only = known.is_some_and(|known| known.values.len() == 1);
            let is_default = default(by).map_or(is_only, |default| default == *by_time);
            let (parameter, by_time) = (parameter.clone(), by_time.clone());
            Ok(OrderKey { parameter, by_time, is_default })
        });
        let ascending_by_default = default(order).and_then(|word| {
            let is_descending = || (word == *descending).then_some(false);
            (word == *ascending).then_some(true).or_else(is_descending)
        });
        Ok(Order {
            parameter: parameter.clone(),
            ascending: ascending.clone(),
            descending: descending.clone(),
            ascending_by_default,
            key: key.transpose()?,
        })
    }

    /// Checks that `word` is a valid value for a parameter.
    fn takes(
        &self,
        of: &Parameter,
        word: &str,
        at: &'static [&'static str],
    ) -> Result<(), Problem> {
        let is_taken = match &of.schema.kind {
            Kind::Boolean => matches!(word, "true" | "false"),
            Kind::Integer(integer) => word
                .parse()
                .is_ok_and(|number| integer.known.is_empty() || integer.known.contains(&number)),
            kind if is_any_text(kind) => true,
            _ => match self.enumeration(&of.schema) {
                Some(known) => known.values.iter().any(|(_, known)| known == word),
                None => false,
            },
        };
        if is_taken {
            return Ok(());
        }
        Err(Problem(at, format!("`{word}` is not a value of the query parameter `{}`", of.name)))
    }
}

/// Returns the query parameter with this name. If there is no such parameter, returns a problem
/// that refers to the keyword `at`.
fn stated<'a>(
    parameters: &'a [Parameter],
    name: &str,
    at: &'static [&'static str],
) -> Result<&'a Parameter, Problem> {
    let nothing = || Problem(at, format!("there is no query parameter `{name}`"));
    in_query(parameters, name).ok_or_else(nothing)
}

/// Returns whether values of this kind can be cursors: strings without a format, integers and, if
/// `may_be_uuid` is true, UUIDs.
fn is_cursor(kind: &Kind, may_be_uuid: bool) -> bool {
    is_any_text(kind) || matches!(kind, Kind::Integer(_)) || (may_be_uuid && is_uuid(kind))
}

fn is_uuid(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(text) if text.format == Format::Uuid)
}

/// Returns whether values of this kind are strings without a format.
fn is_any_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(text) if text.format == Format::Text && !text.is_url)
}

pub(super) fn in_query<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|p| p.name == name && p.location == ParameterIn::Query)
}

/// Returns the parameter for the page size, with the smallest size that the parameter allows.
fn page_size(names: &Pagination, parameters: &[Parameter]) -> Result<Option<PageSize>, Problem> {
    let Some(name) = &names.size else { return Ok(None) };
    let parameter = stated(parameters, name, &["size"])?;
    let Kind::Integer(size) = &parameter.schema.kind else {
        return Err(Problem(&["size"], format!("the query parameter `{name}` is not an integer")));
    };
    let least = size.least.unwrap_or(1).max(1);
    let of = size.multiple_of.unwrap_or(1).max(1);
    let smallest = if size.known.is_empty() {
        Some(least.saturating_add(of - 1) / of * of)
    } else {
        size.known.iter().filter(|size| **size >= least && **size % of == 0).min().copied()
    };
    let smallest = smallest.map(|size| size.to_string());
    Ok(Some(PageSize { parameter: name.clone(), smallest }))
}

/// Returns the parameters for the lower and the upper bound on a record's creation time.
fn time_range(names: &Pagination, parameters: &[Parameter]) -> Result<Option<TimeRange>, Problem> {
    let range = names.time.as_ref().and_then(|time| time.range.as_ref());
    let Some(RangeNames { from, until, until_inclusive }) = range else { return Ok(None) };
    let bounds: [(_, &[&str]); 2] = [(from, &["time", "from"]), (until, &["time", "until"])];
    for (name, at) in bounds {
        if !stated(parameters, name, at)?.schema.is_time() {
            return Err(Problem(at, format!("the query parameter `{name}` is not a `date-time`")));
        }
    }
    if from == until {
        return Err(Problem(&["time", "until"], "is the same as `from`".into()));
    }
    if names.order.is_none() {
        return Err(Problem(&["time", "from"], "time bounds need an `order`".into()));
    }
    let (from, until) = (from.clone(), until.clone());
    Ok(Some(TimeRange { from, until, until_inclusive: *until_inclusive }))
}

fn not_with_cursor(names: &Pagination, parameters: &[Parameter]) -> Result<Vec<String>, Problem> {
    const AT: &[&str] = &["not-with-cursor"];
    for name in &names.not_with_cursor {
        let parameter = stated(parameters, name, AT)?;
        if *name == names.cursor {
            return Err(Problem(AT, format!("`{name}` is the cursor itself")));
        }
        if parameter.required {
            let problem = format!("`{name}` is required, so it can't be omitted with a cursor");
            return Err(Problem(AT, problem));
        }
    }
    Ok(names.not_with_cursor.clone())
}

/// Returns the filters that may be split across several requests, each with the maximum number of
/// entries per request.
fn filters(parameters: &[Parameter]) -> Vec<(String, usize)> {
    let in_query = parameters.iter().filter(|p| p.location == ParameterIn::Query);
    let filters = in_query.filter_map(|p| {
        let size = p.schema.array()?.size;
        // A split can leave a single entry for a request, so a filter that needs more entries can't
        // be split.
        let most = size.most.filter(|_| size.least <= 1)?;
        Some((p.name.clone(), most))
    });
    filters.collect()
}

fn default(parameter: &Parameter) -> Option<String> {
    let default = parameter.default.as_ref()?;
    Some(default.as_str().map_or_else(|| default.to_string(), str::to_owned))
}
