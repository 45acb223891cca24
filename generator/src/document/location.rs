//! Finds the line and the column of a part of an OpenAPI description.

use std::{collections::BTreeSet, fmt, iter, ptr};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_saphyr::{Location, Spanned};

use super::{Step, reference::unescaped, yaml};

/// A line and a column, both counted from 1.
pub(crate) type LineColumn = (u64, u64);

/// Finds the line and the column of a part of an OpenAPI description.
pub(crate) struct Finder(Node);

/// A node in the YAML tree of an OpenAPI description: a scalar, a list or a map.
#[derive(Default)]
struct Node {
    location: LineColumn,
    text: String,
    /// The entries of a list or a map, each with its index or key.
    parts: Vec<(String, Self)>,
}

/// The maximum number of references to follow in a chain.
const MAX_REFERENCES: usize = 64;

impl Finder {
    /// Creates a finder for the text of a description, or returns `None` if the text can't be
    /// parsed.
    pub(crate) fn new(text: &str) -> Option<Self> {
        Some(Self(Node { location: (1, 1), ..yaml(text).ok()? }))
    }

    /// Follows the steps of a trail, and skips steps that can't be found. Returns the location of
    /// the last step found, or the start of the document.
    pub(crate) fn find(&self, trail: &[Step]) -> LineColumn {
        let (mut at, mut item) = (&self.0, &self.0);
        for step in trail {
            at = match step {
                Step::Document => &self.0,
                Step::Operation { path, method, .. } => {
                    item = self.path(path).unwrap_or(item);
                    item.part(method).unwrap_or(item)
                }
                Step::Path(path) => self.path(path).unwrap_or(at),
                _ => self.step(item, at, step).unwrap_or(at),
            };
        }
        at.location
    }

    fn path(&self, path: &str) -> Option<&Node> {
        self.0.part("paths")?.part(path)
    }

    /// Returns the node that a step from `at` leads to. `item` is the path item of the current
    /// operation.
    fn step<'a>(&'a self, item: &'a Node, at: &'a Node, step: &Step) -> Option<&'a Node> {
        let found = self.within(at, step, &mut BTreeSet::new());
        found.or_else(|| self.parameter(item, step)).or_else(|| {
            let Step::Key(key) = step else { return None };
            let sections = &self.0.part("components")?.parts;
            sections.iter().find_map(|(_, section)| section.part(key))
        })
    }

    /// Returns the node that a step from `at` leads to. Also searches the entries of an `allOf` in
    /// `at`, and the component that `at` refers to. Each component is searched at most once.
    fn within<'a>(
        &'a self,
        at: &'a Node,
        step: &Step,
        searched: &mut BTreeSet<*const Node>,
    ) -> Option<&'a Node> {
        let found = match step {
            Step::Entry { list, index } => {
                at.part(list).and_then(|list| list.part(&index.to_string()))
            }
            Step::Key(key) => at.part(key).or_else(|| at.part("properties")?.part(key)),
            step => self.parameter(at, step),
        };
        found.or_else(|| {
            let target = Some(self.target(at)).filter(|target| !ptr::eq(*target, at));
            let target = target.filter(|target| searched.insert(*target));
            let parts = at.part("allOf").into_iter().flat_map(|parts| &parts.parts);
            let mut parts = target.into_iter().chain(parts.map(|(_, part)| part));
            parts.find_map(|part| self.within(part, step, searched))
        })
    }

    /// Returns the parameter that a step names. `of` is an operation or a path item.
    fn parameter<'a>(&'a self, of: &'a Node, step: &Step) -> Option<&'a Node> {
        let Step::Parameter { location, name } = step else { return None };
        let called = (location.as_str(), name.as_str());
        let mut parameters = of.part("parameters")?.parts.iter().map(|(_, parameter)| parameter);
        parameters.find(|parameter| {
            let target = self.target(parameter);
            target.says("in").zip(target.says("name")) == Some(called)
        })
    }

    /// Returns the component that a node refers to, or the node itself if it isn't a reference.
    fn target<'a>(&'a self, at: &'a Node) -> &'a Node {
        let referred = |at: &&Node| {
            let (section, name) =
                at.says("$ref")?.strip_prefix("#/components/")?.split_once('/')?;
            self.0.part("components")?.part(section)?.part(&unescaped(name))
        };
        iter::successors(Some(at), referred).take(MAX_REFERENCES).last().unwrap_or(at)
    }
}

impl Node {
    fn part(&self, key: &str) -> Option<&Self> {
        self.parts.iter().find_map(|(known, part)| (known == key).then_some(part))
    }

    fn says(&self, keyword: &str) -> Option<&str> {
        self.part(keyword).map(|part| &*part.text)
    }

    fn add(&mut self, key: String, at: Location, part: Self) {
        self.parts.push((key, Self { location: (at.line(), at.column()), ..part }));
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

/// Generates the visitor methods for scalars other than strings. Such a scalar becomes a node
/// without text and without parts.
macro_rules! scalars {
    ($($visit:ident($scalar:ty))*) => {
        $(fn $visit<E>(self, _: $scalar) -> Result<Self, E> {
            Ok(self)
        })*
    };
}

impl<'de> Visitor<'de> for Node {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        while let Some(Spanned { value, referenced, .. }) = entries.next_element()? {
            self.add(self.parts.len().to_string(), referenced, value);
        }
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Self>()? {
            self.add(key.value, key.referenced, value);
        }
        Ok(self)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self, E> {
        Ok(Self { text: text.to_owned(), ..self })
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    scalars! {
        visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128)
        visit_f64(f64)
    }
}
