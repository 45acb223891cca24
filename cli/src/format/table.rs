//! A table for people to read: numbers are right-aligned, times are shown to the second, and the
//! table is no wider than the terminal.
//!
//! Records are laid out in blocks, so that a long listing takes little memory. The first block
//! decides which columns fit.

use chrono::{DateTime, SecondsFormat, Utc};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table as Layout, Width, presets};
use console::truncate_str;
use serde_json::Value;

use super::{Encode, cell};
use crate::{
    columns::Columns,
    failure::Failure,
    operation::{Column, Kind},
    stdout,
};

/// The number of records in a block.
const BLOCK: usize = 1_000;
/// The number of spaces between two columns.
const GAP: usize = 2;
/// The minimum width of a column that is narrowed to fit.
const FEWEST: usize = 4;

pub(super) struct Table {
    columns: Columns,
    chosen: bool,
    width: Option<u16>,
    block: Vec<Vec<String>>,
    /// The index and the width of each shown column, determined from the first block. `None` until
    /// the first block is laid out.
    shown: Option<Vec<(usize, usize)>>,
}

impl Table {
    pub(super) fn new(columns: Columns, chosen: bool, width: Option<u16>) -> Self {
        Self { columns, chosen, width, block: Vec::new(), shown: None }
    }

    fn lay_out(&mut self, out: &mut Vec<u8>) {
        let rows = std::mem::take(&mut self.block);
        let is_first = self.shown.is_none();
        let columns = &self.columns;
        let (chosen, width) = (self.chosen, self.width);
        let shown = self.shown.get_or_insert_with(|| {
            let wanted: Vec<usize> = columns
                .iter()
                .enumerate()
                .map(|(at, column)| {
                    let cells = rows.iter().map(|row| console::measure_text_width(&row[at]));
                    cells.max().unwrap_or(0).max(column.name.len())
                })
                .collect();
            let room = width.filter(|_| !chosen).map(usize::from);
            let kept = fitting(columns, &wanted, room);
            let widths = kept.iter().map(|&at| wanted[at]).collect();
            std::iter::zip(kept, cut(widths, width.map(usize::from))).collect()
        });
        let mut layout = Layout::new();
        layout.load_style(presets::NOTHING);
        // On a terminal, a cell that is wider than its column is cut off, and ends with an
        // ellipsis.
        let cell = |at: usize, text: &str, room: usize| {
            let text = if width.is_some() { truncate_str(text, room, "…") } else { text.into() };
            Cell::new(text).set_alignment(alignment(columns[at].kind))
        };
        if is_first {
            layout.set_header(shown.iter().map(|&(at, room)| cell(at, columns[at].name, room)));
        }
        for row in &rows {
            layout.add_row(shown.iter().map(|&(at, room)| cell(at, &row[at], room)));
        }
        for (column, &(_, width)) in layout.column_iter_mut().zip(shown.iter()) {
            column.set_padding((0, u16::try_from(GAP).unwrap_or(0)));
            let width = u16::try_from(width + GAP).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
        for line in layout.lines() {
            out.extend_from_slice(line.trim_end().as_bytes());
            out.push(b'\n');
        }
        if is_first && shown.len() < columns.len() {
            let is_shown = |at: usize| shown.iter().any(|&(shown, _)| shown == at);
            let left_out: Vec<&str> = columns
                .iter()
                .enumerate()
                .filter(|&(at, _)| !is_shown(at))
                .map(|(_, column)| column.name)
                .collect();
            stdout::say(&format!(
                "columns that don't fit: {}; choose columns with --columns",
                left_out.join(", ")
            ));
        }
    }
}

impl Encode for Table {
    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        let values = self.columns.values(record);
        self.block.push(values.map(|(column, value)| shown(column.kind, value)).collect());
        if self.block.len() == BLOCK {
            self.lay_out(out);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        if !self.block.is_empty() || self.shown.is_none() {
            self.lay_out(out);
        }
        Ok(())
    }

