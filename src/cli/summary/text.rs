//! The layout of a summary: headings with units, rows of counts with their shares, wrapped sentences. Example:
//! `  yes                  70   75.3%`. No line is wider than the terminal, except for a longer word.

use crate::cli::output::{grouped, wrapped};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The columns of a count and its share, between the names of rows and the right edge.
const CELL: usize = 16;
/// The least columns of a name, before parts of rows are set closer.
const LEAST_NAME: usize = 24;
/// The columns between two cells.
const GAP: usize = 2;
/// The columns of a share, such as ` 100.0%`.
const SHARE: usize = 7;

/// A count, and the whole that it is a part of; `None` if a share says nothing.
pub type SharePart = (u64, Option<u64>);

/// A summary as it is written.
pub struct SummaryText {
    pub text: String,
    width: usize,
}

/// A heading, the units of its columns, and rows.
pub struct SummaryTable {
    pub title: String,
    pub units: Vec<String>,
    /// What all of it is about; it stands below the heading.
    pub note: Option<String>,
    pub rows: Vec<(String, Vec<SharePart>)>,
}

impl SummaryTable {
    pub fn new(title: impl Into<String>, units: &[&str]) -> Self {
        let units = units.iter().map(|unit| (*unit).to_owned()).collect();
        Self {
            title: title.into(),
            units,
            note: None,
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, name: impl Into<String>, parts: &[SharePart]) {
        self.rows.push((name.into(), parts.to_vec()));
    }

    /// Returns the width of each column.
    fn widths(&self, width: usize) -> Vec<usize> {
        let least = self.units.iter().enumerate().map(|(column, unit)| {
            let cells = self.rows.iter().filter_map(|(_, parts)| parts.get(column));
            let cells = cells.map(|part| cell(*part).trim_start().len());
            cells.chain([unit.len()]).max().unwrap_or_default() + GAP
        });
        let least: Vec<usize> = least.collect();
        let wide: Vec<usize> = least.iter().map(|least| CELL.max(*least)).collect();
        if wide.iter().sum::<usize>() + LEAST_NAME <= width {
            wide
        } else {
            least
        }
    }
}

impl SummaryText {
    /// Returns a summary of lines of at most this many columns.
    pub fn new(width: usize) -> Self {
        Self {
            text: String::new(),
            width,
        }
    }

    pub fn add_heading(&mut self, title: &str) {
        self.text += "\n";
        self.add_sentence(title);
    }

    pub fn add_table(&mut self, table: &SummaryTable) {
        let widths = table.widths(self.width);
        let name_width = self.width.saturating_sub(widths.iter().sum());
        self.text += "\n";
        self.add_line(
            &table.title,
            "",
            name_width,
            table.units.iter().cloned().zip(&widths),
        );
        if let Some(note) = &table.note {
            self.text += &wrapped(note, self.width, "  ", "  ");
        }
        for (name, parts) in &table.rows {
            self.add_line(
                name,
                "  ",
                name_width,
                parts.iter().copied().map(cell).zip(&widths),
            );
        }
    }

    /// Adds a name, wrapped where it is long, and the cells behind its first line; below a word that is too long.
    fn add_line<'w>(
        &mut self,
        name: &str,
        indent: &str,
        name_width: usize,
        cells: impl Iterator<Item = (String, &'w usize)>,
    ) {
        let name = wrapped(name, name_width, indent, "    ");
        let mut lines = name.lines();
        let mut first = lines.next().unwrap_or_default();
        if first.len() > name_width {
            self.text.extend([first, "\n"]);
            first = "";
        }
        let mut line = format!("{first:<name_width$}");
        line.extend(cells.map(|(cell, width)| format!("{cell:>width$}")));
        self.text.extend([line.trim_end(), "\n"]);
        self.text.extend(lines.flat_map(|line| [line, "\n"]));
    }

    pub fn add_listing(&mut self, name: &str, count: u64, detail: &str) {
        let detail = if detail.is_empty() { "none" } else { detail };
        let first = format!("  {name:<15}{:>8}  ", grouped(count));
        self.text += &wrapped(detail, self.width, &first, &" ".repeat(27));
    }

    pub fn add_sentence(&mut self, words: &str) {
        self.text += &wrapped(words, self.width, "", "");
    }

    /// Adds a sentence below a table's rows.
    pub fn add_note(&mut self, words: &str) {
        self.text += &wrapped(words, self.width, "  ", "  ");
    }

    pub fn add_item(&mut self, words: &str) {
        self.text += &wrapped(words, self.width, "  - ", "    ");
    }
}

fn cell((count, whole): SharePart) -> String {
    let share = whole.map_or(String::new(), |whole| share(count, whole));
    format!("{}{share:>SHARE$}", grouped(count))
}

pub fn count(counts: &BTreeMap<String, u64>, name: &str) -> u64 {
    counts.get(name).copied().unwrap_or(0)
}

/// Formats a count and its share in a sentence, such as `19 of 93 pages (20.4%)`.
pub fn out_of(count: u64, whole: u64, unit: &str) -> String {
    format!(
        "{} of {} {unit} ({})",
        grouped(count),
        grouped(whole),
        share(count, whole)
    )
}

/// Formats a count and its share if the whole was named before, such as `4 (4.3%)`.
pub fn with_share(count: u64, whole: u64) -> String {
    format!("{} ({})", grouped(count), share(count, whole))
}

#[allow(clippy::cast_precision_loss)] // percents of counts far below 2^52
fn share(count: u64, whole: u64) -> String {
    if whole == 0 {
        "-".to_owned()
    } else {
        format!("{:.1}%", count as f64 / whole as f64 * 100.0)
    }
}

pub fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (Reverse(**count), name.as_str()));
    let words = counts
        .iter()
        .map(|(name, count)| format!("{name} {}", grouped(**count)));
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{SummaryTable, SummaryText};

    /// The widest rows that there are: long names, counts of a whole crawl.
    #[test]
    fn local_tables_fit_their_width_and_break_between_columns() {
        let mut table = SummaryTable::new(
            "Uses, of 2,450,000,000 pages",
            &["yes", "no", "contradicted"],
        );
        let whole = 2_450_000_000;
        let parts = [(whole, Some(whole)), (1, Some(whole)), (41, None)];
        table.add("training generative AI (train_genai)", &parts);
        table.add("a-name-of-a-single-and-long-word", &parts);
        for width in [60, 80, 120] {
            let mut text = SummaryText::new(width);
            text.add_table(&table);
            assert!(
                text.text.lines().all(|line| line.len() <= width),
                "{width}: {}",
                text.text
            );
            assert!(
                text.text.contains("  2,450,000,000 100.0%  "),
                "{width}: {}",
                text.text
            );
        }
    }
}
