//! The large OpenAPI description: `openapi.yaml`, and nine more operations in the same style for
//! each of fourteen kinds of records.

use serde_json::{Map, Value, json};

use super::snake;

/// The additional kinds of records: the area, the name of one record, and the name of many.
const KINDS: [[&str; 3]; 14] = [
    ["Transfer", "Withdrawal", "Withdrawals"],
    ["Exchange", "Quote", "Quotes"],
    ["Exchange", "Trade", "Trades"],
    ["Rewards", "Payout", "Payouts"],
    ["Rewards", "Programme", "Programmes"],
    ["Identity", "Document", "Documents"],
    ["Identity", "Person", "People"],
    ["Transfer", "BankAccount", "BankAccounts"],
    ["Transfer", "FiatDeposit", "FiatDeposits"],
    ["Accounts", "Profile", "Profiles"],
    ["Accounts", "Balance", "Balances"],
    ["Accounts", "Statement", "Statements"],
    ["Settlement", "Batch", "Batches"],
    ["Settlement", "Type", "Types"],
];

/// Returns the OpenAPI description: nine operations per kind, and the four from `openapi.yaml`.
pub(super) fn description() -> Value {
    let mut whole: Value =
        serde_saphyr::from_str(include_str!("../../../../openapi.yaml")).unwrap();
    for (number, names) in KINDS.into_iter().enumerate() {
        let mut kind = kind(number, names);
        for (section, place) in [
            ("paths", "/paths"),
            ("schemas", "/components/schemas"),
            ("scopes", "/components/securitySchemes/oauth2/flows/clientCredentials/scopes"),
        ] {
            let Value::Object(more) = kind[section].take() else { panic!("no {section}") };
            object(&mut whole, place).extend(more);
        }
    }
    for area in ["Accounts", "Settlement", "Changes"] {
        whole["tags"].as_array_mut().unwrap().push(json!({ "name": area, "description": area }));
    }
    let schemes = object(&mut whole, "/components/securitySchemes");
    let key = json!({ "type": "apiKey", "in": "header", "name": "X-Key" });
    schemes.insert("key".into(), key);
    whole
}

fn object<'a>(whole: &'a mut Value, pointer: &str) -> &'a mut Map<String, Value> {
    whole.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap()
}

/// Returns the content of `kind.yaml` for one kind of records.
fn kind(number: usize, [area, one, many]: [&str; 3]) -> Value {
    let mut yaml = include_str!("kind.yaml").to_owned();
    let (scopes, snake_one) = (area.to_lowercase(), snake(one));
    for (name, text) in [
        ("$One", one),
        ("$Many", many),
        ("$area", &scopes),
        ("$segment", &snake(many).replace('_', "-")),
        ("$id", &format!("{snake_one}_id")),
        ("$read", &format!("{scopes}:read_{snake_one}")),
        ("$write", &format!("{scopes}:write_{snake_one}")),
        ("$number", &number.to_string()),
    ] {
        yaml = yaml.replace(name, text);
    }
    let mut kind = chosen(serde_saphyr::from_str(&yaml).unwrap(), number);
    for item in object(&mut kind, "/paths").values_mut() {
        for operation in item.as_object_mut().unwrap().values_mut() {
            complete(operation, area);
        }
    }
    kind
}

/// Replaces each object that has a list of alternatives in `$of` with the alternative for `number`.
/// If the object has other fields, they're kept together with the fields of the alternative.
fn chosen(value: Value, number: usize) -> Value {
    match value {
        Value::Object(mut fields) => {
            let alternatives = fields.remove("$of");
            let fields = fields.into_iter().map(|(name, field)| (name, chosen(field, number)));
            let mut fields: Map<String, Value> = fields.collect();
            let Some(Value::Array(mut alternatives)) = alternatives else { return fields.into() };
            let place = number % alternatives.len();
            match chosen(alternatives.swap_remove(place), number) {
                Value::Object(more) => {
                    fields.extend(more);
                    fields.into()
                }
                alone => alone,
            }
        }
        Value::Array(entries) => {
            entries.into_iter().map(|entry| chosen(entry, number)).collect::<Vec<_>>().into()
        }
        other => other,
    }
}

/// Adds the parts that are the same for all operations.
fn complete(operation: &mut Value, area: &str) {
    let id = operation["operationId"].as_str().unwrap().to_owned();
    let words = snake(&id).replace('_', " ");
    operation["summary"] = json!(words);
    operation["description"] = json!(format!("To {words}, as the specification says."));
    operation["tags"] = if id.starts_with("get") || id.starts_with("list") {
        json!([area])
    } else {
        json!([area, "Changes"])
    };
    if is_bounded_without_an_order(operation) {
        operation["x-pagination"] = json!({ "cursor": "page_cursor", "next": "/next_page_cursor" });
    }
    for failure in ["4XX", "5XX"] {
        operation["responses"][failure] = json!({ "$ref": "#/components/responses/Error" });
    }
}

/// Returns whether a listing has bounds for the creation time, but isn't sorted by that time.
fn is_bounded_without_an_order(operation: &Value) -> bool {
    let Some(parameters) = operation["parameters"].as_array() else { return false };
    let any = |is_it: fn(&Value) -> bool| parameters.iter().any(is_it);
    any(|it| it["name"] == "created_at.gte")
        && !any(|it| it["name"] == "order" || it["$ref"] == "#/components/parameters/SortDirection")
}
