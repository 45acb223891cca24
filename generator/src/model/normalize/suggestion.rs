//! Suggests an `x-pagination` for an operation that looks like a listing. The suggestion is only
//! printed in a warning: nothing is generated from it.

use super::{
    named_parameters::Parts,
    pagination::{MoreName, NextName, Pagination},
};
use crate::model::{Description, Field, Kind, ParameterIn, Record};

/// Returns the `x-pagination` of an operation that looks like a listing, in YAML. Returns `None` if
/// the operation doesn't look like a listing, or pages in a way that isn't supported.
pub(super) fn suggested(
    description: &Description,
    parts: Parts<'_>,
    page: &Record,
) -> Option<String> {
    let query = || parts.parameters.iter().filter(|p| p.location == ParameterIn::Query);
    let cursors = query().filter(|p| is_cursor(&p.name)).map(|p| p.name.clone());
    let size = query().find(|p| is_size(&p.name) && matches!(p.schema.kind, Kind::Integer(_)));
    let fields = fields(description, page);
    let more = fields.iter().find_map(|(pointer, field)| {
        let is_boolean = matches!(field.schema.kind, Kind::Boolean);
        is_boolean.then(|| more(&field.wire, pointer)).flatten()
    });
    let nexts = fields.iter().filter(|(_, field)| is_next(&field.wire));
    let nexts = nexts.map(|(pointer, _)| NextName::OfPage(pointer.clone()));
    let last = more.is_some().then(|| NextName::OfLastRecord("/id".into()));
    let nexts: Vec<_> = nexts.chain(last).collect();
    let items = || {
        let of_records = |(_, field): &&(String, &Field)| {
            field.schema.array().is_some_and(|array| description.record(&array.each).is_some())
        };
        let mut arrays = fields.iter().filter(of_records).map(|(pointer, _)| pointer.clone());
        arrays.next().filter(|_| arrays.next().is_none())
    };
    let is_found = description.page_records(page, None).is_ok();
    let items = if is_found { None } else { items() };
    let mut candidates = cursors.flat_map(|cursor| {
        let (items, size, more) = (&items, size, &more);
        nexts.iter().map(move |next| Pagination {
            cursor: cursor.clone(),
            next: next.clone(),
            items: items.clone(),
            size: size.map(|size| size.name.clone()),
            more: more.clone(),
            order: None,
            time: None,
            not_with_cursor: Vec::new(),
        })
    });
    candidates.find(|names| description.resolved(names, parts).is_ok()).map(|names| yaml(&names))
}

/// Returns the fields of a page and of the records directly in it, each with its JSON pointer.
fn fields<'a>(description: &'a Description, page: &'a Record) -> Vec<(String, &'a Field)> {
    let step = |field: &Field| format!("/{}", field.wire.replace('~', "~0").replace('/', "~1"));
    let mut fields: Vec<_> = page.fields.iter().map(|field| (step(field), field)).collect();
    for outer in &page.fields {
        let inner = description.record(&outer.schema).into_iter().flat_map(|record| &record.fields);
        fields.extend(inner.map(|field| (step(outer) + &step(field), field)));
    }
    fields
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Returns whether services commonly use this name for a cursor parameter.
fn is_cursor(name: &str) -> bool {
    const NAMES: &[&str] =
        &["after", "startingafter", "pagetoken", "nexttoken", "continuationtoken"];
    let name = plain(name);
    name.ends_with("cursor") || NAMES.contains(&&*name)
}

/// Returns whether services commonly use this name for the next page's cursor.
fn is_next(name: &str) -> bool {
    const NAMES: &[&str] = &["next", "after", "cursor", "endcursor", "continuationtoken"];
    let name = plain(name);
    let is_next = name.starts_with("next") && (name.ends_with("token") || name.contains("cursor"));
    is_next || NAMES.contains(&&*name)
}

/// Returns whether services commonly use this name for the page size.
fn is_size(name: &str) -> bool {
    matches!(&*plain(name), "limit" | "count" | "size" | "pagesize" | "perpage" | "maxresults")
}

fn more(name: &str, pointer: &str) -> Option<MoreName> {
    match &*plain(name) {
        "hasmore" | "more" | "hasnext" | "hasnextpage" => Some(MoreName::While(pointer.into())),
        "done" | "islast" | "islastpage" | "lastpage" => Some(MoreName::End(pointer.into())),
        _ => None,
    }
}

/// Returns the names as a YAML object on one line.
fn yaml(names: &Pagination) -> String {
    let next = match &names.next {
        NextName::OfPage(pointer) => scalar(pointer),
        NextName::OfLastRecord(pointer) => format!("{{last: {}}}", scalar(pointer)),
    };
    let mut statements = vec![("cursor", scalar(&names.cursor)), ("next", next)];
    statements.extend(names.items.as_ref().map(|items| ("items", scalar(items))));
    statements.extend(names.size.as_ref().map(|size| ("size", scalar(size))));
    let more = names.more.as_ref().map(MoreName::stated);
    statements.extend(more.map(|(keyword, pointer)| (keyword, scalar(pointer))));
    let statements = statements.iter().map(|(keyword, value)| format!("{keyword}: {value}"));
    format!("{{{}}}", statements.collect::<Vec<_>>().join(", "))
}

/// Returns a string as a YAML scalar. Quotes it if YAML could read it as something else.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c == '/' || c == '_' || c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/_.~-".contains(c));
    let is_word = matches!(&*text.to_lowercase(), "true" | "false" | "null" | "yes" | "no");
    if is_plain && !is_word { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}
