//! The layout of a summary: headings with units, rows of counts with their shares, wrapped sentences. Example:
//! `  yes                  70   75.3%`. No line is longer than 100 columns, except for a longer word.

use crate::cli::output::{grouped, wrapped};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: usize = 100;
/// The columns of a count and its share.
const CELL: usize = 18;

/// A count, and the whole that it is a part of; `None` if a share says nothing.
pub type SharePart = (u64, Option<u64>);

pub fn count(counts: &BTreeMap<String, u64>, name: &str) -> u64 {
    counts.get(name).copied().unwrap_or(0)
}

/// Formats a count and its share in a sentence, such as `19 of 93 pages (20.4%)`.
pub fn out_of(count: u64, whole: u64, unit: &str) -> String {
    format!("{} of {} {unit} ({})", grouped(count), grouped(whole), share(count, whole))
}

/// Formats a count and its share if the whole was named before, such as `4 (4.3%)`.
pub fn with_share(count: u64, whole: u64) -> String {
    format!("{} ({})", grouped(count), share(count, whole))
}

#[allow(clippy::cast_precision_loss)] // percents of counts far below 2^52
fn share(count: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}%", count as f64 / whole as f64 * 100.0) }
}

pub fn add_heading(text: &mut String, title: &str, units: &[&str]) {
    let mut line = format!("{title:<width$}", width = name_width(units.len()) + 2);
    for unit in units {
        let _ = write!(line, "{unit:>CELL$}");
    }
    let _ = writeln!(text, "\n{}", line.trim_end());
}

pub fn add_row(text: &mut String, name: &str, parts: &[SharePart]) {
    let mut line = format!("  {name:<width$}", width = name_width(parts.len()));
    for (count, whole) in parts {
        let share = whole.map_or(String::new(), |whole| share(*count, whole));
        let _ = write!(line, "{:>10}{share:>8}", grouped(*count));
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

pub fn name_width(cells: usize) -> usize {
    if cells > 2 { WIDTH - 2 - cells * CELL } else { 58 }
}

pub fn add_listing(text: &mut String, name: &str, count: u64, detail: &str) {
    let detail = if detail.is_empty() { "none" } else { detail };
    let first = format!("  {name:<18}{:>12}  ", grouped(count));
    *text += &wrapped(detail, WIDTH, &first, &" ".repeat(34));
}

pub fn add_sentence(text: &mut String, words: &str) {
    *text += &wrapped(words, WIDTH, "", "");
}

pub fn add_item(text: &mut String, words: &str) {
    *text += &wrapped(words, WIDTH, "  - ", "    ");
}

pub fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (Reverse(**count), name.as_str()));
    let words = counts.iter().map(|(name, count)| format!("{name} {}", grouped(**count)));
    words.collect::<Vec<_>>().join(", ")
}
