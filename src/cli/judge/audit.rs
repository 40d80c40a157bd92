//! What an audit of a sample found, as text for people.
//!
//! Example: `violation   148   7.40 %   6.33 to 8.64 %   5.12 to 10.55 %`: the share in the sample; in which interval that of all
//! documents is; and that of other documents of such sites.

use super::summary::counted_files;
use crate::cli::output::grouped;
use crawlprefs::judge::files::{AuditReport, FoundShare};
use crawlprefs::web::shown::visible;
use std::fmt::Write;

/// Names of inputs that are listed; any number of this size.
const NAMED: usize = 5;

/// Returns what was found, a row for each finding, and what the shares are of.
pub fn text(report: &AuditReport) -> String {
    let AuditReport {
        sample,
        population,
        files,
        failed,
        drawn,
        judged,
        domains,
        ..
    } = report;
    let names: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|file| visible(&file.name).into_owned())
        .collect();
    let more = if files.len() > NAMED { ", ..." } else { "" };
    let mut text = format!(
        "\nAudit of {} of {} documents, drawn with the seed {}\n  from {}: {}{more}\n",
        grouped(*drawn),
        grouped(*population),
        sample.seed,
        counted_files(files.len()),
        names.join(", ")
    );
    if let Some(first) = failed.first() {
        let count = failed.len();
        let first = visible(first);
        let _ = writeln!(
            text,
            "  {count} inputs could not be read, such as {first}: this says nothing of them"
        );
    }
    if report.findings.is_empty() {
        let _ = match drawn {
            0 => writeln!(text, "  no share: there is no document to draw"),
            _ => writeln!(
                text,
                "  no share: {} of these were judged, as a file failed",
                grouped(*judged)
            ),
        };
        return text;
    }
    let domains = format!("by {} domains", grouped(*domains as u64));
    row(
        &mut text,
        ["", "documents", "share", "95 % of all", &domains],
    );
    for found in &report.findings {
        of_finding(&mut text, found);
    }
    let rules: Vec<String> = report
        .violations_by_rule
        .iter()
        .map(|(rule, count)| format!("{} {}", visible(rule), grouped(*count)))
        .collect();
    if !rules.is_empty() {
        let _ = writeln!(text, "  violations by rule: {}", rules.join(", "));
    }
    text
}

fn of_finding(text: &mut String, found: &FoundShare) {
    let interval = |low: f64, high: f64| format!("{:.2} to {:.2} %", 100.0 * low, 100.0 * high);
    let by_domains = found
        .by_domains
        .map(|by| interval(by.interval.low, by.interval.high));
    let own = interval(found.interval.low, found.interval.high);
    let documents = grouped(found.documents);
    let share = format!("{:.2} %", 100.0 * found.share);
    let by_domains = by_domains.unwrap_or_else(|| "too few".to_owned());
    row(
        text,
        [
            found.finding.as_str(),
            &documents,
            &share,
            &own,
            &by_domains,
        ],
    );
}

fn row(text: &mut String, [name, documents, share, own, by_domains]: [&str; 5]) {
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{name:12}{documents:>11}{share:>10}{own:>20}{by_domains:>22}"
    );
}
