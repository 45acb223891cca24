//! Inheritance: a base with a `discriminator`, which other schemas extend by `allOf`.
//!
//! A value that is described as the base may be any of its children. So the base's name becomes the
//! union of them, and what the children inherit gets a name of its own.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    effective::{is_union, is_word},
    reference::{self, Section},
};

/// The description with a union in place of each base.
pub(crate) fn as_unions(mut document: Value) -> Value {
    let Some(family) = Family::of(&document) else { return document };
    let mut plain = BTreeMap::new();
    for base in family.schemas.keys().filter(|name| !family.children(name).is_empty()) {
        let mut name = format!("{base}Base");
        while family.schemas.contains_key(&name) {
            name.push('_');
        }
        plain.insert(base.clone(), name);
    }
    let unions: Vec<_> = plain.keys().map(|base| family.union(base, &plain)).collect();
    // A child that says no more than its base looks like another name for it.
    let bare: Vec<_> =
        plain.keys().flat_map(|base| family.children(base)).filter(|c| !family.adds(c)).collect();
    let whole = document.clone();
    let inherit = Inherit { document: &whole, plain: &plain };

    inherit.within(&mut document);
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    let Some(schemas) = schemas else { return document };
    for child in bare {
        schemas.get_mut(&child).into_iter().for_each(|child| inherit.parts(child));
    }
    for ((base, name), union) in plain.iter().zip(unions) {
        if let Some(mut inherited) = schemas.insert(base.clone(), union) {
            inherited.as_object_mut().map(|schema| schema.remove("discriminator"));
            schemas.insert(name.clone(), inherited);
        }
    }
    document
}

const SCHEMAS: &str = "/components/schemas";

