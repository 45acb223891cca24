//! Where in the file something stands that was found in the description.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use serde_saphyr::{Location, Spanned};

use super::{Statements, name, reference, yaml};

/// A line and a column, from 1 on.
pub(crate) type Place = (u64, u64);

/// Finds the places of a description.
pub(crate) struct Finder<'a> {
    places: Places,
    document: &'a Value,
    /// By identifier, or by method and path.
    operations: BTreeMap<String, At<'a>>,
}

impl<'a> Finder<'a> {
    /// For a description, and the text that it was read from.
    pub(crate) fn new(text: &str, document: &'a Value) -> Option<Self> {
        let paths = At::root(document).child("paths").map(|paths| paths.children());
        let operations = paths.into_iter().flatten().flat_map(|item| item.children());
        let operations = operations.filter_map(|operation| {
            let [.., path, method] = &operation.path[..] else { return None };
            Some((name(method, path, operation.value), operation))
        });
        let operations = operations.collect();
        Some(Self { places: yaml(text).ok()?, document, operations })
    }

    /// The place of the last step of a trail that leads somewhere, or of the document.
    pub(crate) fn find(&self, trail: &str) -> Place {
        let mut at = At::root(self.document);
        for step in trail.split(" → ") {
            let operation = self.operations.get(step).filter(|_| at.path.is_empty());
            at = operation.cloned().or_else(|| at.step(step)).unwrap_or(at);
        }
        let (mut places, mut found) = (&self.places, (1, 1));
        for key in &at.path {
            let Some((location, next)) = places.0.get(key) else { break };
            (places, found) = (next, (location.line(), location.column()));
        }
        found
    }
}

/// Where the keys and the entries of a description are, and what is in them.
#[derive(Default)]
struct Places(BTreeMap<String, (Location, Self)>);

/// A place in the description, as a path of keys and indexes.
#[derive(Clone)]
struct At<'a> {
    document: &'a Value,
    value: &'a Value,
    path: Vec<String>,
}

impl<'a> At<'a> {
    fn root(document: &'a Value) -> Self {
        Self { document, value: document, path: Vec::new() }
    }

    fn child(&self, key: &str) -> Option<Self> {
        let value = match self.value {
            Value::Array(entries) => entries.get(key.parse::<usize>().ok()?)?,
            value => value.get(key)?,
        };
        let path = self.path.iter().map(String::as_str).chain([key]).map(str::to_owned).collect();
        Some(Self { value, path, ..*self })
    }

    fn children(&self) -> Vec<Self> {
        let keys: Vec<_> = match self.value {
            Value::Array(entries) => (0..entries.len()).map(|at| at.to_string()).collect(),
            Value::Object(object) => object.keys().cloned().collect(),
            _ => Vec::new(),
        };
        keys.iter().filter_map(|key| self.child(key)).collect()
    }

    fn step(&self, step: &str) -> Option<Self> {
        let root = Self::root(self.document);
        if step.starts_with('/') {
            return root.child("paths")?.child(step);
        }
        let component =
            || root.child("components")?.children().iter().find_map(|of| of.child(step));
        self.within(step, &mut BTreeSet::new()).or_else(component)
    }

    /// What a step leads to from here, in what is referred to here, or in a part of it. Each component is
    /// searched once.
    fn within(&self, step: &str, searched: &mut BTreeSet<String>) -> Option<Self> {
        let property = || self.child("properties")?.child(step);
        let found = self.child(step).or_else(|| self.entry(step)).or_else(|| self.parameter(step));
        found.or_else(property).or_else(|| {
            let parts = self.child("allOf").map(|parts| parts.children()).unwrap_or_default();
            let referred = self.referred().filter(|at| searched.insert(at.path.join("/")));
            referred.iter().chain(&parts).find_map(|part| part.within(step, searched))
        })
    }

    /// An entry of a list: `parameters[0]`.
    fn entry(&self, step: &str) -> Option<Self> {
        let (list, index) = step.strip_suffix(']')?.rsplit_once('[')?;
        self.child(list)?.child(index)
    }

    /// A parameter of an operation or of its path: `query limit`.
    fn parameter(&self, step: &str) -> Option<Self> {
        let (kind, name) = step.split_once(' ')?;
        let path = || Self::root(self.document).child("paths")?.child(self.path.get(1)?);
        let is_it = |at: &Self| {
            let says = |keyword| at.value.text(keyword);
            says("name") == Some(name) && says("in") == Some(kind)
        };
        let of = |at: Self| {
            let entries = at.child("parameters")?.children();
            entries
                .into_iter()
                .find(|entry| is_it(&entry.referred().unwrap_or_else(|| entry.clone())))
        };
        of(self.clone()).or_else(|| of(path()?))
    }

    /// The component that is referred to here.
    fn referred(&self) -> Option<Self> {
        let section = self.value.get("$ref")?.as_str()?.split('/').nth(2)?;
        let (name, _) = reference::resolve(self.document, section, self.value).ok()?;
        Self::root(self.document).child("components")?.child(section)?.child(&name)
    }
}

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

/// Within a scalar, there are no places.
macro_rules! scalars {
    ($($visit:ident($scalar:ty))*) => {
        $(fn $visit<E>(self, _: $scalar) -> Result<Self, E> {
            Ok(self)
        })*
    };
}

impl<'de> Visitor<'de> for Places {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        while let Some(Spanned { value, referenced, .. }) = entries.next_element()? {
            self.0.insert(self.0.len().to_string(), (referenced, value));
        }
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Self>()? {
            self.0.insert(key.value, (key.referenced, value));
        }
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    scalars! {
        visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128)
        visit_f64(f64) visit_str(&str)
    }
}
