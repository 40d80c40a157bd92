//! The crawl that a summary is about: the only one, or the newest of several. The others have a line each.
//!
//! Example: `CC-MAIN-2026-34, the newest of 5 crawls; robots.txt was fetched 2026-08-10 to 2026-08-12.`

use super::text::{SummaryPart, add_heading, add_row, add_sentence};
use crawlprefs::job::{HostTally, ResolveTally};
use crawlprefs::web::timestamp::Timestamp;

/// A crawl, counted.
pub struct ShownCrawl<'t> {
    /// What pages and statements come to.
    pub tally: &'t ResolveTally,
    /// Its hosts; `None` where the table `sites` was not written.
    pub hosts: Option<&'t HostTally>,
    /// The name, and how many crawls there are, where it is one of several.
    one_of: Option<(&'t str, usize)>,
    /// Whether its statements are known: those of files that several crawls share are counted once for all of them.
    pub has_statements: bool,
}

impl<'t> ShownCrawl<'t> {
    /// Returns the only crawl of a tally or the newest one, and the others.
    pub fn of(tally: &'t ResolveTally) -> (Self, Vec<(&'t str, &'t ResolveTally)>) {
        let crawls = tally.newest_first();
        let count = crawls.len();
        let statements = |tally: &ResolveTally| tally.statements.values().sum::<u64>();
        let has_statements =
            statements(tally) == crawls.iter().map(|(_, crawl)| statements(crawl)).sum::<u64>();
        match crawls.split_first() {
            Some(((name, newest), others)) if count > 1 => {
                let hosts = newest.hosts.as_deref();
                (Self { tally: newest, hosts, one_of: Some((name, count)), has_statements }, others.to_vec())
            }
            only => {
                let hosts = only.and_then(|((_, crawl), _)| crawl.hosts.as_deref());
                (Self { tally, hosts, one_of: None, has_statements: true }, Vec::new())
            }
        }
    }

    /// The number of its hosts.
    pub fn host_count(&self) -> u64 {
        self.hosts.map_or(0, |hosts| hosts.hosts)
    }

    /// Adds which crawl it is, where there are others.
    pub fn add_name(&self, text: &mut String) {
        if let Some((name, count)) = self.one_of {
            let fetched = self.hosts.and_then(fetched).unwrap_or_default();
            add_sentence(text, &format!("{name}, of {count} crawls{fetched}. The others are below."));
        }
    }
}

/// Returns when robots.txt was fetched.
fn fetched(hosts: &HostTally) -> Option<String> {
    let [first, _, last] = hosts.robots_fetched?;
    let day = |second: i64| {
        let time = Timestamp::from_unix_micros(second.saturating_mul(1_000_000))?.to_string();
        time.get(..10).map(str::to_owned)
    };
    let (first, last) = (day(first)?, day(last)?);
    let to = if first == last { String::new() } else { format!(" to {last}") };
    Some(format!("; robots.txt was fetched {first}{to}"))
}

/// Adds a line for each of the other crawls: its pages, its hosts, and those that close everything to an agent by name.
pub fn add_others(text: &mut String, others: &[(&str, &ResolveTally)], agent: &str) {
    if others.is_empty() {
        return;
    }
    let closing = format!("closing {agent}");
    add_heading(text, "Other crawls, the newest first", &["pages", "hosts that answer", &closing]);
    for (crawl, tally) in others {
        let (answering, closing) = tally
            .hosts
            .as_deref()
            .map_or((0, 0), |hosts| (hosts.answering, hosts.closed_by_name.get(agent).copied().unwrap_or(0)));
        let of_hosts = SummaryPart::of(closing, answering);
        add_row(text, crawl, &[SummaryPart::alone(tally.pages), SummaryPart::alone(answering), of_hosts]);
    }
}
