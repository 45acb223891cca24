//! A call under construction: the values given to its builder, and the OpenAPI description's rules
//! for these values.

use std::{collections::BTreeMap, fmt::Display};

use form_urlencoded::byte_serialize;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::HeaderValue;
use serde::Serialize;
use serde_json::Value;

use super::{Call, PreparedCall, Query, Sender};
use crate::{
    CallOptions, Error, Operation, RejectedValue,
    validate::{self, Kind, Mode, Rule},
};

/// A parameter as defined in the OpenAPI description, including the rules for its value.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) location: ParameterLocation,
    pub(crate) required: bool,
    /// The kind of value that the parameter takes. For an array, the kind of each entry.
    pub(crate) kind: Kind,
    entries: Option<Entries>,
    /// The separator between the entries of an array in the query. `None` if each entry is sent as
    /// its own `name=value` pair.
    pub(crate) separator: Option<char>,
    /// The rule that the parameter's value must follow. For an array, the rule for each entry.
    rule: Option<&'static Rule>,
}

/// The part of a request in which a parameter is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Header,
}

/// The minimum and maximum number of entries in an array, and whether the entries must be unique.
#[derive(Clone, Copy, Debug)]
struct Entries {
    least: usize,
    most: Option<usize>,
    unique: bool,
}

impl Parameter {
    /// Creates a path parameter, which is always required.
    #[must_use]
    pub const fn path(name: &'static str, kind: Kind) -> Self {
        Self::new(name, kind, ParameterLocation::Path).required()
    }

    /// Creates a query parameter, which is optional by default.
    #[must_use]
    pub const fn query(name: &'static str, kind: Kind) -> Self {
        Self::new(name, kind, ParameterLocation::Query)
    }

    /// Creates a header parameter, which is optional by default.
    #[must_use]
    pub const fn header(name: &'static str, kind: Kind) -> Self {
        Self::new(name, kind, ParameterLocation::Header)
    }

    const fn new(name: &'static str, kind: Kind, location: ParameterLocation) -> Self {
        let rule: Option<&'static Rule> = match kind {
            Kind::Time | Kind::Date => Some(&Rule::Time { text: None }),
            _ => None,
        };
        Self { name, location, required: false, kind, entries: None, separator: None, rule }
    }

    /// Makes the parameter required.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Makes the parameter an array with at least `least` and at most `most` entries. If `unique`
    /// is true, no entry may be repeated.
    #[must_use]
    pub const fn entries(self, least: usize, most: Option<usize>, unique: bool) -> Self {
        Self { entries: Some(Entries { least, most, unique }), ..self }
    }

    /// Specifies that the array is sent as one `name=value` pair, with the character `by` between
    /// the entries.
    #[must_use]
    pub const fn separated(self, by: char) -> Self {
        Self { separator: Some(by), ..self }
    }

    /// Sets the rule that the value must follow. For an array, sets the rule for each entry.
    #[must_use]
    pub const fn within(self, rule: &'static Rule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    #[cfg(feature = "sandbox")]
    pub(crate) fn is_array(&self) -> bool {
        self.entries.is_some()
    }

    /// Checks the parameter's value before the request is sent.
    pub(crate) fn check(&self, value: &Value, mode: Mode) -> Result<(), RejectedValue> {
        let Some(Entries { least, most, unique }) = self.entries else {
            return self.rule.map_or(Ok(()), |rule| rule.check("", value));
        };
        let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_filter = mode != Mode::Send && self.location == ParameterLocation::Query;
        // In `Items` mode, repeated entries are removed from a filter array, and the array is split
        // over several requests with at least one entry each. So the maximum and the uniqueness
        // aren't checked here.
        let is_split = is_filter && mode == Mode::Items && most.is_some() && least <= 1;
        if entries.is_empty() && least == 0 && !is_filter {
            let others = if self.required { "" } else { ", or leave it out" };
            let reason =
                format!("is empty, and an empty array can't be sent: add an entry{others}");
            return Err(reason.into());
        }
        let least = if is_filter && entries.is_empty() { 0 } else { least };
        let (most, unique) = (most.filter(|_| !is_split), unique && !is_split);
        Rule::Array { least, most, unique, items: self.rule }.check("", value)?;
        // In a query, a comma within an entry is percent-encoded, so it isn't mistaken for a
        // separator (RFC 6570).
        let separator = match self.location {
            ParameterLocation::Header => Some(','),
            _ => self.separator.filter(|by| *by != ','),
        };
        let Some(by) = separator else { return Ok(()) };
        match self.texts(value).iter().position(|text| text.contains(by)) {
            Some(at) => {
                let reason = format!("contains `{by}`, which separates the entries");
                Err(RejectedValue::at(format!("[{at}]"), reason))
            }
            None => Ok(()),
        }
    }

    /// Converts the parameter's value to text. For an array, returns one string per entry. For any
    /// other value, returns a single string.
    fn texts(&self, value: &Value) -> Vec<String> {
        match value.as_array().filter(|_| self.entries.is_some()) {
            Some(entries) => entries.iter().map(text).collect(),
            None => vec![text(value)],
        }
    }
}

