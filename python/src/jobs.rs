//! The command and its jobs, with the GIL released.
//!
//! A job runs in a thread of its own. The calling thread passes events to Python and looks for Ctrl-C, so that
//! callbacks are called where the user has called, and exceptions of theirs end the job.

use crawlprefs::cli;
use crawlprefs::cli::called::{self, Called, Failure};
use crawlprefs::explain::json;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use serde_json::Value;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time between two looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(100);
/// The number of SIGINT.
const INTERRUPTED: usize = 2;

/// Runs the command; the first argument is its name. Returns the exit status.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| cli::command(arguments))
}

/// Runs `scan`, `resolve`, `run` or `sites`; `on_event` gets each event, as the JSON log has it. Returns the exit status and the report.
#[pyfunction]
pub fn job(
    py: Python<'_>,
    arguments: Vec<OsString>,
    on_event: Py<PyAny>,
) -> PyResult<(u8, Bound<'_, PyAny>)> {
    let (sender, events) = mpsc::channel();
    let stop = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&stop);
    let work = move || called::job(arguments, sender, asked);
    let (ended, raised) = py.detach(move || -> PyResult<_> {
        let worker = thread::Builder::new()
            .name("crawlprefs".to_owned())
            .spawn(work)?;
        let raised = pass_on(&events, &on_event, &stop);
        Ok((worker.join(), raised))
    })?;
    if let Some(raised) = raised {
        return Err(raised);
    }
    let bug = || Failure {
        kind: "bug",
        detail: "the job ended in a panic".to_owned(),
        retry: false,
    };
    let Called { status, report } = ended
        .unwrap_or_else(|_| Err(bug()))
        .map_err(|it| error(py, it))?;
    Ok((status, pythonize(py, &report)?))
}

/// Passes events on until the job has ended. The first exception stops the job and is returned.
fn pass_on(events: &Receiver<Value>, on_event: &Py<PyAny>, stop: &AtomicUsize) -> Option<PyErr> {
    let mut raised = None;
    loop {
        let event = match events.recv_timeout(TICK) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return raised,
        };
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            match event.filter(|_| raised.is_none()) {
                Some(event) => on_event.call1(py, (pythonize(py, &event)?,)).map(drop),
                None => Ok(()),
            }
        });
        if let Err(error) = outcome {
            raised.get_or_insert(error);
            stop.store(INTERRUPTED, Ordering::Relaxed);
        }
    }
}

/// Name, location, crawl and segment of an archive.
type Listed = (String, String, String, Option<String>);

/// Returns the archives that `scan` would read.
#[pyfunction]
pub fn archives(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Vec<Listed>> {
    let listed = py
        .detach(|| called::archives(arguments))
        .map_err(|refused| error(py, refused))?;
    Ok(listed
        .into_iter()
        .map(|it| (it.name, it.location, it.crawl, it.segment))
        .collect())
}

/// Returns the answer of `explain --json`.
#[pyfunction]
pub fn explained(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Bound<'_, PyAny>> {
    let answer = py
        .detach(|| called::explained(arguments))
        .map_err(|refused| error(py, refused))?;
    Ok(pythonize(py, &answer)?)
}

/// Returns the items of `history`.
#[pyfunction]
pub fn history(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Bound<'_, PyAny>> {
    let items = py
        .detach(|| called::history(arguments))
        .map_err(|refused| error(py, refused))?;
    Ok(pythonize(py, &items)?)
}

/// Answers a scenario.
#[pyfunction]
pub fn answer<'py>(py: Python<'py>, scenario: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let refuse = |detail| {
        error(
            py,
            Failure {
                kind: "scenario",
                detail,
                retry: false,
            },
        )
    };
    let scenario: Value = depythonize(scenario).map_err(|fault| refuse(fault.to_string()))?;
    let answer = py
        .detach(|| json::try_explain(&scenario))
        .map_err(|fault| refuse(fault.to_string()))?;
    Ok(pythonize(py, &answer)?)
}

/// Returns the exception of a refused call.
pub fn error(py: Python<'_>, refused: Failure) -> PyErr {
    let Failure {
        kind,
        detail,
        retry,
    } = refused;
    let made = py
        .import("crawlprefs._errors")
        .and_then(|errors| errors.getattr("error")?.call1((kind, detail, retry)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