    /// Returns false, because another encoder wouldn't know the widths of the table's columns.
    fn is_resumable(&self) -> bool {
        false
    }
}

fn alignment(kind: Kind) -> CellAlignment {
    match kind {
        Kind::Decimal | Kind::Integer | Kind::Number => CellAlignment::Right,
        _ => CellAlignment::Left,
    }
}

fn shown(kind: Kind, value: Value) -> String {
    let text = cell(kind, value).unwrap_or_default();
    if kind == Kind::Time
        && let Ok(time) = text.parse::<DateTime<Utc>>()
    {
        return time.to_rfc3339_opts(SecondsFormat::Secs, true);
    }
    // Control characters are escaped, because a terminal would interpret them.
    if text.contains(char::is_control) {
        let plain =
            |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
        return text.chars().map(plain).collect();
    }
    text
}

/// Reduces the widths of columns until all columns fit into `room`. The widest columns are narrowed
/// first, and no column becomes narrower than [`FEWEST`].
fn cut(mut widths: Vec<usize>, room: Option<usize>) -> Vec<usize> {
    let Some(room) = room else { return widths };
    while widths.iter().map(|width| width + GAP).sum::<usize>() > room + GAP {
        let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > FEWEST) else {
            break;
        };
        *widest -= 1;
    }
    widths
}

/// The indices of the columns that fit into `room`.
///
/// Columns are dropped in this order: lists and objects, the identifiers of other records, the
/// record's own identifier, optional columns, all other columns except times, and finally times.
/// Within each of these groups, the last column is dropped first.
fn fitting(columns: &[Column], wanted: &[usize], room: Option<usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let Some(room) = room else { return kept };
    let cost = |at: usize| match (columns[at].kind, columns[at].required) {
        (Kind::Json, _) => 5,
        (Kind::Uuid, _) if !columns[at].is_id => 4,
        (Kind::Uuid, _) => 3,
        (_, false) => 2,
        (Kind::Time, _) => 0,
        _ => 1,
    };
    while kept.len() > 1 && kept.iter().map(|&at| wanted[at] + GAP).sum::<usize>() > room + GAP {
        let Some(&last) = kept.iter().max_by_key(|&&at| (cost(at), at)) else { break };
        kept.retain(|&at| at != last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Column, Kind, cut, fitting, shown};
    use crate::operation::Part;

    const fn column(name: &'static str, kind: Kind, required: bool) -> Column {
        Column { name, kind, required, is_id: false, empty: None, part: Part::Field }
    }

    const COLUMNS: [Column; 5] = [
        Column { is_id: true, ..column("number", Kind::Uuid, true) },
        column("profile_id", Kind::Uuid, true),
        column("price", Kind::Decimal, true),
        column("name", Kind::Text, false),
        column("metadata", Kind::Json, false),
    ];

    #[test]
    fn columns_give_way_by_what_a_reader_misses_least() {
        let wanted = [36, 36, 10, 10, 20];

        assert_eq!(fitting(&COLUMNS, &wanted, None), [0, 1, 2, 3, 4]);
        assert_eq!(fitting(&COLUMNS, &wanted, Some(120)), [0, 1, 2, 3, 4]);
        assert_eq!(fitting(&COLUMNS, &wanted, Some(119)), [0, 1, 2, 3]);
        assert_eq!(fitting(&COLUMNS, &wanted, Some(60)), [0, 2, 3]);
        assert_eq!(fitting(&COLUMNS, &wanted, Some(22)), [2, 3]);
        assert_eq!(fitting(&COLUMNS, &wanted, Some(1)), [2]);
    }

    #[test]
    fn the_widest_columns_are_cut_until_all_fit() {
        assert_eq!(cut(vec![10, 30, 5], None), [10, 30, 5]);
        assert_eq!(cut(vec![10, 30, 5], Some(49)), [10, 30, 5]);
        assert_eq!(cut(vec![10, 30, 5], Some(29)), [10, 10, 5]);
        assert_eq!(cut(vec![10, 30, 5], Some(1)), [4, 4, 4]);
    }

    #[test]
    fn a_cell_has_nothing_that_a_terminal_obeys() {
        assert_eq!(shown(Kind::Text, json!("a\u{1b}[31mb\n")), "a\\u{1b}[31mb\\n");
        assert_eq!(shown(Kind::Time, json!("2025-06-01T12:00:05.250Z")), "2025-06-01T12:00:05Z");
    }
}
