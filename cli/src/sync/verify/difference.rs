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

#[derive(Debug, Default)]
pub(super) struct Found {
    pub records: u64,
    pub missing: u64,
    pub additional: u64,
    pub changed: u64,
}

impl Found {
    pub(super) fn add(
        &mut self,
        differences: &[Difference],
        printed: &mut Printed,
    ) -> Result<(), Failure> {
        for difference in differences {
            match difference {
                Difference::Missing(_) => self.missing += 1,
                Difference::Additional(_) => self.additional += 1,
                Difference::Changed(..) => self.changed += 1,
            }
            printed.add(difference)?;
        }
        Ok(())
    }
}

/// What has been printed of the differences.
pub(super) struct Printed {
    is_json: bool,
    has_any: bool,
}

impl Printed {
    pub(super) fn new(is_json: bool) -> Self {
        Self { is_json, has_any: false }
    }

    fn add(&mut self, difference: &Difference) -> Result<(), Failure> {
        if self.is_json {
            let before = if self.has_any { "," } else { "[" };
            self.has_any = true;
            return stdout::report(&format!("{before}\n{}", difference.json()));
        }
        let line: String = difference.line().chars().map(plain).collect();
        stdout::report(&format!("{line}\n"))
    }

    pub(super) fn end(&self) -> Result<(), Failure> {
        match (self.is_json, self.has_any) {
            (true, true) => stdout::report("\n]\n"),
            (true, false) => stdout::report("[]\n"),
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
