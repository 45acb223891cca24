use serde_json::Value;

use super::caller::{Caller, json};
use crate::contributing::description;

/// Returns an example as text, as it appears in a path or a query.
fn text(example: &Value) -> String {
    example.as_str().map_or_else(|| example.to_string(), str::to_owned)
}

#[tokio::test]
async fn the_examples_of_each_operation_are_accepted_together() {
    let caller = Caller::start().await;
    for operation in description::published().operations() {
        let (mut path, mut query) = (operation.path.clone(), Vec::new());
        for parameter in &operation.parameters {
            let (name, example) = (parameter["name"].as_str().unwrap(), &parameter["example"]);
            match parameter["in"].as_str() {
                Some("path") => path = path.replace(&format!("{{{name}}}"), &text(example)),
                _ if example.is_null() => {}
                _ => {
                    let entries = match example.as_array() {
                        Some(entries) => entries.as_slice(),
                        None => std::slice::from_ref(example),
                    };
                    query.extend(entries.iter().map(|entry| (name, text(entry))));
                }
            }
        }
        let request = caller.request_of(&operation.method, &path).query(&query);
        let request = match operation.body() {
            Some(body) => {
                let request = request.header("content-type", "application/json");
                request.body(body["example"].to_string())
            }
            None => request,
        };

        let response = caller.send(request).await;

        let status = response.status();
        assert!(
            status.is_success(),
            "{}: the sandbox rejects the examples with {status}: {}. Serve it in `src/sandbox/`; \
             if an identifier has to exist, give it a line of `EXAMPLES` in `records.rs` (step 3 \
             of CONTRIBUTING.md)",
            operation.id,
            json(response).await["detail"]
        );
    }
}
