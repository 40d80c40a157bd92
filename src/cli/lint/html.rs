//! Findings as one HTML page, which opens without a server: each file line by line, each finding at its line, and what the files
//! say now. It has no script and asks for nothing. Example: `crawlprefs lint --format html robots.txt > lint.html`.

use super::{LintReport, Linted};
use crawlprefs::explain::lint::{LintFinding, Severity};
use crawlprefs::web::shown::{shown, visible};
use std::fmt::Write as _;

const STYLE: &str = include_str!("lint.css");

pub fn page(report: &LintReport) -> String {
    let errors = report.counted(Severity::Error);
    let warnings = report.counted(Severity::Warning);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>What is read of these files</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>What is read of these files</h1>\n\
         <p class=\"sum\"><b class=\"error\">{errors}</b> <b class=\"warning\">{warnings}</b></p>\n"
    );
    add_says(&mut page, report);
    for linted in &report.files {
        add_file(&mut page, linted);
    }
    page + "</main>\n</body>\n</html>\n"
}

fn add_says(page: &mut String, report: &LintReport) {
    let says = &report.says;
    *page += "<section>\n<h2>What they say now</h2>\n<table>\n<thead><tr><th scope=\"col\">About</th><th scope=\"col\">Answer</th>\
              <th scope=\"col\">By</th></tr></thead>\n<tbody>\n";
    let mut row = |name: &str, answer: &str, by: &str| {
        // Writing to a String does not fail.
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td class=\"{1}\">{1}</td><td>{2}</td></tr>",
            escaped(name),
            escaped(answer),
            escaped(by)
        );
    };
    if let Some(access) = says.access {
        let line = says
            .access_line
            .map(|line| format!("robots.txt, line {line}"))
            .unwrap_or_default();
        row(
            &format!("access for {}", report.agent),
            access.as_str(),
            &line,
        );
        let names = if says.closed_by_name.is_empty() {
            "nobody".to_owned()
        } else {
            says.closed_by_name.join(", ")
        };
        row("closed to, by name", &names, "robots.txt");
        row(
            "everyone else",
            if says.closes_others {
                "closed"
            } else {
                "not closed as a whole"
            },
            "robots.txt",
        );
    }
    for said in &says.labels {
        row(
            said.label.as_str(),
            said.preference.as_str(),
            &said.from.join("; "),
        );
    }
    for (what, files) in [
        ("not read in full", &says.unread),
        ("in doubt", &says.doubt),
    ] {
        if !files.is_empty() {
            row(what, &files.join(", "), "no label is allow");
        }
    }
    for agent in &says.unknown_agents {
        let meant = agent
            .meant
            .as_ref()
            .map(|meant| format!("write {meant}?"))
            .unwrap_or_default();
        row(
            &format!("unknown crawler, line {}", agent.line),
            &agent.name,
            &meant,
        );
    }
    *page += "</tbody>\n</table>\n</section>\n";
}

fn add_file(page: &mut String, linted: &Linted) {
    let name = escaped(&linted.file.name);
    // Writing to a String does not fail.
    let _ = writeln!(
        page,
        "<section>\n<h2>{name}</h2>\n<ol class=\"file\" aria-label=\"{name}, line by line\">"
    );
    for (number, line) in (1..).zip(linted.file.lines()) {
        let of_line: Vec<&LintFinding> = linted
            .findings
            .iter()
            .filter(|finding| finding.line == number)
            .collect();
        let worst = of_line.iter().map(|finding| finding.severity).max();
        let class = worst
            .map(|severity| format!(" class=\"{}\"", severity.as_str()))
            .unwrap_or_default();
        let _ = write!(
            page,
            "<li{class} value=\"{number}\"><code>{}</code>",
            escaped(&shown(line))
        );
        for finding in of_line {
            add_finding(page, finding);
        }
        *page += "</li>\n";
    }
    *page += "</ol>\n</section>\n";
}

fn add_finding(page: &mut String, finding: &LintFinding) {
    // Writing to a String does not fail.
    let _ = write!(
        page,
        "<p><b>{}</b> <span>{}</span> {}</p>",
        finding.severity.as_str(),
        escaped(finding.code),
        escaped(&finding.message)
    );
    if let Some(write) = &finding.write {
        let _ = write!(page, "<p>Write:</p><pre>{}</pre>", escaped(write));
    }
}

/// Escapes what is markup, and shows what is hidden.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| visible(line).into_owned())
        .collect();
    let text = lines.join("\n");
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
