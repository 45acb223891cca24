//! The generator's model of an OpenAPI description: its operations, and the named schemas that they
//! use.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::document::Message;

use super::{Enum, Form, Kind, Listing, Record, Schema, Side, Type};

/// Whether the requests of an operation are sent with a token. The variants have the same names as
/// those of the runtime's `Token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Never,
    IfAny,
    Always,
}

/// How the requests of an operation are authenticated.
pub(crate) struct Security {
    pub token: Token,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    pub api_keys: Vec<ApiKey>,
}

/// An API key in a header.
pub(crate) struct ApiKey {
    pub header: String,
    /// Whether every request needs the key.
    pub required: bool,
}

#[derive(Default)]
pub(crate) struct Description {
    /// Warnings about operations that look like listings, and about rules for listings that apply
    /// to no operation.
    pub warnings: Vec<Message>,
    pub title: String,
    pub version: String,
    pub about: Option<String>,
    pub operations: Vec<Operation>,
    /// The names of all named schemas, in the order of the description.
    pub names: Vec<String>,
    /// The named schemas that the operations use, by name.
    pub types: BTreeMap<String, Type>,
    /// The names of the schemas used in requests.
    pub requests: BTreeSet<String>,
}

pub(crate) struct Operation {
    pub id: String,
    pub variant: String,
    pub function: String,
    /// The name of the operation's constant in the generated module `operation`.
    pub constant: String,
    pub summary: Option<String>,
    pub description: Option<String>,
    pub deprecated: bool,
    /// Whether `x-idempotent` states that a repeated request has no further effect.
    pub idempotent: bool,
    pub method: String,
    pub path: String,
    pub security: Security,
    pub parameters: Vec<Parameter>,
    pub body: Option<Body>,
    pub responses: Responses,
    pub listing: Option<Listing>,
}

/// A parameter of an operation.
pub(crate) struct Parameter {
    /// The name of the parameter in a request.
    pub name: String,
    /// The name of the parameter's setter in the generated builder.
    pub setter: String,
    pub location: ParameterIn,
    pub required: bool,
    pub deprecated: bool,
    pub description: Option<String>,
    pub example: Option<Value>,
    /// The value that the service uses if the parameter is absent.
    pub default: Option<Value>,
    /// The separator between the entries of an array in a query, or `None` if each entry is sent as
    /// a separate parameter.
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

/// The successful responses of an operation.
#[derive(Default)]
pub(crate) struct Responses {
    /// The status codes of the responses. Each pair is the first and the last code of a range.
    pub statuses: Vec<(u16, u16)>,
    pub media_types: Vec<String>,
    /// The schema of the body, or `None` if all successful responses are empty.
    pub schema: Option<Schema>,
    /// Whether some of the responses are empty and others have a body.
    pub may_be_empty: bool,
}

impl Description {
    /// Determines which named schemas are used in requests, removes unused schemas, and adapts the
    /// schemas that are used only in requests or only in responses.
    pub(super) fn adapt_schemas(&mut self) {
        let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
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
            if let Some(responses) = &operation.responses.schema {
                self.reach(responses, &mut received);
            }
        }
        self.types.retain(|name, _| sent.contains(name) || received.contains(name));
        for name in sent.difference(&received) {
            self.sent_by(Side::Client, name);
        }
        for name in received.difference(&sent) {
            self.sent_by(Side::Service, name);
        }
        self.requests = sent;
    }
}

impl Description {
    /// Returns the named schemas that operations use, in the order of the description.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Type)> {
        self.names.iter().filter_map(|name| self.types.get_key_value(name))
    }

    /// Returns the record that a schema refers to, or `None` if the schema isn't a record or allows
    /// null.
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

    /// Returns all records, sorted by name.
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

    /// Returns the schemas of a value's properties or entries.
    fn parts<'a>(&'a self, schema: &'a Schema) -> Vec<&'a Schema> {
        let Kind::Named(name) = &schema.kind else { return schema.within().into_iter().collect() };
        let Some(record) = self.record_named(name) else { return Vec::new() };
        record.fields.iter().map(|field| &field.schema).chain(&record.others).collect()
    }

    /// Adds the names of all named schemas that `schema` uses, directly or indirectly, to
    /// `reached`.
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

    /// Returns the depth of the most deeply nested type in a schema. The depth of a named type is
    /// the length of the shortest path from the schema to the type.
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

    /// Adapts a record that only `side` sends. Fields that `side` must send become required. If
    /// only the client sends the record, read-only fields are removed, unless all fields are
    /// read-only.
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
