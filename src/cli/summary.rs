//! The summaries, for people and as JSON.

use super::args::ViewArgs;
use super::messages::{grouped, megabytes};
use crawlprefs::job::{ResolveTally, Summary};
use crawlprefs::systems::Label;
use crawlprefs::systems::{About, SYSTEMS};
use crawlprefs::tables::ChosenTables;
use crawlprefs::tables::pages::PAGES;
use crawlprefs::tables::robots_agents::ROBOTS_AGENTS;
use crawlprefs::tables::statements::STATEMENTS;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// What is reported of a command.
#[derive(Serialize)]
pub struct Report<'r> {
    /// The first half.
    #[serde(flatten)]
    pub scan: Option<&'r Summary>,
    /// The second half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve: Option<&'r ResolveTally>,
    /// How long it took.
    pub seconds: f64,
}

impl Report<'_> {
    /// Tells whether the work was stopped before its end.
    pub fn is_stopped(&self) -> bool {
        self.scan.is_some_and(|summary| summary.stopped) || self.resolve.is_some_and(|tally| tally.stopped)
    }

    /// Writes it as JSON.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let mut value = serde_json::to_value(self).map_err(io::Error::other)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        }
        let mut text = serde_json::to_string_pretty(&value).map_err(io::Error::other)?;
        text.push('\n');
        fs::write(file, text)
    }
}

/// Returns the summary of a scan for people.
pub fn of_scan(summary: &Summary, seconds: f64) -> String {
    if summary.inputs == 0 {
        return "no archive in this share, nothing to do\n".to_owned();
    }
    let mut text = String::new();
    let megabytes = megabytes(summary.bytes);
    let plural =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let inputs = plural(summary.inputs, "archive", "archives");
    let speed = match summary.inputs_of_earlier_calls {
        0 => format!(" in {seconds:.1} s, {:.0} MB/s", megabytes / seconds.max(1e-3)),
        earlier => format!(", {} by an earlier call", plural(earlier, "archive", "archives")),
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
            *outcomes.entry(input.outcome.to_owned()).or_default() += 1;
        }
        row(&mut text, "failed inputs", summary.failed_inputs.len() as u64, &listed(&outcomes));
    }
    text
}

/// Says what to do with the evidence.
pub fn after_scan(out: &Path) -> String {
    let out = out.display();
    format!(
        "Evidence in {out}/evidence; its columns: crawlprefs schema. Next: crawlprefs resolve {out}, or in DuckDB\n  \
         SELECT kind, fetch_status, count(*) FROM '{out}/evidence/captures/*/*.parquet' GROUP BY ALL ORDER BY ALL;\n"
    )
}

/// Returns the summary of resolving into a folder, for people.
pub fn of_resolve(tally: &ResolveTally, view: &ViewArgs, out: &Path) -> String {
    if tally.segments == 0 {
        return "no segment in this share, nothing to do\n".to_owned();
    }
    let mut text = String::new();
    if view.tables.has(&PAGES) {
        pages(&mut text, tally, view);
    }
    if view.tables.has(&STATEMENTS) {
        statements(&mut text, tally);
    }
    labels(&mut text, tally);
    systems_say(&mut text, tally);
    if !tally.later.is_empty() {
        row(&mut text, "judged later", tally.later.values().sum(), &listed(&tally.later));
    }
    surprises(&mut text, tally);
    text + "\n" + &after_resolve(out, &view.tables, tally.pages)
}

fn pages(text: &mut String, tally: &ResolveTally, view: &ViewArgs) {
    if tally.pages == 0 {
        return row(text, "pages", 0, "none among the inputs");
    }
    row(text, "pages", tally.pages, &format!("robots.txt: {}", listed(&tally.robots_states)));
    let access = |name: &str| tally.access.get(name).copied().unwrap_or(0);
    let detail = format!("open {}, unknown {}", grouped(access("allow")), grouped(access("unknown")));
    row(text, &format!("closed to {}", view.agent), access("disallow"), &format!("pages; {detail}"));
    let mut tokens: Vec<_> = tally.disallowed.iter().collect();
    tokens.sort_by_key(|(token, pages)| (std::cmp::Reverse(**pages), token.to_ascii_lowercase()));
    let most: Vec<String> =
        tokens.iter().take(5).map(|(token, pages)| format!("{token} {}", grouped(**pages))).collect();
    if !most.is_empty() {
        let agents = format!("of the agents table; most pages: {}", most.join(", "));
        row(text, "agents shut out", tokens.len() as u64, &agents);
    }
}

