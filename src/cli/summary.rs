//! The summary of a scan, for people and as JSON.

use super::args::ScanArgs;
use crate::voice::{grouped, megabytes};
use crawlprefs::job::Summary;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Writes the summary as JSON.
pub fn report(file: &Path, summary: &Summary, seconds: f64) -> io::Result<()> {
    let mut value = serde_json::to_value(summary).map_err(io::Error::other)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        fields.insert("seconds".to_owned(), seconds.into());
    }
    let mut text = serde_json::to_string_pretty(&value).map_err(io::Error::other)?;
    text.push('\n');
    fs::write(file, text)
}

/// Returns the summary of a scan for people.
pub fn text(summary: &Summary, args: &ScanArgs, seconds: f64) -> String {
    let mut text = String::new();
    let megabytes = megabytes(summary.bytes);
    let plural =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let inputs = plural(summary.inputs, "archive", "archives");
    let speed = if summary.batches_of_earlier_calls == 0 {
        format!(" in {seconds:.1} s, {:.0} MB/s", megabytes / seconds.max(1e-3))
    } else {
        format!(", {} by an earlier call", plural(summary.batches_of_earlier_calls, "batch", "batches"))
    };
    line(&mut text, &format!("{inputs}, {megabytes:.1} MB, {} records{speed}", grouped(summary.records)));
    text.push('\n');
    row(&mut text, "captures", summary.all_captures(), &listed(&summary.captures));
    row(&mut text, "site files", summary.site_files, "distinct bodies of robots.txt and its like");
    row(&mut text, "no interest", summary.no_interest, "requests, metadata, records that are not HTTP");
    let lost = match summary.records_lost {
        0 => "no record lost".to_owned(),
        1 => format!("{}; 1 record lost", listed(&summary.failures)),
        lost => format!("{}; {} records lost", listed(&summary.failures), grouped(lost)),
    };
    let failures = if summary.records_lost == 0 && summary.all_failures() > 0 {
        format!("{}; {lost}", listed(&summary.failures))
    } else {
        lost
    };
    row(&mut text, "failures", summary.all_failures(), &failures);
    if !summary.failed_inputs.is_empty() {
        let mut outcomes = BTreeMap::<String, u64>::new();
        for input in &summary.failed_inputs {
            *outcomes.entry(input.outcome.clone()).or_default() += 1;
        }
        row(&mut text, "failed inputs", summary.failed_inputs.len() as u64, &listed(&outcomes));
    }
    text.push('\n');
    let out = args.out.display();
    line(
        &mut text,
        &format!("Tables in {out}/evidence; their columns: crawlprefs schema. For example, in DuckDB:"),
    );
    line(
        &mut text,
        &format!(
            "  SELECT kind, fetch_status, count(*) FROM '{out}/evidence/captures/*/*.parquet' GROUP BY ALL ORDER BY ALL;"
        ),
    );
    text
}

fn row(text: &mut String, name: &str, count: u64, detail: &str) {
    line(text, &format!("  {name:<14}{:>12}  {detail}", grouped(count)));
}

/// Returns counts by name, the largest first.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
    let words: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} {}", grouped(**count))).collect();
    words.join(", ")
}

fn line(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{line}");
}
