//! The summaries of a call, for people who have read no draft: findings, then sections, at most 80 columns wide. A summary is
//! about the only crawl, or the newest of several; the others have a line each. The report has the same as JSON.

mod findings;
mod sections;
mod text;

use super::args::ViewArgs;
use super::output::{self, grouped, megabytes, wrapped};
use super::report::CallResults;
use crawlprefs::job::{HostTally, ResolveTally, Summary};
use crawlprefs::runs::Duplicate;
use crawlprefs::systems::About;
use crawlprefs::tables::ChosenTables;
use crawlprefs::tables::pages::PAGES;
use crawlprefs::tables::robots::ROBOTS_AGENTS;
use crawlprefs::tables::sites::SITES;
use crawlprefs::web::shown::visible;
use crawlprefs::web::timestamp::Timestamp;
use findings::{add_findings, most_closed_by_name};
use sections::{add_sections, subject};
use std::collections::BTreeMap;
use std::path::Path;
use text::{SummaryTable, SummaryText, count, listed};

/// Returns the summary of a scan, of a resolve by a view, or of both.
pub fn render(results: &CallResults, seconds: f64, view: Option<&ViewArgs>, out: &Path) -> String {
    let resolve = results.resolve.as_ref().zip(view);
    let mut text = SummaryText::new(output::width());
    if let Some(nothing) = results.scan.as_ref().and_then(nothing_read) {
        text.add_sentence(&nothing);
        return text.text;
    }
    if let Some(summary) = &results.scan {
        text.add_sentence(&read(summary, seconds));
    }
    if let Some((tally, view)) = resolve {
        add_resolved(&mut text, tally, view);
        add_duplicates(&mut text, tally);
    }
    let has_read = results
        .scan
        .as_ref()
        .filter(|summary| resolve.is_some() || summary.inputs > 0);
    if let Some(summary) = has_read {
        add_records(&mut text, summary);
    }
    let after = match resolve {
        Some((tally, view)) => {
            (has_read.is_some() || tally.segments > 0).then(|| after_resolve(out, tally, view))
        }
        None => has_read.map(|_| after_scan(out)),
    };
    let mut text = text.text;
    text.extend(after.iter().flat_map(|after| ["\n", after]));
    // A summary may begin with a heading.
    text.trim_start().to_owned()
}

/// Says that no input could be read, so that there is nothing to count.
fn nothing_read(summary: &Summary) -> Option<String> {
    let is_none_read = summary.inputs > 0 && summary.failed_inputs.len() == summary.inputs;
    (is_none_read && summary.records == 0).then(|| match summary.inputs {
        1 => "The only input could not be read.".to_owned(),
        inputs => format!("None of {} inputs could be read.", grouped(inputs as u64)),
    })
}

fn read(summary: &Summary, seconds: f64) -> String {
    if summary.inputs == 0 {
        return "no archives, nothing to do".to_owned();
    }
    let inputs = if summary.inputs == 1 {
        "archive"
    } else {
        "archives"
    };
    let megabytes = megabytes(summary.bytes);
    let rate = match megabytes / seconds.max(1e-3) {
        // A rate says nothing about a few small archives.
        slow if slow < 1.0 => String::new(),
        rate => format!(" ({rate:.0} MB/s)"),
    };
    let time = match summary.inputs_of_earlier_calls {
        0 => format!(" in {seconds:.1} s{rate}"),
        all if all == summary.inputs => ", all by an earlier call".to_owned(),
        earlier => format!(", {earlier} of them by an earlier call"),
    };
    let records = if summary.records == 1 {
        "record"
    } else {
        "records"
    };
    format!(
        "Read {} {inputs} ({megabytes:.1} MB, {} {records}){time}",
        summary.inputs,
        grouped(summary.records)
    )
}