struct Family<'a> {
    document: &'a Value,
    schemas: &'a Map<String, Value>,
    /// What each schema extends.
    parents: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Family<'a> {
    fn of(document: &'a Value) -> Option<Self> {
        let schemas = document.pointer(SCHEMAS)?.as_object()?;
        let mut family = Self { document, schemas, parents: BTreeMap::new() };
        for (name, schema) in schemas {
            let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
            let parents = parts.filter_map(|part| part.get("$ref")?.as_str());
            let parents = parents.map(|said| family.target(said)).collect();
            family.parents.insert(name, parents);
        }
        Some(family)
    }

    /// The name that a mapping or a reference leads to, or what it says if that is no component.
    fn target(&self, said: &str) -> String {
        let reference = json!({ "$ref": said });
        let found = reference::resolve(self.document, Section::Schemas, &reference);
        found.map_or_else(|_| said.to_owned(), |(name, _)| name)
    }

    fn parents(&self, name: &str) -> &[String] {
        self.parents.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a schema has to say itself to tell its children apart.
    fn own(&self, name: &str) -> Option<&'a Value> {
        let schema = self.schemas.get(name)?.as_object()?;
        schema.get("discriminator").filter(|_| !is_union(schema))
    }

    /// The discriminator of a schema, which may be that of a base of it.
    fn discriminator(&self, name: &str) -> Option<&'a Value> {
        let mut line = vec![name];
        let mut at = 0;
        while let Some(name) = line.get(at).copied() {
            if let Some(own) = self.own(name) {
                return Some(own);
            }
            for parent in self.parents(name) {
                if !line.contains(&parent.as_str()) {
                    line.push(parent);
                }
            }
            at += 1;
        }
        None
    }

    fn property(&self, name: &str) -> Option<&'a Value> {
        self.discriminator(name)?.get("propertyName")
    }

    /// What a discriminator calls a schema, if it names any.
    fn tags(&self, discriminator: &'a Value, name: &str) -> Vec<&'a String> {
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        let is_it = |said: &&Value| said.as_str().is_some_and(|said| self.target(said) == name);
        mapping.into_iter().flatten().filter(|(_, said)| is_it(said)).map(|(tag, _)| tag).collect()
    }

    /// The schemas that a base names in its mapping, and those that extend it.
    fn children(&self, base: &str) -> Vec<String> {
        let Some(discriminator) = self.discriminator(base) else { return Vec::new() };
        let own = self.own(base).and_then(|own| own.get("mapping")?.as_object());
        let mapped = own.into_iter().flat_map(Map::values).filter_map(Value::as_str);
        let has_mapping = discriminator.get("mapping").is_some();
        let extends = |name: &str| {
            let is_named = || !has_mapping || !self.tags(discriminator, name).is_empty();
            self.parents(name).contains(&base.to_owned()) && (self.adds(name) || is_named())
        };
        let extending = self.schemas.keys().filter(|name| extends(name)).cloned();
        let mut children: Vec<String> = Vec::new();
        for child in mapped.map(|said| self.target(said)).chain(extending) {
            if child != base && !children.contains(&child) {
                children.push(child);
            }
        }
        children
    }

    /// Whether a schema says more than another that it refers to.
    fn adds(&self, name: &str) -> bool {
        self.schemas.get(name).is_some_and(adds)
    }

    /// The children of a base, and theirs. Those that another property tells apart are one union.
    fn descendants(&self, base: &str, found: &mut Vec<String>) {
        for child in self.children(base) {
            if found.contains(&child) {
                continue;
            }
            found.push(child.clone());
            if self.property(&child) == self.property(base) {
                self.descendants(&child, found);
            }
        }
    }

    /// Any of the descendants, or the base itself.
    fn union(&self, base: &str, plain: &BTreeMap<String, String>) -> Value {
        let mut variants = Vec::new();
        self.descendants(base, &mut variants);
        variants.retain(|name| name != base);
        variants.push(base.to_owned());
        let discriminator = self.discriminator(base).unwrap_or(&Value::Null);
        let (mut references, mut mapping) = (Vec::new(), Map::new());
        for name in variants {
            let is_told = self.property(&name) == self.property(base);
            let reference = match plain.get(&name).filter(|_| is_told) {
                Some(name) => format!("#{SCHEMAS}/{name}"),
                None if self.schemas.contains_key(&name) => format!("#{SCHEMAS}/{name}"),
                None => name.clone(),
            };
            let mut tags = self.tags(discriminator, &name);
            if tags.is_empty() {
                tags.push(&name);
            }
            for tag in tags {
                mapping.entry(tag).or_insert_with(|| reference.clone().into());
            }
            references.push(json!({ "$ref": reference }));
        }
        let words = self.schemas.get(base).and_then(Value::as_object).into_iter().flatten();
        let words = words.filter(|(keyword, _)| is_word(keyword));
        let mut union: Map<_, _> = words.map(|(word, said)| (word.clone(), said.clone())).collect();
        let told = json!({ "propertyName": self.property(base), "mapping": mapping });
        union.insert("oneOf".into(), references.into());
        union.insert("discriminator".into(), told);
        union.into()
    }
}

/// Whether a schema says more than the one that its `allOf` refers to.
fn adds(schema: &Value) -> bool {
    let says = |schema: &Value, apart: &str| {
        let mut keywords = schema.as_object().into_iter().flat_map(Map::keys);
        keywords.any(|keyword| keyword != apart && keyword != "type" && !is_word(keyword))
    };
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    says(schema, "allOf") || parts.filter(|part| says(part, "")).count() > 1
}

/// Leads what extends a base to what it inherits.
struct Inherit<'a> {
    document: &'a Value,
    plain: &'a BTreeMap<String, String>,
}

impl Inherit<'_> {
    fn within(&self, value: &mut Value) {
        if value.get("allOf").is_some() && adds(value) {
            self.parts(value);
        }
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.within(value)),
            Value::Object(values) => values.values_mut().for_each(|value| self.within(value)),
            _ => {}
        }
    }

    fn parts(&self, schema: &mut Value) {
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            let base = reference::resolve(self.document, Section::Schemas, part);
            if let Some(plain) = base.ok().and_then(|(base, _)| self.plain.get(&base)) {
                part["$ref"] = format!("#{SCHEMAS}/{plain}").into();
            }
        }
    }
}