fn statements(text: &mut String, tally: &ResolveTally) {
    let mut systems = BTreeMap::<String, u64>::new();
    for (name, count) in &tally.statements {
        let system = name.split(' ').next().unwrap_or(name);
        *systems.entry(system.to_owned()).or_default() += count;
    }
    let detail = format!("{}; {} with a defect", listed(&systems), grouped(tally.invalid_statements));
    row(text, "statements", systems.values().sum(), &detail);
}

/// The labels over all systems.
fn labels(text: &mut String, tally: &ResolveTally) {
    if !tally.labels.is_empty() {
        text.push('\n');
    }
    for label in Label::ALL.map(Label::as_str) {
        let Some(counts) = tally.labels.get(label) else { continue };
        let against = match tally.conflicts.get(label) {
            Some(pages) => format!("; contradicted on {}", grouped(*pages)),
            None => String::new(),
        };
        row(text, label, counts.values().sum(), &format!("pages; {}{against}", listed(counts)));
    }
}

/// What each system says, by its columns.
fn systems_say(text: &mut String, tally: &ResolveTally) {
    if !tally.preferences.is_empty() {
        text.push('\n');
    }
    for system in SYSTEMS {
        let columns = system.about().columns.iter();
        let said: Vec<String> = columns
            .filter_map(|column| {
                let counts = tally.preferences.get(column.name)?;
                let own = column.name == system.about().name;
                let name = if own { "pages" } else { without_system(column.name, system.about()) };
                Some(format!("{name} {}", listed(counts)))
            })
            .collect();
        if !said.is_empty() {
            line(text, &format!("  {:<22} {}", system.about().name, said.join("; ")));
        }
    }
}

/// The two things that surprise people first, by name.
fn surprises(text: &mut String, tally: &ResolveTally) {
    let pages = |count: u64| {
        if count == 1 { "1 page has".to_owned() } else { format!("{} pages have", grouped(count)) }
    };
    let not_archived = tally.robots_states.get("not_archived").copied().unwrap_or(0);
    let missing = not_archived.saturating_sub(tally.slack_would_help);
    if missing > 0 {
        line(
            text,
            &format!(
                "\n{} no robots.txt among the inputs, so that nothing is known. Common Crawl spreads",
                pages(missing)
            ),
        );
        line(
            text,
            "a host over all files of a segment: give it the segment's whole robotstxt/, about 1.5 GB.",
        );
    }
    if tally.slack_would_help > 0 {
        let needed = duration(tally.slack_needed_s);
        line(
            text,
            &format!(
                "\n{} only a robots.txt fetched later; --robots-slack {needed} would let it serve.",
                pages(tally.slack_would_help)
            ),
        );
    }
}

/// Returns a time as --robots-slack takes it, rounded up to a unit in which it is a small number.
fn duration(seconds: i64) -> String {
    let units = [(1, "s", 180), (60, "m", 180), (3600, "h", 72)];
    let fitting = units.into_iter().find(|(unit, _, most)| seconds <= unit * most);
    let (unit, name, _) = fitting.unwrap_or((86_400, "d", 0));
    format!("{}{name}", (seconds + unit - 1) / unit)
}

/// Says what to do with the tables, of which `pages` has so many rows.
fn after_resolve(out: &Path, tables: &ChosenTables, pages: u64) -> String {
    let out = out.display();
    let names: Vec<&str> = tables.names().collect();
    let query = if tables.has(&PAGES) && pages > 0 {
        format!(
            "SELECT url, access, access_line, disallowed_agents FROM '{out}/pages/*/*.parquet' WHERE access = 'disallow';"
        )
    } else if tables.has(&ROBOTS_AGENTS) {
        format!(
            "SELECT agent, class, count(*) AS files FROM '{out}/robots_agents/*/*.parquet' GROUP BY ALL ORDER BY files DESC LIMIT 20;"
        )
    } else {
        format!("SELECT * FROM '{out}/{}/*/*.parquet' LIMIT 10;", names.first().unwrap_or(&"pages"))
    };
    format!(
        "Tables in {out}: {}.\nTheir columns: crawlprefs schema. For example, in DuckDB\n  {query}\n",
        names.join(", ")
    )
}

fn row(text: &mut String, name: &str, count: u64, detail: &str) {
    line(text, &format!("  {name:<24}{:>10}  {detail}", grouped(count)));
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

/// Returns the name of a column without what all columns of its system begin with.
pub fn without_system<'c>(column: &'c str, system: &About) -> &'c str {
    column.strip_prefix(system.column_prefix).unwrap_or(column)
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn local_a_slack_is_told_in_a_fitting_unit_and_never_too_short() {
        for (seconds, text) in [
            (1, "1s"),
            (60, "60s"),
            (181, "4m"),
            (497, "9m"),
            (10_800, "180m"),
            (10_801, "4h"),
            (900_000, "11d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
