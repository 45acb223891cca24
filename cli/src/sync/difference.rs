//! A difference between a record from the service and its row in a table.

use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(super) enum Difference {
    Missing(String),
    Additional(String),
    /// The record's identifier, and the columns that differ, each with the service's value and the
    /// table's value.
    Changed(String, Vec<(&'static str, Option<String>, Option<String>)>),
}

impl Difference {
    pub(super) fn line(&self) -> String {
        match self {
            Self::Missing(id) => format!("missing {id}"),
            Self::Additional(id) => format!("additional {id}"),
            Self::Changed(id, columns) => format!("different {id}: {}", listed(columns)),
        }
    }

    pub(super) fn json(&self) -> Value {
        match self {
            Self::Missing(id) => json!({ "difference": "missing", "id": id }),
            Self::Additional(id) => json!({ "difference": "additional", "id": id }),
            Self::Changed(id, columns) => {
                let columns: Map<String, Value> = columns
                    .iter()
                    .map(|(name, service, table)| {
                        ((*name).to_owned(), json!({ "service": service, "table": table }))
                    })
                    .collect();
                json!({ "difference": "different", "id": id, "columns": columns })
            }
        }
    }
}

/// Formats a list of the columns that differ, each with the service's value and the table's value.
pub(super) fn listed(columns: &[(&'static str, Option<String>, Option<String>)]) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".into());
    let columns = columns.iter().map(|(name, service, table)| {
        format!("{name} is {} in the service, {} in the table", text(service), text(table))
    });
    columns.collect::<Vec<_>>().join(", ")
}