fn add_records(text: &mut SummaryText, summary: &Summary) {
    text.add_heading(&format!(
        "What became of {} records",
        grouped(summary.records)
    ));
    text.add_listing(
        "captures",
        summary.all_captures(),
        &listed(&summary.captures),
    );
    text.add_listing(
        "no interest",
        summary.no_interest,
        "requests, metadata, records that are not HTTP",
    );
    let detail = match summary.all_failures() {
        0 => "nothing is damaged".to_owned(),
        places => format!(
            "damaged places: {}, {}",
            grouped(places),
            listed(&summary.failures)
        ),
    };
    text.add_listing("lost", summary.records_lost, &detail);
    if summary.read_in_full > 0 {
        let why = "archives, in spite of --depth heads: it is not safe to skip anything in them";
        text.add_listing("read in full", summary.read_in_full, why);
    }
    if !summary.failed_inputs.is_empty() {
        let mut outcomes = BTreeMap::<String, u64>::new();
        for input in &summary.failed_inputs {
            *outcomes.entry(input.outcome.to_owned()).or_default() += 1;
        }
        text.add_listing(
            "failed inputs",
            summary.failed_inputs.len() as u64,
            &listed(&outcomes),
        );
    }
    let bodies = if summary.site_files == 1 {
        "body"
    } else {
        "bodies"
    };
    let count = grouped(summary.site_files);
    text.add_sentence(&format!(
        "Kept of robots.txt and its like: {count} {bodies}, each once per archive."
    ));
}

/// Names an archive that is there under two names, of which one counts.
fn add_duplicates(text: &mut SummaryText, tally: &ResolveTally) {
    let Some(Duplicate {
        archive, same_as, ..
    }) = tally.duplicates.first()
    else {
        return;
    };
    let others = match tally.duplicates.len() - 1 {
        0 => String::new(),
        others => format!(
            ", and {} more are the same as others: status lists them",
            grouped(others as u64)
        ),
    };
    let archive = visible(archive);
    let same_as = visible(same_as);
    let what =
        format!("{archive} is the same archive as {same_as}, and counts for nothing{others}");
    text.add_sentence(&format!("{what} (docs/formats.md)."));
}

fn after_scan(out: &Path) -> String {
    let out = out.display();
    format!(
        "Evidence in {out}/evidence; its columns: crawlprefs schema.
Next: crawlprefs resolve {out}, or in DuckDB
  SELECT kind, fetch_status, count(*)
  FROM '{out}/evidence/captures/*/*.parquet'
  GROUP BY ALL ORDER BY ALL;
"
    )
}

fn add_resolved(text: &mut SummaryText, tally: &ResolveTally, view: &ViewArgs) {
    if tally.segments == 0 {
        text.add_sentence("no segment in this share, nothing to do");
        return;
    }
    let (shown, others) = ShownCrawl::from_tally(tally);
    if let Some((name, count)) = shown.one_of {
        let fetched = shown.hosts.and_then(fetched).unwrap_or_default();
        text.add_sentence(&format!(
            "{name}, of {count} crawls{fetched}. The others are below."
        ));
    }
    if shown.tally.pages + shown.hosts.map_or(0, |hosts| hosts.hosts) > 0 {
        add_findings(text, &shown, view);
    }
    add_sections(text, &shown, view);
    let most = shown.hosts.and_then(most_closed_by_name);
    add_others(
        text,
        &others,
        most.map_or(&view.viewpoint.agent(), |(token, _)| token),
    );
}

fn after_resolve(out: &Path, tally: &ResolveTally, view: &ViewArgs) -> String {
    let tables: &ChosenTables = &view.tables;
    let out = out.display();
    if tables.has(&PAGES) && tables.has(&SITES) && tally.pages + tally.sites.sites == 0 {
        return format!("The tables in {out} have no rows.\n");
    }
    let names: Vec<&str> = tables.names().collect();
    let subject = subject(&ShownCrawl::from_tally(tally).0).1;
    let closing = format!(
        "WHERE agent_set IN (\n    SELECT agent_set FROM '{out}/agent_sets/*/*.parquet'\n    WHERE list_contains(agents_closed, 'GPTBot'))"
    );
    let (columns, table, condition) = if tables.has(&PAGES) && subject == "pages" {
        (
            "url, access, access_line, disallowed_agents",
            "pages",
            "WHERE access = 'disallow'",
        )
    } else if tables.has(&SITES) {
        ("origin, robots_body_digest", "sites", closing.as_str())
    } else if tables.has(&ROBOTS_AGENTS) {
        (
            "agent, class, count(*) AS files",
            "robots_agents",
            "GROUP BY ALL ORDER BY files DESC LIMIT 20",
        )
    } else {
        ("*", names.first().copied().unwrap_or("pages"), "LIMIT 10")
    };
    let names = wrapped(&(names.join(", ") + "."), output::width(), "  ", "  ");
    format!(
        "Tables in {out}:\n{names}Their columns: crawlprefs schema. For example, in DuckDB\n  SELECT {columns}\n  FROM '{out}/{table}/*/*.parquet'\n  {condition};\n"
    )
}