/// The parameter values that were passed to a builder, keyed by each parameter's index in the
/// operation's list of parameters.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "it holds values that shouldn't be logged")]
pub struct Draft {
    sender: Sender,
    given: BTreeMap<usize, Result<Value, Unconverted>>,
}

/// The part of a parameter's value that could not be converted: the whole value, or a single array
/// entry with its index.
#[derive(Clone, Copy)]
enum Unconverted {
    Value,
    Entry(usize),
}

impl Draft {
    /// Creates a draft without any parameter values.
    #[must_use]
    pub const fn new(sender: Sender) -> Self {
        Self { sender, given: BTreeMap::new() }
    }

    /// Overrides the client's options for this call.
    pub fn options(&mut self, options: CallOptions) {
        self.sender = self.sender.with_options(options);
    }

    /// Sets the value of the parameter at the index `parameter`. `None` means that the value could
    /// not be converted.
    pub fn set<T: Serialize>(&mut self, parameter: usize, value: Option<T>) {
        self.given.insert(parameter, value.and_then(json).ok_or(Unconverted::Value));
    }

    /// Sets the entries of the array parameter at the index `parameter`. An entry that could not be
    /// converted is passed as `None`.
    pub fn set_all<T: Serialize>(
        &mut self,
        parameter: usize,
        entries: impl Iterator<Item = Option<T>>,
    ) {
        let entry =
            |(at, entry): (usize, Option<T>)| entry.and_then(json).ok_or(Unconverted::Entry(at));
        self.given.insert(parameter, entries.enumerate().map(entry).collect());
    }

    /// Builds the call.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if a parameter is missing or invalid.
    pub fn prepare(
        self,
        operation: Operation,
        parameters: &[Parameter],
        mode: Mode,
    ) -> Result<PreparedCall, Error> {
        self.prepared(operation, parameters, mode).map_err(|error| error.with_operation(operation))
    }

