//! `explain`: one decision from flags or tables, or scenarios from standard input.
//!
//! `explain DIR --url URL`: an output folder of `run` is taken as `--tables DIR`, a site index as `--sites DIR`.
//! Anything else is refused: an answer without any file of the site would look like one with files.

mod judged;
mod page;
mod requests;
pub mod text;

pub use judged::judged;
pub use page::rule;

use super::args::{Colour, ExplainArgs};
use super::extract;
use crate::cli::resolve::{self, Refusal};
use crawlprefs::explain::tables::WantedPage;
use crawlprefs::explain::{Scenario, explain, json};
use crawlprefs::judge::At;
use crawlprefs::runs::RunFile;
use crawlprefs::sites::INDEX_FILE;
use crawlprefs::store::Places;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Carrier;
use crawlprefs::web::url::PageUrl;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Answers scenarios, one a line; returns how many answers are errors.
pub fn lines() -> io::Result<usize> {
    let mut out = io::stdout().lock();
    let mut errors = 0;
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = json::explain_line(&line);
        errors += usize::from(answer.get("error").is_some());
        writeln!(out, "{}", json::line(&answer))?;
    }
    Ok(errors)
}

/// Explains the page of the flags, as text or as JSON.
pub fn one(args: &ExplainArgs, url: &str, places: &Places) -> Result<String, String> {
    if args.json {
        return Ok(json::line(&answer(args, url, places)?) + "\n");
    }
    let scenario = scenario(args, url, places)?;
    let page = explain(&scenario).page.ok_or_else(|| not_web(url))?;
    Ok(page::text(&page, &args.method, is_coloured(args.color)))
}

/// Returns the explanation of the page of the flags, with the keys of `--json`.
pub fn answer(args: &ExplainArgs, url: &str, places: &Places) -> Result<Value, String> {
    let scenario = scenario(args, url, places)?;
    let explanation = explain(&scenario);
    let answer = explanation
        .page
        .as_ref()
        .map(|_| json::answer(&Value::Null, &explanation));
    answer.ok_or_else(|| not_web(url))
}

fn not_web(url: &str) -> String {
    format!("{url}: expected an http or https URL, such as https://a.example/page")
}

/// `NO_COLOR`, see no-color.org, counts if it is set and not empty.
pub fn is_coloured(colour: Colour) -> bool {
    let has =
        |name: &str, is_it: fn(&OsStr) -> bool| std::env::var_os(name).is_some_and(|it| is_it(&it));
    let is_plain =
        || has("NO_COLOR", |value| !value.is_empty()) || has("TERM", |term| term == "dumb");
    colour == Colour::Always || colour == Colour::Auto && io::stdout().is_terminal() && !is_plain()
}

/// Returns the scenario of the flags; with --tables, that of a page in the tables.
fn scenario(args: &ExplainArgs, url: &str, places: &Places) -> Result<Scenario, Refusal> {
    let args = &with_subject(args, places)?;
    let mut scenario = match (&args.tables, args.sites.as_slice()) {
        (Some(folder), _) => {
            let wanted = WantedPage {
                url,
                fetched: args.fetched,
                lists: lists(args),
            };
            extract::scenario_of_page(folder, &args.evidence, &wanted, places)?
        }
        (None, [_, ..]) => {
            let wanted = WantedPage {
                url,
                fetched: args.at,
                lists: Vec::new(),
            };
            let asked = (&wanted, args.sites_digest.as_ref());
            extract::scenario_of_index(&args.sites, asked, args.allow_incomplete, places)?
        }
        (None, []) => of_files(args, url)?,
    };
    if let Some(at) = args.decided_at {
        scenario.fetched_at = match at {
            At::Page => scenario.fetched_at,
            At::Newest => scenario.newest_file(),
            At::Time(time) => Some(time),
        };
    }
    scenario.questions.method = Some(args.method.clone());
    // The flags of the viewpoint replace that of a run.
    let (viewpoint, agents) = resolve::viewpoint(&args.viewpoint, scenario.viewpoint)?;
    let agents = agents.unwrap_or(scenario.agents);
    let slack = args.robots_slack.unwrap_or(scenario.slack);
    let max_age = args.robots_max_age.unwrap_or(scenario.max_age);
    Ok(Scenario {
        viewpoint,
        agents,
        slack,
        max_age,
        ..scenario
    })
}

fn lists(args: &ExplainArgs) -> Vec<&'static str> {
    let lists = [
        ("agents_table", args.viewpoint.agents.is_some()),
        ("vocabulary_file", args.viewpoint.vocab.is_some()),
        ("applications_file", args.viewpoint.applications.is_some()),
    ];
    lists
        .into_iter()
        .filter_map(|(list, is_there)| is_there.then_some(list))
        .collect()
}

fn of_files(args: &ExplainArgs, url: &str) -> Result<Scenario, Refusal> {
    let page = PageUrl::new(url.as_bytes()).map_err(|_| format!("--url {}", not_web(url)))?;
    let mut scenario = Scenario::of_page(page.into_owned());
    if let Some(file) = &args.robots {
        scenario.add_file(CaptureKind::Robots, resolve::read(file)?);
    }
    for (kind, file) in &args.site_file {
        scenario.add_file(*kind, resolve::read(file)?);
    }
    for header in &args.header {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| format!("--header {header}: expected 'Name: value'"))?;
        scenario.add_field(Carrier::Header, name.trim(), value.trim().as_bytes());
    }
    for meta in &args.meta {
        let (name, content) = meta
            .split_once('=')
            .ok_or_else(|| format!("--meta {meta}: expected name=content"))?;
        scenario.add_field(Carrier::Meta, name.trim(), content.as_bytes());
    }
    Ok(scenario)
}

/// Returns the flags, with the folder under the flag for it.
fn with_subject(args: &ExplainArgs, places: &Places) -> Result<ExplainArgs, Refusal> {
    let mut args = args.clone();
    let Some(folder) = args.subject.take() else {
        return Ok(args);
    };
    let refused = |expected: &str| Err(format!("{folder}: {expected}"));
    let has_fields = !args.header.is_empty() || !args.meta.is_empty();
    let has_files = args.robots.is_some() || !args.site_file.is_empty() || has_fields;
    if args.tables.is_some() || !args.sites.is_empty() || has_files {
        return refused(
            "a folder besides --tables, --sites or files of the site; give one of them",
        );
    }
    let place = folder
        .rsplit_once("#sha256=")
        .map_or(folder.as_str(), |(place, _)| place);
    let unreadable = |error: std::io::Error| format!("{folder}: cannot be read: {error}");
    let store = places.files(Path::new(place)).map_err(unreadable)?;
    let has = |file: &str| {
        store
            .bytes(file)
            .map(|bytes| bytes.is_some())
            .map_err(unreadable)
    };
    if has(INDEX_FILE)? {
        args.sites = vec![PathBuf::from(folder)];
    } else if has(RunFile::Resolve.name())? {
        args.tables = Some(PathBuf::from(folder));
    } else {
        return refused(
            "neither tables nor a site index there; expected a folder that run, resolve or index wrote",
        );
    }
    Ok(args)
}