pub fn without_system<'c>(column: &'c str, system: &About) -> &'c str {
    column.strip_prefix(system.column_prefix).unwrap_or(column)
}

struct ShownCrawl<'t> {
    pub tally: &'t ResolveTally,
    /// Its hosts; `None` if the table `sites` was not written.
    pub hosts: Option<&'t HostTally>,
    /// The name and the number of crawls, if there are several.
    one_of: Option<(&'t str, usize)>,
    /// The name of its crawl, or of the newest one.
    crawl: Option<&'t str>,
    /// Whether its statements are known: those of files that several crawls share are counted once for all of them.
    pub has_statements: bool,
}

impl<'t> ShownCrawl<'t> {
    /// Returns the only crawl of a tally or the newest one, and the others.
    pub fn from_tally(tally: &'t ResolveTally) -> (Self, Vec<(&'t str, &'t ResolveTally)>) {
        let crawls = tally.newest_first();
        let hosts = crawls
            .first()
            .and_then(|(_, newest)| newest.hosts.as_deref());
        let crawl = crawls.first().map(|(name, _)| *name);
        let (Some((name, newest)), 2..) = (crawls.first(), crawls.len()) else {
            return (
                Self {
                    tally,
                    hosts,
                    one_of: None,
                    crawl,
                    has_statements: true,
                },
                Vec::new(),
            );
        };
        let statements = |tally: &ResolveTally| tally.statements.values().sum::<u64>();
        let of_crawls: u64 = crawls.iter().map(|(_, crawl)| statements(crawl)).sum();
        let (one_of, has_statements) =
            (Some((*name, crawls.len())), statements(tally) == of_crawls);
        let others = crawls.iter().skip(1).copied().collect();
        (
            Self {
                tally: newest,
                hosts,
                one_of,
                crawl,
                has_statements,
            },
            others,
        )
    }

    /// Returns whether it is a crawl of Common Crawl, by its name.
    fn is_of_common_crawl(&self) -> bool {
        self.crawl
            .is_some_and(|crawl| crawl.starts_with("CC-MAIN-"))
    }
}

fn fetched(hosts: &HostTally) -> Option<String> {
    let [first, _, last] = hosts.robots_fetched?;
    let day = |second: i64| {
        let time = Timestamp::from_unix_micros(second.saturating_mul(1_000_000))?.to_string();
        time.get(..10).map(str::to_owned)
    };
    let first = day(first)?;
    let last = day(last)?;
    let to = if first == last {
        String::new()
    } else {
        format!(" to {last}")
    };
    Some(format!("; robots.txt was fetched {first}{to}"))
}

/// Adds a line for each other crawl: its pages, its hosts, and those that close everything to an agent by name.
fn add_others(text: &mut SummaryText, others: &[(&str, &ResolveTally)], agent: &str) {
    if others.is_empty() {
        return;
    }
    let closing = format!("closing {agent}");
    let units = ["pages", "hosts that answer", &closing];
    let mut table = SummaryTable::new("Other crawls, newest first", &units);
    for (crawl, tally) in others {
        let hosts = tally.hosts.as_deref();
        let (answering, closing) = hosts.map_or((0, 0), |hosts| {
            (hosts.answering, count(&hosts.closed_by_name, agent))
        });
        table.add(
            *crawl,
            &[
                (tally.pages, None),
                (answering, None),
                (closing, Some(answering)),
            ],
        );
    }
    text.add_table(&table);
}