    fn prepared(
        self,
        operation: Operation,
        parameters: &[Parameter],
        mode: Mode,
    ) -> Result<PreparedCall, Error> {
        let mut path = operation.path().to_owned();
        let (mut query, mut headers) = (Query::default(), Vec::new());
        let mut is_empty = false;
        let cursor = operation.listing().map(|listing| listing.cursor);
        for (at, parameter) in parameters.iter().enumerate() {
            let name = parameter.name;
            let value = match self.given.get(&at) {
                Some(Ok(value)) => value,
                Some(Err(unconverted)) => {
                    let place = match unconverted {
                        Unconverted::Value => String::new(),
                        Unconverted::Entry(at) => format!("[{at}]"),
                    };
                    let reason = format!("is not {}", parameter.kind.words());
                    return Err(Error::rejected(name, RejectedValue::at(place, reason)));
                }
                None if parameter.required => {
                    return Err(Error::rejected(name, "is missing"));
                }
                None => continue,
            };
            let checked = parameter.check(value, mode);
            checked.map_err(|rejected| Error::rejected(name, rejected))?;
            let texts = parameter.texts(value);
            match parameter.location {
                ParameterLocation::Path => {
                    fit_in_url(name, &texts)?;
                    let text = texts.concat();
                    validate::segment(name, &text)?;
                    let text = utf8_percent_encode(&text, ENCODED).to_string();
                    path = path.replace(&format!("{{{name}}}"), &text);
                }
                // An empty cursor isn't sent. Some services return an empty cursor with a listing's
                // last page, to say that there is no next page.
                ParameterLocation::Query if cursor == Some(name) && value == "" => {}
                ParameterLocation::Query => {
                    fit_in_url(name, &texts)?;
                    is_empty |= texts.is_empty();
                    query.separate(name, parameter.separator);
                    query.add(name, texts);
                }
                ParameterLocation::Header => headers.push((name, header(parameter, &texts)?)),
            }
        }
        let call = Call { operation, path, query, headers, body: None };
        Ok(PreparedCall { sender: self.sender, call, is_empty })
    }
}

impl PreparedCall {
    /// Adds the request body, which is either a finished value or a builder.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if the body is missing or invalid.
    pub fn with_body<T: Serialize, B: TryInto<T, Error: Display>>(
        mut self,
        body: Option<Result<B, String>>,
        required: bool,
        rule: Option<&Rule>,
    ) -> Result<Self, Error> {
        let operation = self.call.operation;
        self.call.body =
            self::body(body, required, rule).map_err(|error| error.with_operation(operation))?;
        Ok(self)
    }
}

fn body<T: Serialize, B: TryInto<T, Error: Display>>(
    body: Option<Result<B, String>>,
    required: bool,
    rule: Option<&Rule>,
) -> Result<Option<Vec<u8>>, Error> {
    match body {
        Some(body) => {
            let body = body.and_then(|body| body.try_into().map_err(|e| e.to_string()));
            validate::checked_body(&body.map_err(Error::invalid)?, rule).map(Some)
        }
        None if required => Err(Error::rejected(None, "is missing")),
        None => Ok(None),
    }
}

/// Converts a value to JSON. Returns `None` for a value that JSON can't express, such as NaN.
fn json(value: impl Serialize) -> Option<Value> {
    serde_json::to_value(value).ok().filter(|json| !json.is_null())
}

/// The characters that are percent-encoded in a path parameter: all except the unreserved
/// characters, as in OpenAPI's `style: simple` (RFC 6570, section 3.2.2).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum length of an encoded value in a URL, in bytes. The `http` crate limits a whole URL
/// to 65,534 bytes.
const MAX_BYTES_IN_URL: usize = 60_000;

fn fit_in_url(name: &'static str, texts: &[String]) -> Result<(), Error> {
    let sent = |text: &str| byte_serialize(text.as_bytes()).map(str::len).sum::<usize>();
    let Some(text) = texts.iter().find(|text| sent(text) > MAX_BYTES_IN_URL) else { return Ok(()) };
    let length = text.len();
    Err(Error::rejected(name, format!("has {length} bytes, more than a URL can contain")))
}

/// Converts a value to the text that is sent in a path, a query or a header. A whole number such as
/// `5.0` becomes `5`.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        value => value.to_string(),
    }
}

