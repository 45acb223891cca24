//! How a table isn't as the service has it, and how that is printed.

use serde_json::{Map, Value, json};

use crate::{failure::Failure, stdout};

/// How a row of the table isn't as the service has it.
#[derive(Debug)]
pub(super) enum Difference {
    Missing(String),
    Additional(String),
    /// By column: what the service has, and what the table has.
    Changed(String, Vec<(&'static str, Option<String>, Option<String>)>),
}

/// What was compared and found. Differences are printed as they are found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub is_json: bool,
    pub records: u64,
    pub missing: u64,
    pub additional: u64,
    pub changed: u64,
}

impl Found {
    pub(super) fn differences(&self) -> u64 {
        self.missing + self.additional + self.changed
    }

    pub(super) fn add(&mut self, differences: &[Difference]) -> Result<(), Failure> {
        for difference in differences {
            let before = if self.differences() == 0 { "[" } else { "," };
            match difference {
                Difference::Missing(_) => self.missing += 1,
                Difference::Additional(_) => self.additional += 1,
                Difference::Changed(..) => self.changed += 1,
            }
            let text = if self.is_json {
                format!("{before}\n{}", difference.json())
            } else {
                difference.line().chars().map(plain).chain(['\n']).collect()
            };
            stdout::report(&text)?;
        }
        Ok(())
    }

    /// Prints what comes after the last one.
    pub(super) fn end(&self) -> Result<(), Failure> {
        match (self.is_json, self.differences()) {
            (true, 0) => stdout::report("[]\n"),
            (true, _) => stdout::report("\n]\n"),
            (false, _) => Ok(()),
        }
    }
}

fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

impl Difference {
    fn line(&self) -> String {
        match self {
            Self::Missing(id) => format!("missing {id}"),
            Self::Additional(id) => format!("additional {id}"),
            Self::Changed(id, columns) => {
                let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".into());
                let columns = columns.iter().map(|(name, service, table)| {
                    format!("{name} is {} and not {}", text(service), text(table))
                });
                format!("different {id}: {}", columns.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn json(&self) -> Value {
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
