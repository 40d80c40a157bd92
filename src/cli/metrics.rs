//! `--metrics FILE`: what a command has done so far, for Prometheus.
//!
//! Document: Prometheus, "Exposition formats", text-based format 0.0.4; the file is meant for the node exporter's
//! textfile collector. Example: `crawlprefs_archives_total{outcome="read"} 7`.
//! Left out: histograms; the report has the time of each archive.

use super::counts::{Counter, Outcomes, Tally, WorkState};
use super::event::Failure;
use super::file::WholeFile;
use super::requests::{RequestCounts, Requests};
use crawlprefs::error::Error;
use crawlprefs::job::Plan;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What an archive can come to; `known`: there is evidence of it; `changed`: it is another one than the evidence
/// is of; `bug`: nothing was written of it because of a bug.
const ARCHIVE_OUTCOMES: [&str; 10] = [
    "read",
    "known",
    "cut",
    "missing",
    "unreadable",
    "empty",
    "not_an_archive",
    "unsupported_format",
    "changed",
    "bug",
];

/// What a batch can come to.
const BATCH_OUTCOMES: [&str; 2] = ["resolved", "bug"];

/// The file with metrics.
pub struct Metrics {
    file: WholeFile,
    command: String,
    requests: Arc<Requests>,
}

impl Metrics {
    /// Returns the metrics of a command, to be written to a file.
    pub fn new(file: WholeFile, command: String, requests: Arc<Requests>) -> Self {
        Self { file, command, requests }
    }

    /// Writes how far the work is, and once it has ended the exit status and why it failed.
    pub fn write(&self, tally: &Tally, end: Option<(u8, Option<&Failure>)>) -> Result<(), Error> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let counts = self.requests.counts();
        self.file.write(&text(&self.command, tally, &counts, end, since.as_secs_f64()))
    }
}

/// Writes what is counted of the requests of a command that has ended.
pub fn write_requests(
    file: &WholeFile,
    command: &str,
    requests: &RequestCounts,
    status: u8,
) -> Result<(), Error> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut text = MetricsText(String::new());
    text.add_command(command);
    text.add_requests(requests);
    text.add_gauge("exit_status", "Exit status of the command.", status.into());
    text.add_seconds(
        "last_update_timestamp_seconds",
        "When this file was written, since 1970.",
        since.as_secs_f64(),
    );
    file.write(&text.0)
}

/// Returns the metrics; `now` is in seconds since 1970.
fn text(
    command: &str,
    tally: &Tally,
    requests: &RequestCounts,
    end: Option<(u8, Option<&Failure>)>,
    now: f64,
) -> String {
    let mut text = MetricsText(String::new());
    let state = tally.state();
    text.add_command(command);
    let (archives, batches) = tally.outcomes();
    text.add_outcomes("archives", "Archives that ended, by outcome.", &ARCHIVE_OUTCOMES, &archives);
    text.add_outcomes("batches", "Batches of tables that ended, by outcome.", &BATCH_OUTCOMES, &batches);
    text.add_counters(&state);
    text.add_requests(requests);
    text.add_plan(state.work);
    text.add_gauge("running", "1 while the command runs, 0 after its end.", u64::from(end.is_none()));
    if let Some((status, error)) = end {
        text.add_gauge("exit_status", "Exit status of the command.", status.into());
        text.add_error(error);
    }
    text.add_seconds("run_seconds", "Time since the command began.", state.totals.counts.seconds);
    text.add_seconds("last_update_timestamp_seconds", "When this file was written, since 1970.", now);
    text.0
}

/// The text of the file.
struct MetricsText(String);

impl MetricsText {
    fn add_line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn add_command(&mut self, command: &str) {
        let version = env!("CARGO_PKG_VERSION");
        self.add_head("crawlprefs_info", "gauge", "The command and its version.");
        self.add_line(&format!("crawlprefs_info{{command=\"{command}\",version=\"{version}\"}} 1"));
    }

    fn add_head(&mut self, name: &str, kind: &str, help: &str) {
        self.add_line(&format!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn add_metric(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.add_head(name, kind, help);
        self.add_line(&format!("{name} {value}"));
    }

    fn add_gauge(&mut self, name: &str, help: &str, value: u64) {
        self.add_metric(&format!("crawlprefs_{name}"), "gauge", help, value);
    }

    fn add_seconds(&mut self, name: &str, help: &str, value: f64) {
        let name = format!("crawlprefs_{name}");
        self.add_head(&name, "gauge", help);
        // Writing to a String does not fail.
        let _ = writeln!(self.0, "{name} {value:.3}");
    }

    fn add_error(&mut self, error: Option<&Failure>) {
        let Some(Failure { kind, retry, .. }) = error else { return };
        let name = "crawlprefs_error_info";
        self.add_head(
            name,
            "gauge",
            "Why the command could not run or go on, and whether another attempt may help.",
        );
        self.add_line(&format!("{name}{{kind=\"{kind}\",retry=\"{}\"}} 1", u8::from(*retry)));
    }

    fn add_outcomes(&mut self, what: &str, help: &str, known: &[&str], counts: &Outcomes) {
        let name = format!("crawlprefs_{what}_total");
        self.add_head(&name, "counter", help);
        for outcome in known {
            let count = counts.get(outcome).copied().unwrap_or(0);
            self.add_line(&format!("{name}{{outcome=\"{outcome}\"}} {count}"));
        }
    }

    fn add_counters(&mut self, state: &WorkState) {
        for Counter { metric, meaning, value, .. } in state.totals.counters() {
            self.add_metric(&format!("crawlprefs_{metric}_total"), "counter", meaning, value);
        }
    }

    fn add_requests(&mut self, counts: &RequestCounts) {
        for (name, help, value) in [
            ("requests_repeated", "Requests over a network that were sent again.", counts.repeated),
            ("hosts_left_alone", "Hosts that were left alone for some time or for good.", counts.hosts_left),
        ] {
            self.add_metric(&format!("crawlprefs_{name}_total"), "counter", help, value);
        }
        let name = "crawlprefs_request_wait_seconds_total";
        self.add_head(name, "counter", "Time waited before requests that were sent again, of all workers.");
        // Writing to a String does not fail.
        let _ = writeln!(self.0, "{name} {:.3}", counts.wait_seconds);
    }

    /// What the work is that was begun last; 0 where that is not known.
    fn add_plan(&mut self, work: Option<Plan>) {
        let (archives, bytes, batches, captures) = match work {
            Some(Plan::Scan { archives, bytes }) => (archives, bytes.unwrap_or(0), 0, 0),
            Some(Plan::Resolve { batches, captures }) => (0, 0, batches, captures),
            None => (0, 0, 0, 0),
        };
        for (name, help, value) in [
            ("planned_archives", "Archives of the scan that is under way.", archives as u64),
            ("planned_bytes", "Bytes of these archives, 0 where not known.", bytes),
            ("planned_batches", "Batches of the resolve that is under way.", batches as u64),
            ("planned_captures", "Captures of these batches.", captures),
        ] {
            self.add_gauge(name, help, value);
        }
    }
}
