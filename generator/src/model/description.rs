//! The description as the generator sees it: operations, and the named schemas that they reach.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::{Enum, Form, Kind, Listing, Record, Schema, Side, Type};

/// Whether an operation is sent with a token. The runtime has an enum of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Never,
    IfAny,
    Always,
}

#[derive(Default)]
pub(crate) struct Description {
    /// What looks like a listing, but isn't treated as one.
    pub warnings: Vec<String>,
    pub title: String,
    pub version: String,
    pub about: Option<String>,
    pub operations: Vec<Operation>,
    /// The names of schemas, in the order of the description.
    pub names: Vec<String>,
    /// Named schemas that an operation reaches.
    pub types: BTreeMap<String, Type>,
    /// Named schemas that requests contain.
    pub requests: BTreeSet<String>,
}

pub(crate) struct Operation {
    pub id: String,
    pub variant: String,
    pub function: String,
    /// The name of its value.
    pub constant: String,
    pub summary: Option<String>,
    pub description: Option<String>,
    pub deprecated: bool,
    /// Whether a repeated request has no further effect.
    pub idempotent: bool,
    pub method: String,
    pub path: String,
    pub token: Token,
    pub scopes: Vec<String>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Body>,
    pub answer: Answer,
    pub listing: Option<Listing>,
}

/// A parameter of an operation.
pub(crate) struct Parameter {
    /// The name on the wire.
    pub name: String,
    pub setter: String,
    pub place: ParameterIn,
    pub required: bool,
    pub deprecated: bool,
    pub description: Option<String>,
    pub example: Option<Value>,
    /// The value that the service assumes if the parameter is absent. It may differ from the
    /// default of a named schema.
    pub default: Option<Value>,
    /// The separator of the entries of an array in a query. `None` if each entry is a pair of its
    /// own.
    pub separator: Option<char>,
    pub schema: Schema,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterIn {
    Path,
    Query,
    Header,
}

pub(crate) struct Body {
    pub media_type: String,
    pub schema: Schema,
    pub description: Option<String>,
    pub required: bool,
    pub example: Option<Value>,
}

/// The successful responses.
#[derive(Default)]
pub(crate) struct Answer {
    /// The first and the last of each range of statuses.
    pub statuses: Vec<(u16, u16)>,
    pub media_types: Vec<String>,
    /// `None` if the response is empty.
    pub schema: Option<Schema>,
    /// Whether only some of the responses are empty.
    pub may_be_empty: bool,
}

impl Description {
    /// Notes the named schemas that requests contain, and removes those that no operation reaches.
    pub(super) fn reached(&mut self) {
        let (mut sent, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for operation in &self.operations {
            let body = operation.body.iter().map(|body| &body.schema);
            for schema in operation.parameters.iter().map(|p| &p.schema).chain(body) {
                self.reach(schema, &mut sent);
            }
        }
        for (name, named) in &mut self.types {
            if let Form::Record(record) = &mut named.form
                && !sent.contains(name)
            {
                record.is_only_read();
            }
        }
        for operation in &self.operations {
            if let Some(answer) = &operation.answer.schema {
                self.reach(answer, &mut answered);
            }
        }
        self.types.retain(|name, _| sent.contains(name) || answered.contains(name));
        for name in sent.difference(&answered) {
            self.sent_by(Side::Client, name);
        }
        for name in answered.difference(&sent) {
            self.sent_by(Side::Service, name);
        }
        self.requests = sent;
    }
}

impl Description {
    /// The named schemas, in the order of the description.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Type)> {
        self.names.iter().filter_map(|name| self.types.get_key_value(name))
    }

    /// The record that a value is, unless it may be null.
    pub(crate) fn record(&self, schema: &Schema) -> Option<&Record> {
        match &schema.kind {
            Kind::Named(name) if !schema.nullable => self.record_named(name),
            _ => None,
        }
    }

    pub(crate) fn record_named(&self, name: &str) -> Option<&Record> {
        match &self.types.get(name)?.form {
            Form::Record(record) => Some(record),
            Form::Enum(_) => None,
        }
    }

    /// Every record, in the order of their names.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.types.keys().filter_map(|name| self.record_named(name))
    }

    pub(crate) fn enumeration(&self, schema: &Schema) -> Option<&Enum> {
        let Kind::Named(name) = &schema.kind else { return None };
        match &self.types.get(name)?.form {
            Form::Enum(values) => Some(values),
            Form::Record(_) => None,
        }
    }

    /// The schemas of the parts of a value.
    fn parts<'a>(&'a self, schema: &'a Schema) -> Vec<&'a Schema> {
        let Kind::Named(name) = &schema.kind else { return schema.within().into_iter().collect() };
        let Some(record) = self.record_named(name) else { return Vec::new() };
        record.fields.iter().map(|field| &field.schema).chain(&record.others).collect()
    }

    /// Notes the named schemas that a value contains.
    pub(crate) fn reach(&self, schema: &Schema, reached: &mut BTreeSet<String>) {
        if let Kind::Named(name) = &schema.kind
            && !reached.insert(name.clone())
        {
            return;
        }
        for part in self.parts(schema) {
            self.reach(part, reached);
        }
    }

    /// How deep named types are nested in a value. The shortest way to each type counts.
    pub(crate) fn depth(&self, schema: &Schema) -> usize {
        let mut seen = BTreeSet::new();
        let mut farthest = 0;
        let mut next = VecDeque::from([(schema, 0)]);
        while let Some((schema, depth)) = next.pop_front() {
            farthest = depth;
            for part in self.parts(schema) {
                match &part.kind {
                    Kind::Named(name) if seen.insert(name) => next.push_back((part, depth + 1)),
                    Kind::Named(_) => {}
                    _ => next.push_front((part, depth)),
                }
            }
        }
        farthest
    }

    /// Adapts a record that only one side sends. The fields that are required for that side become
    /// required. If the client sends it, the fields that only the service sets are removed.
    pub(crate) fn sent_by(&mut self, side: Side, name: &str) {
        let Some(Type { form: Form::Record(record), .. }) = self.types.get_mut(name) else {
            return;
        };
        let fields = &mut record.fields;
        if side == Side::Client && fields.iter().any(|field| !field.read_only) {
            let unsent = fields.extract_if(.., |field| field.read_only);
            record.unsent = unsent.map(|field| field.wire).collect();
        }
        for field in fields {
            field.required |= field.required_of == Some(side);
        }
    }
}
