//! Findings for programs: JSON, SARIF 2.1.0 (for code scanning), and workflow commands (for annotations of GitHub Actions).

use super::LintReport;
use crawlprefs::explain::lint::{LintFinding, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub fn json(report: &LintReport) -> String {
    let file =
        |linted: &super::Linted| json!({ "file": linted.file.name, "findings": linted.findings });
    let whole = json!({
        "files": report.files.iter().map(file).collect::<Vec<_>>(),
        "says": report.says,
        "agent": report.agent,
        "page": report.page,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
    });
    format!("{whole}\n")
}

/// One run with its rules and results; what to write is in the message.
pub fn sarif(report: &LintReport) -> String {
    let mut rules: BTreeMap<&str, &LintFinding> = BTreeMap::new();
    let mut results = Vec::new();
    for linted in &report.files {
        let lines: Vec<&[u8]> = linted.file.lines().collect();
        for finding in &linted.findings {
            let line = lines.get((finding.line as usize).saturating_sub(1));
            let column = utf16_column(line.copied().unwrap_or_default(), finding.column);
            rules.entry(finding.code).or_insert(finding);
            results.push(result(&uri(&linted.file.name), finding, column));
        }
    }
    let rule = |(code, finding): (&&str, &&LintFinding)| {
        json!({
            "id": code,
            "shortDescription": { "text": finding.message },
            "defaultConfiguration": { "level": finding.severity.as_str() },
        })
    };
    let driver = json!({
        "name": "crawlprefs",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results, "columnKind": "utf16CodeUnits" }],
    });
    format!("{log}\n")
}

/// Returns a column that was counted in bytes, counted in code units of UTF-16, as viewers of code do.
fn utf16_column(line: &[u8], column: u32) -> usize {
    let before = (column as usize).saturating_sub(1).min(line.len());
    let text = String::from_utf8_lossy(line.get(..before).unwrap_or_default());
    text.encode_utf16().count() + 1
}

fn result(file: &str, finding: &LintFinding, column: usize) -> Value {
    let mut text = finding.message.clone();
    if let Some(write) = &finding.write {
        text = format!("{text} Write: {}", write.replace('\n', " / "));
    }
    let region = json!({ "startLine": finding.line.max(1), "startColumn": column });
    json!({
        "ruleId": finding.code,
        "level": finding.severity.as_str(),
        "message": { "text": text },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": file }, "region": region } }],
    })
}

/// A relative reference (RFC 3986 4.2): everything but unreserved characters and slashes is escaped.
fn uri(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

pub fn github(report: &LintReport) -> String {
    let mut text = String::new();
    for linted in &report.files {
        for finding in &linted.findings {
            let write = finding
                .write
                .as_ref()
                .map(|write| format!("\nwrite: {write}"))
                .unwrap_or_default();
            let level = finding.severity.as_str();
            let code = finding.code;
            let message = escaped(&format!("{}{write}", finding.message));
            let file = escaped(&linted.file.name)
                .replace(':', "%3A")
                .replace(',', "%2C");
            let line = finding.line.max(1);
            let column = finding.column.max(1);
            // Writing to a String does not fail.
            let _ = writeln!(
                text,
                "::{level} file={file},line={line},col={column},title={code}::{message}"
            );
        }
    }
    text
}

/// Escapes what ends a workflow command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::utf16_column;

    #[test]
    fn local_columns_of_sarif_count_code_units() {
        for (line, column, expected) in [
            ("abc", 1, 1),
            ("abc", 3, 3),
            ("\u{e4}b", 3, 2),
            ("\u{1f916}b", 5, 3),
            ("", 7, 1),
        ] {
            assert_eq!(utf16_column(line.as_bytes(), column), expected, "{line}");
        }
    }
}
