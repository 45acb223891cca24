//! Generates a program that calls every operation with all of its parameters, reads every listing
//! to its end, and compares each response with the example in the OpenAPI description.

use std::fmt::Write as _;

use serde_json::Value;

use super::{operation::Operation, snake};

pub(super) fn program(description: &Value) -> String {
    let operations = Operation::all(description);
    let mut program = include_str!("prelude.rs").to_owned();
    let mut calls = String::new();
    for operation in &operations {
        let name = snake(operation.id());
        let _ = writeln!(calls, "    Box::pin({name}(&client)).await;");
        program += &function(operation, &name);
    }
    let start = "#[tokio::main(flavor = \"current_thread\")]\nasync fn main() {\n    \
                 let client = client();\n";
    format!("{program}\n{start}{calls}    println!(\"{} called\");\n}}\n", operations.len())
}

fn function(operation: &Operation<'_>, name: &str) -> String {
    let id = operation.id();
    let mut call = format!("client.{name}()");
    for parameter in operation.parameters() {
        let wire = parameter["name"].as_str().unwrap();
        if wire == "page_cursor" {
            continue;
        }
        let setter = if wire == "type" { "type_".to_owned() } else { snake(wire) };
        let value = expression(operation.resolved(&parameter["schema"]), &parameter["example"]);
        let _ = write!(call, ".{setter}({value})");
    }
    if let Some((schema, example)) = operation.body() {
        let _ = write!(call, ".body(read::<{}>(r##\"{example}\"##))", rust_type(schema));
    }
    let mut said = format!(
        "\nasync fn {name}(client: &Client) {{\n    let call = {call};\n    \
         let answer = call.clone().send().await.unwrap_or_else(|error| failed(\"{id}\", &error));\n"
    );
    let _ = match operation.pages().as_slice() {
        [] => writeln!(
            said,
            "    holds(\"{id}\", &answer.into_inner(), r##\"{}\"##);",
            operation.answer().map_or_else(|| "null".into(), Value::to_string)
        ),
        pages => {
            let array = operation.array();
            let _ =
                writeln!(said, "    holds(\"{id}\", &answer.into_inner(), r##\"{}\"##);", pages[0]);
            let records: Vec<String> = pages.iter().map(|page| page[array].to_string()).collect();
            let records = records.join("\"##, r##\"");
            writeln!(said, "    walked!(\"{id}\", call, [r##\"{records}\"##]);")
        }
    };
    said + "}\n"
}

/// Returns the Rust expression that passes an example to a setter.
fn expression(schema: &Value, example: &Value) -> String {
    let text = |name: &str| schema[name].as_str().unwrap_or_default();
    match (text("type"), text("format")) {
        ("array", _) => {
            let entries = example.as_array().unwrap().iter();
            // If the schema of an entry is a reference, it refers to an enum, which accepts
            // strings.
            let entries = entries.map(|entry| expression(&schema["items"], entry));
            format!("[{}]", entries.collect::<Vec<_>>().join(", "))
        }
        ("integer", "int32") => format!("{example}_i32"),
        ("integer", _) => format!("{example}_i64"),
        ("number", _) => format!("{example}_f64"),
        ("boolean", _) => example.to_string(),
        (_, "date-time") => format!("parsed::<chrono::DateTime<chrono::Utc>>({example})"),
        (_, "date") => format!("parsed::<chrono::NaiveDate>({example})"),
        (_, "uuid") => format!("parsed::<uuid::Uuid>({example})"),
        _ => example.to_string(),
    }
}

/// Returns the Rust type of a request body, which is a named record or an array of named records.
fn rust_type(schema: &Value) -> String {
    match schema["$ref"].as_str() {
        Some(reference) => format!("types::{}", reference.rsplit('/').next().unwrap()),
        None => format!("Vec<{}>", rust_type(&schema["items"])),
    }
}
