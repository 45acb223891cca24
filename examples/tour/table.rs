//! Prints tables with aligned columns: the first rows, and the number of further rows.

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub(crate) struct Table<const N: usize> {
    title: String,
    /// The headings. A leading `>` aligns the column to the right.
    columns: [&'static str; N],
    rows: Vec<[String; N]>,
    total: Option<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(title: impl Into<String>, columns: [&'static str; N]) -> Self {
        Self { title: title.into(), columns, rows: Vec::new(), total: None }
    }

    pub(crate) fn row(&mut self, row: [String; N]) {
        self.rows.push(row);
    }

    pub(crate) fn total(&mut self, total: [&str; N]) {
        self.total = Some(total.map(str::to_owned));
    }

    pub(crate) fn print(&self, most: usize) {
        let shown = &self.rows[..self.rows.len().min(most)];
        let heads = self.columns.map(|column| column.trim_start_matches('>').to_owned());
        let lines = || [&heads].into_iter().chain(shown).chain(&self.total);
        let widths: [usize; N] = std::array::from_fn(|column| {
            lines().map(|line| line[column].chars().count()).max().unwrap_or_default()
        });

        println!("\n{}", self.title);
        self.print_line(&heads, &widths);
        println!("  {}", widths.map(|width| "─".repeat(width)).join("  "));
        for row in shown {
            self.print_line(row, &widths);
        }
        match self.rows.len() - shown.len() {
            0 if shown.is_empty() => println!("  none"),
            0 => {}
            more => println!("  … {more} more"),
        }
        if let Some(total) = &self.total {
            self.print_line(total, &widths);
        }
    }

    fn print_line(&self, line: &[String; N], widths: &[usize; N]) {
        let cells: [String; N] = std::array::from_fn(|column| {
            let (text, width) = (&line[column], widths[column]);
            if self.columns[column].starts_with('>') {
                format!("{text:>width$}")
            } else {
                format!("{text:<width$}")
            }
        });
        println!("  {}", cells.join("  ").trim_end());
    }
}

pub(crate) fn at(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The first eight characters of an identifier, which are enough to recognize it.
pub(crate) fn short(id: Uuid) -> String {
    id.to_string().chars().take(8).chain("…".chars()).collect()
}
