//! Counts and prints the differences that `verify` finds.

use crate::{failure::Failure, stdout, sync::difference::Difference};

/// The number of compared records, and the number of differences of each kind. Each difference is
/// printed when it is added.
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
            stdout::print(&text)?;
        }
        Ok(())
    }

    /// Ends the output. For JSON, prints the closing bracket, or an empty list if there were no
    /// differences.
    pub(super) fn end(&self) -> Result<(), Failure> {
        match (self.is_json, self.differences()) {
            (true, 0) => stdout::print("[]\n"),
            (true, _) => stdout::print("\n]\n"),
            (false, _) => Ok(()),
        }
    }
}

fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}
