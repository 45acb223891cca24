//! Counts and prints the differences that `verify` finds.

use std::collections::HashSet;

use serde_json::json;

use crate::{failure::Failure, stdout, sync::difference::Difference};

/// The number of missing rows to print while the table is incomplete.
const MISSING: u64 = 20;

/// The number of compared records, and the number of differences of each kind. Each difference is
/// printed when it is added.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub is_json: bool,
    pub records: u64,
    pub missing: u64,
    pub additional: u64,
    pub changed: u64,
    /// The number of records that are newer than the last round of a running sync, and so aren't
    /// differences.
    pub younger: u64,
    /// Whether the listing that is compared hasn't been listed in full yet. If so, only some of the
    /// missing rows are printed.
    pub is_incomplete: bool,
    pub unprinted: u64,
    /// The identifiers of the additional rows. Several listings may find the same row.
    pub known: HashSet<String>,
}

impl Found {
    pub(super) fn differences(&self) -> u64 {
        self.missing + self.additional + self.changed
    }

    pub(super) fn add(&mut self, differences: &[Difference]) -> Result<(), Failure> {
        for difference in differences {
            let is_first = self.differences() == 0;
            match difference {
                Difference::Missing(_) => {
                    self.missing += 1;
                    if self.is_incomplete && self.missing > MISSING {
                        self.unprinted += 1;
                        continue;
                    }
                }
                Difference::Additional(id) if !self.known.insert(id.clone()) => continue,
                Difference::Additional(_) => self.additional += 1,
                Difference::Changed(..) => self.changed += 1,
            }
            let text = if self.is_json {
                format!("{}\n{}", if is_first { "[" } else { "," }, difference.json())
            } else {
                difference.line().chars().map(plain).chain(['\n']).collect()
            };
            stdout::print(&text)?;
        }
        Ok(())
    }

    /// Ends the output with the number of missing rows that weren't printed, if any. For JSON, prints
    /// the closing bracket, or an empty list if there were no differences.
    pub(super) fn end(&self) -> Result<(), Failure> {
        let others = self.unprinted;
        match (self.is_json, others) {
            (true, 0) if self.differences() == 0 => stdout::print("[]\n"),
            (true, 0) => stdout::print("\n]\n"),
            (true, _) => {
                let others = json!({ "difference": "missing", "others": others });
                stdout::print(format!(",\n{others}\n]\n"))
            }
            (false, 0) => Ok(()),
            (false, _) => stdout::print(format!("missing {others} others\n")),
        }
    }
}

fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}
