//! `--metrics FILE`: what a command has done so far, for Prometheus.
//!
//! Document: Prometheus, "Exposition formats", text-based format 0.0.4; the file is meant for the node exporter's
//! textfile collector. Example: `crawlprefs_archives_total{command="run",out="prefs",outcome="read"} 7`. The labels `command`
//! and `out` keep the series of several files of one folder apart: the collector drops what two files have alike.

use super::counts::{Outcomes, Tally};
use super::event::Failure;
use super::log::RequestCounts;
use crawlprefs::job::Plan;
use std::fmt::{Display, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// The outcomes of an archive; `known`: there is evidence of it; `changed`: it is not the archive of the evidence;
/// `bug`: nothing was written of it because of a bug.
const ARCHIVE_OUTCOMES: &str =
    "read known cut missing unreadable empty not_an_archive unsupported_format changed bug";

const BATCH_OUTCOMES: &str = "resolved bug";

/// Returns how far the work is, and after its end the exit status and why it failed.
pub fn of_work(
    source: &MetricsSource,
    tally: &Tally,
    requests: RequestCounts,
    end: Option<(u8, Option<&Failure>)>,
) -> String {
    let mut text = MetricsText::of_command(source);
    let state = tally.state();
    let (archives, batches) = tally.outcomes();
    text.add_outcomes(
        "archives_total",
        "Archives that ended, by outcome.",
        ARCHIVE_OUTCOMES,
        &archives,
    );
    let help = "Batches of tables that ended, by outcome.";
    text.add_outcomes("batches_total", help, BATCH_OUTCOMES, &batches);
    for (metric, meaning, value) in state.totals.counters() {
        text.add(&format!("{metric}_total"), meaning, value);
    }
    text.add_requests(requests);
    text.add_plan(state.work);
    text.add(
        "running",
        "1 while the command runs, 0 after its end.",
        u8::from(end.is_none()),
    );
    if let Some((status, error)) = end {
        text.add_end(status, error);
    }
    text.add_seconds(
        "run_seconds",
        "Time since the command began.",
        state.totals.counts.seconds,
    );
    text.written()
}

/// What the series of a file are of: the labels of all of them.
#[derive(Clone, Debug, Default)]
pub struct MetricsSource {
    command: String,
    /// The name of the output folder, or what the user calls it.
    out: String,
}

impl MetricsSource {
    /// Returns the labels of a command; `label` takes the place of the name of its output folder.
    pub fn new(command: &str, out: Option<&str>, label: Option<&str>) -> Self {
        let name = |out: &str| {
            out.trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let out = label
            .map(str::to_owned)
            .or_else(|| out.map(name))
            .unwrap_or_default();
        Self {
            command: command.to_owned(),
            out,
        }
    }

    fn labels(&self) -> String {
        let escaped = |value: &str| {
            value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n")
        };
        format!(
            "command=\"{}\",out=\"{}\"",
            escaped(&self.command),
            escaped(&self.out)
        )
    }
}

pub struct MetricsText {
    prefix: &'static str,
    labels: String,
    text: String,
}

impl MetricsText {
    pub fn new(prefix: &'static str, source: &MetricsSource) -> Self {
        Self {
            prefix,
            labels: source.labels(),
            text: String::new(),
        }
    }

    pub fn of_command(source: &MetricsSource) -> Self {
        let mut text = Self::new("crawlprefs", source);
        let labels = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        text.add_samples("info", "The command and its version.", [(labels, 1)]);
        text
    }

    pub fn add(&mut self, name: &str, help: &str, value: impl Display) {
        self.add_samples(name, help, [(String::new(), value)]);
    }

    /// Adds a metric with its samples: labels such as `{state="done"}`, and values. A counter is called `..._total`.
    pub fn add_samples<V: Display>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (String, V)>,
    ) {
        let Self {
            prefix,
            labels: of_source,
            text,
        } = self;
        let kind = if name.ends_with("_total") {
            "counter"
        } else {
            "gauge"
        };
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "# HELP {prefix}_{name} {help}\n# TYPE {prefix}_{name} {kind}"
        );
        for (labels, value) in samples {
            let own = labels.trim_start_matches('{').trim_end_matches('}');
            let comma = if own.is_empty() { "" } else { "," };
            let _ = writeln!(text, "{prefix}_{name}{{{of_source}{comma}{own}}} {value}");
        }
    }

    fn add_seconds(&mut self, name: &str, help: &str, value: f64) {
        self.add(name, help, format_args!("{value:.3}"));
    }

    fn add_end(&mut self, status: u8, error: Option<&Failure>) {
        self.add("exit_status", "Exit status of the command.", status);
        if let Some(Failure { kind, retry, .. }) = error {
            let help =
                "Why the command could not run or go on, and whether another attempt may help.";
            let labels = format!("{{kind=\"{kind}\",retry=\"{}\"}}", u8::from(*retry));
            self.add_samples("error_info", help, [(labels, 1)]);
        }
    }

    pub fn ended(mut self, status: u8, error: Option<&Failure>) -> String {
        self.add_end(status, error);
        self.written()
    }

    fn written(mut self) -> String {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let help = "When this file was written, since 1970.";
        self.add_seconds("last_update_timestamp_seconds", help, since.as_secs_f64());
        self.text
    }

    fn add_outcomes(&mut self, name: &str, help: &str, known: &str, counts: &Outcomes) {
        self.add_samples(
            name,
            help,
            known.split(' ').map(|outcome| {
                (
                    format!("{{outcome=\"{outcome}\"}}"),
                    counts.get(outcome).copied().unwrap_or(0),
                )
            }),
        );
    }

    pub fn add_requests(&mut self, requests: RequestCounts) {
        let RequestCounts {
            repeated,
            hosts_left,
            wait_seconds,
        } = requests;
        self.add(
            "requests_repeated_total",
            "Requests over a network that were sent again.",
            repeated,
        );
        let help = "Hosts that were left alone for some time or for good.";
        self.add("hosts_left_alone_total", help, hosts_left);
        let help = "Time waited before requests that were sent again, of all workers.";
        self.add_seconds("request_wait_seconds_total", help, wait_seconds);
    }

    /// Adds the figures of the work that was begun last; 0 if they are not known.
    fn add_plan(&mut self, work: Option<Plan>) {
        let planned = match work {
            Some(Plan::Scan { archives, bytes }) => [archives as u64, bytes.unwrap_or(0), 0, 0],
            Some(Plan::Resolve { batches, captures }) => [0, 0, batches as u64, captures],
            Some(Plan::Index { captures, .. }) => [0, 0, 0, captures],
            None => [0; 4],
        };
        let described = [
            (
                "planned_archives",
                "Archives of the scan that is under way.",
            ),
            (
                "planned_bytes",
                "Bytes of these archives, 0 where not known.",
            ),
            (
                "planned_batches",
                "Batches of the resolve that is under way.",
            ),
            (
                "planned_captures",
                "Captures of these batches, or of the index that is made.",
            ),
        ];
        for ((name, help), value) in described.into_iter().zip(planned) {
            self.add(name, help, value);
        }
    }
}
