//! Findings as text: a paragraph for each, then what the files say now.

use super::{LintReport, Linted, counted};
use crate::cli::explain::text::{FAINT, PageLines, STRONG, Text, WARNING, quoted};
use crawlprefs::explain::lint::{LintFinding, Severity};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::shown::visible;

/// The most names of a list; any number of this size.
const MOST_NAMES: usize = 12;

pub fn text(report: &LintReport, is_coloured: bool) -> String {
    let mut lines = PageLines::new(is_coloured);
    for linted in &report.files {
        for finding in &linted.findings {
            add_finding(&mut lines, linted, finding);
        }
    }
    add_says(&mut lines, report);
    lines.add_gap();
    lines.add_line(format!(
        "{}, {} in {}",
        report.counted(Severity::Error),
        report.counted(Severity::Warning),
        counted(report.files.len(), "file"),
    ));
    lines.text
}

fn add_finding(lines: &mut PageLines, linted: &Linted, finding: &LintFinding) {
    let place = format!(
        "{}:{}:{} ",
        visible(&linted.file.name),
        finding.line,
        finding.column
    );
    let style = if finding.severity == Severity::Error {
        STRONG
    } else {
        WARNING
    };
    let head = Text::styled(finding.severity.as_str(), style).plain(&format!(" {}", finding.code));
    lines.add_line(Text::styled(&place, FAINT).and(head));
    lines.add_indented(&finding.message);
    if !finding.text.is_empty() {
        lines.add_named("  line", quoted(&finding.text));
    }
    for (number, write) in finding
        .write
        .iter()
        .flat_map(|write| write.lines())
        .enumerate()
    {
        lines.add_named(
            if number == 0 { "  write" } else { "" },
            Text::styled(&quoted(write), STRONG),
        );
    }
    lines.add_gap();
}

fn add_says(lines: &mut PageLines, report: &LintReport) {
    let says = &report.says;
    let about = if report.is_named {
        report.page.as_str()
    } else {
        "the root of the site"
    };
    lines.add_line(Text::styled(
        &format!("What this says now of {}", visible(about)),
        STRONG,
    ));
    if let Some(access) = says.access {
        let line = says
            .access_line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        lines.add_named(
            "  access",
            Text::default()
                .preference(access)
                .plain(&format!(" for {}{line}", report.agent)),
        );
        lines.add_named("  closed to", names(&says.closed_by_name, "nobody by name"));
        let others = if says.closes_others {
            "closed"
        } else {
            "not closed as a whole"
        };
        lines.add_named("  all others", others);
    }
    for said in &says.labels {
        let from = if said.from.is_empty() {
            String::new()
        } else {
            format!("  {}", said.from.join("; "))
        };
        let word = if said.preference == Preference::Unknown {
            "nothing said"
        } else {
            said.preference.as_str()
        };
        lines.add_named(
            &format!("  {}", said.label.as_str()),
            Text::default().word(word).plain(&from),
        );
    }
    for (what, files) in [("  not read", &says.unread), ("  in doubt", &says.doubt)] {
        if !files.is_empty() {
            lines.add_named(what, format!("{}: no label is allow", files.join(", ")));
        }
    }
    if !says.unknown_agents.is_empty() {
        let unknown = says.unknown_agents.len();
        lines.add_gap();
        let counted = if unknown == 1 {
            "1 of them is".to_owned()
        } else {
            format!("{unknown} of them are")
        };
        lines.add_line(format!(
            "robots.txt names {} crawlers; {counted} not in the agents table:",
            says.named
        ));
        for agent in says.unknown_agents.iter().take(MOST_NAMES) {
            let meant = agent
                .meant
                .as_ref()
                .map(|meant| format!(": write {meant}?"))
                .unwrap_or_default();
            lines.add_line(format!(
                "  line {}, {}{meant}",
                agent.line,
                quoted(&agent.name)
            ));
        }
        if unknown > MOST_NAMES {
            lines.add_line(format!("  and {} more", unknown - MOST_NAMES));
        }
    }
}

fn names(names: &[String], nobody: &str) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| quoted(name))
        .collect();
    match names.len() {
        0 => nobody.to_owned(),
        count if count > MOST_NAMES => {
            format!("{} and {} more", shown.join(", "), count - MOST_NAMES)
        }
        _ => shown.join(", "),
    }
}
