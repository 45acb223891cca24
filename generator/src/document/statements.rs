//! Access to the keywords of an object in the description.

use serde_json::{Map, Value};

pub(crate) trait Statements {
    fn statement(&self, keyword: &str) -> Option<&Value>;

    fn is_true(&self, keyword: &str) -> bool {
        self.statement(keyword) == Some(&Value::Bool(true))
    }

    fn text(&self, keyword: &str) -> Option<&str> {
        self.statement(keyword)?.as_str()
    }

    fn number(&self, keyword: &str) -> Option<f64> {
        self.statement(keyword)?.as_f64()
    }

    /// Returns the entries of the list under `keyword`, or no entries if the keyword is absent or
    /// its value isn't a list.
    fn list(&self, keyword: &str) -> &[Value] {
        self.statement(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the entries of the object under `keyword`, or no entries if the keyword is absent or
    /// its value isn't an object.
    fn object(&self, keyword: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.statement(keyword).and_then(Value::as_object).into_iter().flatten()
    }
}

impl Statements for Value {
    fn statement(&self, keyword: &str) -> Option<&Value> {
        self.get(keyword)
    }
}

impl Statements for Map<String, Value> {
    fn statement(&self, keyword: &str) -> Option<&Value> {
        self.get(keyword)
    }
}