/// Joins a parameter's values with commas into a header value (`style: simple` in OpenAPI).
fn header(parameter: &Parameter, texts: &[String]) -> Result<HeaderValue, Error> {
    let name = parameter.name;
    // The recipient removes leading and trailing spaces and tabs from a header value (RFC 9110,
    // section 5.5).
    let is_lost = |text: &String| text.trim_matches([' ', '\t']) != text;
    if let Some(at) = texts.iter().position(is_lost) {
        let place = parameter.entries.map(|_| format!("[{at}]")).unwrap_or_default();
        let reason = "begins or ends with a space or tab, which HTTP would remove";
        return Err(Error::rejected(name, RejectedValue::at(place, reason)));
    }
    HeaderValue::from_str(&texts.join(","))
        .map_err(|_| Error::rejected(name, "contains a character that a header can't contain"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_split_is_within_its_bounds_in_every_mode() {
        let query = Parameter::query("a", Kind::Text);
        let open = query.entries(2, None, true);
        let split = query.entries(1, Some(1), true);
        let pair = query.entries(2, Some(2), false);
        let header = Parameter::header("a", Kind::Text).entries(1, Some(1), false);
        let free = query.entries(0, None, false);
        let empty = "`a` is empty, and an empty array can't be sent: add an entry";
        let leave_out = format!("{empty}, or leave it out");
        let leave_out = leave_out.as_str();
        let few = "`a` has 1 entry, the minimum is 2";
        let many = "`a` has 2 entries, the maximum is 1";
        let cases = [
            (open, Mode::Items, json!([]), Ok(())),
            (open, Mode::Items, json!(["b"]), Err(few)),
            (open, Mode::Items, json!(["b", "b"]), Err("`a[1]` repeats an earlier entry")),
            (open, Mode::Pages, json!(["b"]), Err(few)),
            (split, Mode::Items, json!(["b", "b"]), Ok(())),
            (split, Mode::Pages, json!(["b", "c"]), Err(many)),
            (pair, Mode::Items, json!(["b", "c", "d"]), Err("`a` has 3 entries, the maximum is 2")),
            (pair, Mode::Items, json!([]), Ok(())),
            (header, Mode::Items, json!(["b", "c"]), Err(many)),
            (header, Mode::Items, json!([]), Err("`a` has 0 entries, the minimum is 1")),
            (free, Mode::Items, json!([]), Ok(())),
            (free, Mode::Send, json!([]), Err(leave_out)),
            (free.required(), Mode::Send, json!([]), Err(empty)),
        ];
        for (number, (parameter, mode, entries, expected)) in cases.into_iter().enumerate() {
            let checked = parameter.check(&entries, mode).map_err(|rejected| rejected.message("a"));
            assert_eq!(checked, expected.map_err(str::to_owned), "{number}: {entries}");
        }
    }

    #[test]
    fn a_header_does_not_begin_or_end_with_a_blank() {
        let lost = " begins or ends with a space or tab, which HTTP would remove";
        let one = Parameter::header("a", Kind::Text);
        let several = one.entries(0, None, false);
        for (parameter, texts, refused) in [
            (one, &["b c"] as &[&str], None),
            (one, &[""], None),
            (one, &[" b"], Some("`a`")),
            (one, &["b\t"], Some("`a`")),
            (several, &["b", "c "], Some("`a[1]`")),
        ] {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            let header = header(&parameter, &texts).map_err(|error| error.to_string());
            let expected = refused.map_or(Ok(()), |name| Err(format!("{name}{lost}")));
            assert_eq!(header.map(|_| ()), expected, "{texts:?}");
        }
    }

    #[test]
    fn an_entry_that_contains_what_separates_entries_is_refused() {
        let query = Parameter::query("a", Kind::Text).entries(0, None, false);
        let header = Parameter::header("a", Kind::Text).entries(0, None, false);
        let separated = "`a[1]` contains `,`, which separates the entries";
        let piped = "`a[1]` contains `|`, which separates the entries";
        for (parameter, entries, expected) in [
            (header, json!(["b", "c,d"]), Err(separated)),
            (header, json!(["b", "c|d"]), Ok(())),
            (query.separated('|'), json!(["b", "c|d"]), Err(piped)),
            // A comma within an entry is percent-encoded, so the entry is accepted.
            (query.separated(','), json!(["b", "c,d"]), Ok(())),
            (query, json!(["b", "c,d|e"]), Ok(())),
        ] {
            let checked = parameter.check(&entries, Mode::Send);
            let checked = checked.map_err(|rejected| rejected.message("a"));
            assert_eq!(checked, expected.map_err(str::to_owned), "{entries}");
        }
    }
}
