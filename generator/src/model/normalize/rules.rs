//! Finds the statement about paging that applies to an operation: its own `x-pagination`, or a rule
//! at the top level of the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    named_parameters::{Parts, Problem, in_query},
    pagination::{NextName, Pagination},
    suggestion::suggested,
};
use crate::{
    document::{Message, Statements, Step},
    model::{Description, Kind, Listing, Record},
};

const KEYWORD: &str = "x-pagination";

/// The rules at the top level of the document, and what is found about them and about the
/// operations.
pub(super) struct Paging<'a> {
    rules: &'a [Value],
    /// The rules that apply to an operation, by index, each with the optional names that these
    /// operations have.
    used: BTreeMap<usize, BTreeSet<(&'static str, String)>>,
    /// The operations that look like listings but for which nothing is stated, by the
    /// `x-pagination` that they seem to need.
    unstated: BTreeMap<String, Vec<Step>>,
}

impl<'a> Paging<'a> {
    pub(super) fn of(document: &'a Value) -> Self {
        let rules = document.list(KEYWORD);
        Self { rules, used: BTreeMap::new(), unstated: BTreeMap::new() }
    }

    /// Returns the listing that an operation is, if it is one, or the errors in the statement.
    /// `own` is the operation's `x-pagination`.
    pub(super) fn listing(
        &mut self,
        description: &Description,
        operation: &Step,
        own: Option<&Value>,
        parts: Parts<'_>,
    ) -> Result<Option<Listing>, Vec<Message>> {
        if let Some(own) = own {
            let Some(names) = Pagination::stated(own) else { return Ok(None) };
            return resolved(description, &names, parts, &Step::from(KEYWORD), "");
        }
        let Some(page) = page(description, parts) else { return Ok(None) };
        for (index, rule) in self.rules.iter().enumerate() {
            let names = Pagination::stated(rule);
            let names = names.and_then(|names| narrowed(description, names, parts, page));
            if let Some(names) = names {
                self.used.entry(index).or_default().extend(names.optional_names());
                let hint = "; this rule of the document applies, because the operation has the \
                            rule's cursor: state `x-pagination` in the operation";
                let step = Step::Entry { list: KEYWORD, index };
                return resolved(description, &names, parts, &step, hint);
            }
        }
        if let Some(extension) = suggested(description, parts, page) {
            self.unstated.entry(extension).or_default().push(operation.clone());
        }
        Ok(None)
    }

    /// Returns the warnings about operations for which nothing is stated, about unused rules, and
    /// about names in a rule that no operation has.
    pub(super) fn warnings(self) -> Vec<Message> {
        let unused = (0..self.rules.len()).filter(|index| !self.used.contains_key(index));
        let unused = unused.map(|index| {
            let trail = vec![Step::Document, Step::Entry { list: KEYWORD, index }];
            Message::new(trail, "applies to no operation")
        });
        let unknown = self.used.iter().flat_map(|(index, known)| {
            let stated = self.rules.get(*index).and_then(Pagination::stated);
            let stated = stated.map(|names| names.optional_names()).unwrap_or_default();
            let unknown: Vec<_> = stated.difference(known).cloned().collect();
            unknown.into_iter().map(|(keyword, name)| {
                let entry = Step::Entry { list: KEYWORD, index: *index };
                let trail = vec![Step::Document, entry, Step::from(keyword)];
                Message::new(trail, format!("no operation with this rule has `{name}`"))
            })
        });
        let unused: Vec<_> = unused.chain(unknown).collect();
        let has_rules = !self.rules.is_empty();
        let unstated = self.unstated.into_iter().map(|(extension, operations)| {
            let reason = match operations.as_slice() {
                [_] => format!(
                    "looks like a listing, but nothing is stated for it: add `{KEYWORD}: \
                     {extension}` to the operation, or `{KEYWORD}: false` if it isn't one"
                ),
                operations => {
                    let others: Vec<_> = operations.iter().skip(1).map(Step::to_string).collect();
                    let rule = if has_rules {
                        format!("`- {extension}` to `{KEYWORD}` at the top level")
                    } else {
                        format!("`{KEYWORD}: [{extension}]` at the top level")
                    };
                    format!(
                        "looks like a listing, but nothing is stated for it; the same is true of \
                         {}: add {rule} of the document, and `{KEYWORD}: false` to each operation \
                         that isn't a listing",
                        others.join(", ")
                    )
                }
            };
            Message::new(operations.into_iter().take(1).collect(), reason)
        });
        unused.into_iter().chain(unstated).collect()
    }
}

/// Returns the listing that `names` describes, or its errors, which begin with `step` and end with
/// `hint`.
fn resolved(
    description: &Description,
    names: &Pagination,
    parts: Parts<'_>,
    step: &Step,
    hint: &str,
) -> Result<Option<Listing>, Vec<Message>> {
    let error = |Problem(at, reason)| {
        let trail = [step.clone()].into_iter().chain(at.iter().map(|step| Step::from(*step)));
        Message::new(trail.collect(), format!("{reason}{hint}"))
    };
    let found = description.resolved(names, parts);
    found.map(Some).map_err(|problems| problems.into_iter().map(error).collect())
}

/// Returns the record in an operation's response, even if the response can also be empty or null.
fn page<'a>(description: &'a Description, parts: Parts<'_>) -> Option<&'a Record> {
    let Kind::Named(name) = &parts.responses.schema.as_ref()?.kind else { return None };
    description.record_named(name)
}

/// Returns the part of a rule that applies to an operation, or `None` if the operation doesn't have
/// the rule's cursor parameter and next cursor.
fn narrowed(
    description: &Description,
    names: Pagination,
    parts: Parts<'_>,
    page: &Record,
) -> Option<Pagination> {
    let is_parameter = |name: &String| in_query(parts.parameters, name).is_some();
    let records = description.page_records(page, names.items.as_deref()).ok();
    let record = records.and_then(|(_, item)| description.record(item));
    let more = names.more.filter(|more| description.pointed(page, more.stated().1).is_ok());
    let has_next = match &names.next {
        NextName::OfPage(pointer) => description.pointed(page, pointer).is_ok(),
        NextName::OfLastRecord(pointer) => {
            more.is_some() && record.is_some_and(|of| description.pointed(of, pointer).is_ok())
        }
    };
    if !has_next || !is_parameter(&names.cursor) {
        return None;
    }
    let mut order = names.order.filter(|order| is_parameter(&order.parameter));
    if let Some(order) = &mut order {
        order.by.take_if(|(parameter, _)| !is_parameter(parameter));
    }
    let has_property = |name: &str| record.is_some_and(|record| record.property(name).is_some());
    let mut time = names.time.filter(|time| has_property(&time.property));
    if let Some(time) = &mut time {
        let has_order = order.is_some();
        time.range.take_if(|range| {
            !(has_order && is_parameter(&range.from) && is_parameter(&range.until))
        });
    }
    let mut not_with_cursor = names.not_with_cursor;
    not_with_cursor.retain(is_parameter);
    let size = names.size.filter(is_parameter);
    Some(Pagination { size, more, order, time, not_with_cursor, ..names })
}
