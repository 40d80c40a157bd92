//! `doctor`: what this machine has for a job, in one screen, with what to do where something is missing.
//!
//! Example: `odd    DuckDB         not in the search path`, and below it how to install it. The exit status is 1 where a
//! finding is wrong: a job could not run.
//! Left out: whether a run is complete, which `status` answers.

mod dated;
mod finding;
mod machine;
mod places;
mod programs;

use super::args::DoctorArgs;
use super::{COULD_NOT_RUN, output};
use finding::{Finding, State};
use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Looks at everything and prints it; returns the exit status.
pub fn doctor(args: &DoctorArgs) -> io::Result<u8> {
    let findings = look(args);
    let lines: String = findings.iter().map(Finding::text).collect();
    let count = |state: State| findings.iter().filter(|finding| finding.state == state).count();
    let (wrong, odd) = (count(State::Wrong), count(State::Odd));
    let sum = match (wrong, odd) {
        (0, 0) => "Nothing is missing.".to_owned(),
        (0, odd) => format!("Jobs can run. {odd} to look at."),
        (wrong, odd) => format!("{wrong} wrong, {odd} to look at."),
    };
    output::print(&format!("{}\n{lines}\n{sum}\n", super::about::version_and_commit()))?;
    Ok(if wrong == 0 { 0 } else { COULD_NOT_RUN })
}

fn look(args: &DoctorArgs) -> Vec<Finding> {
    let temp_dir: PathBuf = args.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut findings = vec![machine::cores(), machine::memory(), machine::temp_folder(&temp_dir)];
    findings.extend(places::certificates());
    findings.extend(places::all(&args.places, &args.remote.watched_places(None)));
    findings.push(programs::duckdb());
    findings.extend(dated::lists(now));
    findings
}
