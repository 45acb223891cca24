//! Resolves the names in `x-pagination`: checks that each property exists and has the right type.

use super::{
    named_parameters::{
        Parts, Problem, filters, is_cursor, is_uuid, not_with_cursor, page_size, time_range,
    },
    pagination::{MoreName, NextName, Pagination},
};
use crate::model::{
    Description, Field, Form, Kind, Listing, More, Next, Record, Responses, Schema, Side,
};

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
}
