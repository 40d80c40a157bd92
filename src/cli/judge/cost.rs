//! What a policy costs, as a table for people.

use crate::cli::messages::grouped;
use crawlprefs::judge::Policy;
use crawlprefs::judge::files::{Amount, FilesTally};
use std::fmt::Write;

/// The sites that are named.
const SITES: usize = 5;
/// The width of the names of reasons, where none is longer.
const NAME_WIDTH: usize = 26;
const NAME_INDENT: usize = 2;

/// Returns the table: a line for what is kept and for each reason, and the sites that lose most.
pub fn text(tally: &FilesTally, policy: &Policy) -> String {
    let costs = &tally.counts.costs;
    let mut all = costs.dropped();
    all.add(&costs.kept);
    let mut text = String::from("\n");
    let exceptions = policy.exceptions().names().map(|name| name.len() + "by  alone".len());
    let longest = policy.rules().iter().map(|rule| rule.name().len()).chain(exceptions).max();
    let longest = longest.map(|longest| longest + NAME_INDENT + 1);
    let width = longest.unwrap_or_default().max(NAME_WIDTH);
    row(&mut text, width, ["", "documents", "", "text bytes", "tokens", "alone"]);
    let mut line = |name: &str, amount: &Amount, alone: Option<&Amount>| {
        let tokens = amount.tokens.map(grouped).unwrap_or_default();
        let alone = alone.map(|alone| grouped(alone.documents)).unwrap_or_default();
        let share = percent(amount.documents, all.documents);
        let (documents, bytes) = (grouped(amount.documents), grouped(amount.text_bytes));
        row(&mut text, width, [name, &documents, &share, &bytes, &tokens, &alone]);
    };
    line("kept", &costs.kept, None);
    for (name, amount) in policy.exceptions().names().zip(&costs.excepted) {
        line(&format!("{:NAME_INDENT$}by {name} alone", ""), amount, None);
    }
    line("dropped", &costs.dropped(), None);
    for ((rule, amount), alone) in policy.rules().iter().zip(&costs.reasons).zip(&costs.alone) {
        line(&format!("{:NAME_INDENT$}{}", "", rule.name()), amount, Some(alone));
    }
    let Some(sums) = &tally.sums else { return text };
    if !sums.sites.is_empty() {
        let _ = writeln!(text, "\nOf {} sites, these lose most:", grouped(sums.site_count));
    }
    for site in sums.sites.iter().take(SITES) {
        let _ = writeln!(text, "  {:40} {:>11}", site.site, grouped(site.dropped.documents));
    }
    text
}

/// Appends a line of columns.
fn row(text: &mut String, width: usize, [name, documents, share, bytes, tokens, alone]: [&str; 6]) {
    let line = format!("{name:width$}{documents:>11}{share:>8}{bytes:>13}{tokens:>11}{alone:>9}");
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}", line.trim_end());
}

#[allow(clippy::cast_precision_loss)] // shown with one decimal
fn percent(part: u64, all: u64) -> String {
    if all == 0 { String::new() } else { format!("{:.1} %", 100.0 * part as f64 / all as f64) }
}
