//! The log on standard error: events as lines of text or as JSON objects, one a line.
//! A program that runs a job in its own process gets the objects instead.
//!
//! `event` has the events. The summary goes to standard output.

use super::event::{Detail, Event, Failure, Level};
use crawlprefs::error::Error;
use crawlprefs::web::shown::{visible, visible_json};
use crawlprefs::web::timestamp::Timestamp;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{Write, stderr};
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
}

#[derive(Serialize)]
struct LogLine<'l> {
    time: String,
    level: Level,
    #[serde(flatten)]
    event: &'l Event<'l>,
    message: &'l str,
}

/// Writes events, a line each on standard error, or passes them to a program.
#[derive(Clone)]
pub struct Log {
    form: Form,
    detail: Detail,
    bar: Option<ProgressBar>,
    program: Option<mpsc::Sender<Value>>,
}

impl Log {
    pub fn new(form: Form, detail: Detail) -> Self {
        Self { form, detail, bar: None, program: None }
    }

    /// Returns the log of a command that has no flags for it.
    pub fn plain() -> Self {
        Self::new(Form::Text, Detail::Problems)
    }

    pub fn form(&self) -> Form {
        self.form
    }

    /// Passes events to a program from now on.
    pub fn to(self, program: mpsc::Sender<Value>) -> Self {
        Self { program: Some(program), ..self }
    }

    /// Writes lines above a bar from now on.
    pub fn set_bar(&mut self, bar: &ProgressBar) {
        self.bar = Some(bar.clone());
    }

    /// Writes an event, if its detail is wanted.
    pub fn write(&self, event: &Event<'_>) {
        // In text, the summary on standard output takes the place of the first and the last event.
        let is_summary = matches!(event, Event::Started(_) | Event::Finished { .. });
        if event.detail() > self.detail || (is_summary && self.form == Form::Text) {
            return;
        }
        let message = event.message();
        let message = visible(&message);
        let object = LogLine { time: now(), level: event.level(), event, message: &message };
        // If the log cannot be written, the work goes on.
        let write = || drop(writeln!(stderr(), "{}", self.text(&object)));
        match (&self.program, &self.bar) {
            // Texts and numbers always serialise.
            (Some(program), _) => drop(program.send(json!(object))),
            (None, Some(bar)) => bar.suspend(write),
            (None, None) => write(),
        }
    }

    pub fn error(&self, failure: impl Into<Failure>) {
        self.write(&Event::Error(failure.into()));
    }

    fn text(&self, line: &LogLine<'_>) -> String {
        let message = line.message;
        match (self.form, line.level) {
            (Form::Text, Level::Info) => message.to_owned(),
            (Form::Text, Level::Warning) => format!("crawlprefs: warning: {message}"),
            (Form::Text, Level::Error) => format!("crawlprefs: error: {message}"),
            (Form::Json, _) => visible_json(&serde_json::to_string(line).unwrap_or_default()).into_owned(),
        }
    }

    /// In JSON form, writes panics as events; each is a bug, and ends at most one archive or batch.
    pub fn report_panics(&self) {
        if self.form == Form::Json {
            let log = self.clone();
            std::panic::set_hook(Box::new(move |panic| {
                log.error(Failure::bug(&panic.to_string().replace('\n', " ")));
            }));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

/// Returns the time in UTC, in the form of RFC 3339.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Whole milliseconds; a clock after the year 9999 has no time.
    let micros = i64::try_from(since.as_millis() * 1000).unwrap_or(i64::MAX);
    Timestamp::from_unix_micros(micros).map_or_else(String::new, |time| time.to_string())
}
