//! The operations of an OpenAPI description, read without the generator.

use serde_json::Value;

pub(super) struct Operation<'a> {
    description: &'a Value,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    value: &'a Value,
}

impl<'a> Operation<'a> {
    pub(super) fn all(description: &'a Value) -> Vec<Self> {
        let paths = description["paths"].as_object().unwrap();
        let operations = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().iter();
            methods.map(move |(method, value)| Operation { description, method, path, value })
        });
        operations.collect()
    }

    pub(super) fn id(&self) -> &'a str {
        self.value["operationId"].as_str().unwrap()
    }

    pub(super) fn resolved(&self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.description.pointer(&reference[1..]).unwrap(),
            None => value,
        }
    }

    pub(super) fn parameters(&self) -> impl Iterator<Item = &'a Value> {
        let parameters = self.value["parameters"].as_array().into_iter().flatten();
        parameters.map(|parameter| self.resolved(parameter))
    }

    /// Returns the schema of the request body, and an example.
    pub(super) fn body(&self) -> Option<(&'a Value, &'a Value)> {
        let media = self.value.pointer("/requestBody/content/application~1json")?;
        Some((&media["schema"], example(media)))
    }

    /// Returns whether one of the operation's security alternatives is OAuth.
    pub(super) fn takes_token(&self) -> bool {
        let alternatives = self.value["security"].as_array().unwrap();
        alternatives.iter().any(|alternative| alternative.get("oauth2").is_some())
    }

    fn success(&self) -> (u16, &'a Value) {
        let responses = self.value["responses"].as_object().unwrap();
        let (status, response) = responses.iter().find(|(code, _)| code.starts_with('2')).unwrap();
        (status.parse().unwrap(), response)
    }

    pub(super) fn status(&self) -> u16 {
        self.success().0
    }

    fn media(&self) -> Option<&'a Value> {
        self.success().1.pointer("/content/application~1json")
    }

    /// Returns the example of the success response, or `None` if that response has no body.
    pub(super) fn answer(&self) -> Option<&'a Value> {
        self.media().map(example)
    }

    /// Returns the example pages of a listing, from the first to the last.
    pub(super) fn pages(&self) -> Vec<&'a Value> {
        let Some(examples) = self.media().map(|media| &media["examples"]) else {
            return Vec::new();
        };
        let page = |name: &str| examples.pointer(&format!("/{name}/value"));
        ["page", "last_page"].into_iter().filter_map(page).collect()
    }

    /// Returns the name of the array that holds a page's records.
    pub(super) fn array(&self) -> &'static str {
        let page = self.pages()[0];
        ["records", "items", "addresses"].into_iter().find(|name| page[*name].is_array()).unwrap()
    }
}

fn example(media: &Value) -> &Value {
    let named = media["examples"].as_object().and_then(|examples| examples.values().next());
    named.map_or(&media["example"], |example| &example["value"])
}
