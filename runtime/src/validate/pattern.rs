//! The patterns in the OpenAPI description: ECMA 262 regular expressions, each compiled once.

use std::sync::OnceLock;

/// A regular expression that must match somewhere in a string.
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    #[cfg(feature = "pattern")]
    compiled: OnceLock<Option<regress::Regex>>,
    #[cfg(not(feature = "pattern"))]
    compiled: OnceLock<()>,
}

impl Pattern {
    /// Creates a pattern from a regular expression that the build script has checked.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }

    /// Whether a string matches the pattern. The build script has checked that the pattern
    /// compiles, either with the flag `u` or without it.
    #[cfg(feature = "pattern")]
    pub(crate) fn matches(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| {
            let regex = regress::Regex::with_flags(self.text, "u");
            regex.or_else(|_| regress::Regex::new(self.text)).ok()
        });
        compiled.as_ref().is_some_and(|compiled| compiled.find(text).is_some())
    }

    /// Never called: without the feature `pattern`, the build script rejects every pattern.
    #[cfg(not(feature = "pattern"))]
    pub(crate) fn matches(&self, _: &str) -> bool {
        self.compiled.get().is_some()
    }
}
