//! Findings for programs: JSON, SARIF 2.1.0 (for code scanning), and workflow commands (for annotations of GitHub Actions).

use super::Report;
use crawlprefs::explain::lint::{LintFinding, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub fn json(report: &Report) -> String {
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

/// One run with its rules and results. A fix is text that replaces the line.
pub fn sarif(report: &Report) -> String {
    let mut rules: BTreeMap<&str, &LintFinding> = BTreeMap::new();
    let mut results = Vec::new();
    for linted in &report.files {
        for finding in &linted.findings {
            rules.entry(finding.code).or_insert(finding);
            results.push(result(&uri(&linted.file.name), finding));
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

fn result(file: &str, finding: &LintFinding) -> Value {
    let mut text = finding.message.clone();
    if let Some(write) = &finding.write {
        text = format!("{text} Write: {}", write.replace('\n', " / "));
    }
    let region = json!({ "startLine": finding.line.max(1), "startColumn": finding.column.max(1) });
    json!({
        "ruleId": finding.code,
        "level": finding.severity.as_str(),
        "message": { "text": text },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": file }, "region": region } }],
    })
}

/// A relative reference (RFC 3986 4.2): everything but unreserved characters and slashes is escaped.
fn uri(name: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(escaped).collect()
}

pub fn github(report: &Report) -> String {
    let mut text = String::new();
    for linted in &report.files {
        for finding in &linted.findings {
            let write = finding
                .write
                .as_ref()
                .map(|write| format!("\nwrite: {write}"))
                .unwrap_or_default();
            let (level, code) = (finding.severity.as_str(), finding.code);
            let message = escaped(&format!("{}{write}", finding.message));
            let file = escaped(&linted.file.name)
                .replace(':', "%3A")
                .replace(',', "%2C");
            let (line, column) = (finding.line.max(1), finding.column.max(1));
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
