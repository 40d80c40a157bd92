//! The log on standard error: events as lines of text or as JSON objects, one a line. A program that runs a job in its own
//! process gets the objects instead.
//!
//! Also what is counted of requests over a network, which are an event only if they are sent again:
//! `data.example: sent again in 2.0 s, after attempt 1: status 503`.

use super::event::{BUG, CommandEvent, Detail, Failure, Level};
use clap::ValueEnum;
use crawlprefs::store::{RequestEvent, RequestWatch};
use crawlprefs::web::shown::{visible, visible_json};
use crawlprefs::web::timestamp::Timestamp;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line of text
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Serialize)]
struct LogLine<'l> {
    time: String,
    level: Level,
    #[serde(flatten)]
    event: &'l CommandEvent<'l>,
    message: &'l str,
}

/// Writes events, a line each on standard error, or passes them to a program.
#[derive(Clone, Debug)]
pub struct Log {
    pub form: Form,
    detail: Detail,
    /// The bar above which lines are written, once there is one.
    pub bar: Arc<OnceLock<ProgressBar>>,
    program: Option<mpsc::Sender<Value>>,
}

impl Log {
    pub fn new(form: Form, detail: Detail) -> Self {
        Self {
            form,
            detail,
            bar: Arc::default(),
            program: None,
        }
    }

    /// Returns the log of a command that has no flags for it.
    pub fn plain() -> Self {
        Self::new(Form::Text, Detail::Problems)
    }

    pub fn to(self, program: mpsc::Sender<Value>) -> Self {
        Self {
            program: Some(program),
            ..self
        }
    }

    pub fn write(&self, event: &CommandEvent<'_>) {
        // In text, the summary on standard output takes the place of the first and the last event.
        let is_summary = matches!(event, CommandEvent::Started(_) | CommandEvent::Finished(_));
        let (level, detail) = event.level();
        if detail > self.detail || (is_summary && self.form == Form::Text) {
            return;
        }
        let message = event.message();
        let message = visible(&message);
        let object = LogLine {
            time: now(),
            level,
            event,
            message: &message,
        };
        // If the log cannot be written, the work goes on.
        let write = || drop(writeln!(stderr(), "{}", self.text(&object)));
        match (&self.program, self.bar.get()) {
            // Texts and numbers always serialise.
            (Some(program), _) => drop(program.send(json!(object))),
            (None, Some(bar)) => bar.suspend(write),
            (None, None) => write(),
        }
    }

    pub fn error(&self, failure: impl Into<Failure>) {
        self.write(&CommandEvent::Error(failure.into()));
    }

    pub fn warn(&self, failure: impl Into<Failure>) {
        self.write(&CommandEvent::Warning(failure.into()));
    }

    /// Writes a summary to standard error, where the documents are on standard output; if it cannot be written, the work is done.
    pub fn summary(text: &str) {
        drop(stderr().write_all(text.as_bytes()));
    }

    fn text(&self, line: &LogLine<'_>) -> String {
        let message = line.message;
        match (self.form, line.level) {
            (Form::Text, Level::Info) => message.to_owned(),
            (Form::Text, Level::Warning) => format!("crawlprefs: warning: {message}"),
            (Form::Text, Level::Error) => format!("crawlprefs: error: {message}"),
            (Form::Json, _) => {
                visible_json(&serde_json::to_string(line).unwrap_or_default()).into_owned()
            }
        }
    }

    /// In JSON form, writes panics as events; each is a bug, and ends at most one archive or batch.
    pub fn report_panics(&self) {
        if self.form == Form::Json {
            let log = self.clone();
            std::panic::set_hook(Box::new(move |panic| {
                log.error(Failure::lasting(BUG, panic.to_string().replace('\n', " ")));
            }));
        }
    }
}

#[derive(Debug)]
pub struct Requests {
    pub log: Log,
    counts: Mutex<RequestCounts>,
    /// Becomes the number of a signal, which ends all waits.
    pub signal: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct RequestCounts {
    /// Requests that were sent again.
    pub repeated: u64,
    pub wait_seconds: f64,
    pub hosts_left: u64,
}

impl Requests {
    pub fn new(log: Log, signal: Arc<AtomicUsize>) -> Self {
        Self {
            log,
            counts: Mutex::default(),
            signal,
        }
    }

    pub fn counts(&self) -> MutexGuard<'_, RequestCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestWatch for Requests {
    fn noticed(&self, event: &RequestEvent<'_>) {
        match event {
            RequestEvent::Repeated {
                host,
                attempt,
                wait,
                why,
            } => {
                let wait_seconds = wait.as_secs_f64();
                let mut counts = self.counts();
                counts.repeated += 1;
                counts.wait_seconds += wait_seconds;
                drop(counts);
                self.log.write(&CommandEvent::RequestRepeated {
                    host,
                    attempt: *attempt,
                    wait_seconds,
                    cause: why,
                });
            }
            RequestEvent::LeftAlone { why } => {
                self.counts().hosts_left += 1;
                let failure = Failure {
                    kind: "refused",
                    detail: (*why).to_owned(),
                    retry: true,
                };
                self.log.write(&CommandEvent::HostLeftAlone(failure));
            }
        }
    }

    fn should_stop(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }
}

/// Returns the time in UTC, in the form of RFC 3339.
pub fn now() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    // Whole milliseconds; a clock after the year 9999 has no time.
    let micros = i64::try_from(since.as_millis() * 1000).unwrap_or(i64::MAX);
    Timestamp::from_unix_micros(micros).map_or_else(String::new, |time| time.to_string())
}
