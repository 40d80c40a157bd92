//! `explain --judged`: a decision about a document, and its grounds. The document is looked up in the output of `judge`; then its
//! URL and the time that decided are looked up in the site index or the tables that it was judged by.

use super::{answer, one};
use crate::cli::args::ExplainArgs;
use crate::cli::resolve::Refusal;
use crawlprefs::judge::At;
use crawlprefs::judge::files::{JudgeCall, JudgedDocument, Judgement, find_judged, tables_sha256};
use crawlprefs::store::{Places, folder_by_file};
use crawlprefs::systems::Label;
use crawlprefs::web::shown::visible;
use crawlprefs::web::{interval::Interval, timestamp::Timestamp};
use serde_json::{Value, json};
use std::fmt::Write;
use std::iter::repeat;
use std::path::Path;

/// Explains the decision about a document of an output folder. A dropped document is explained as of the time that decided and
/// for the agent that the reason names, a kept one as of all times.
pub fn judged(
    args: &ExplainArgs,
    folder: &Path,
    document: &str,
    places: &Places,
) -> Result<String, Refusal> {
    let (found, by) =
        find_judged(folder, document).map_err(|error| visible(&error).into_owned())?;
    let times = if found.url.is_some() {
        times(&found, &by)
    } else {
        Vec::new()
    };
    let times: Vec<ExplainedTime> = times
        .into_iter()
        .flat_map(|at| instants(&found, at))
        .collect();
    let url = found.url.as_deref().unwrap_or_default();
    let is_one = times.len() == 1;
    let mut asked = times
        .iter()
        .map(|time| Ok((time.name(), asked(args, url, (&found, *time), &by, places)?)));
    if !args.json {
        return asked.try_fold(text(&found, &by), |text, asked: Result<_, Refusal>| {
            let (at, args) = asked?;
            let at = at
                .filter(|_| !is_one)
                .map(|at| format!("at {at}\n"))
                .unwrap_or_default();
            Ok(text + "\n" + &at + &one(&args, url, places)?)
        });
    }
    let answers = asked.map(|asked: Result<_, Refusal>| {
        let (at, args) = asked?;
        Ok((at.unwrap_or_default(), answer(&args, url, places)?))
    });
    let answers = answers.collect::<Result<Vec<_>, Refusal>>()?;
    let mut whole = answers
        .first()
        .map_or(json!({}), |(_, answer)| answer.clone());
    if !is_one && !answers.is_empty() {
        whole["times"] = answers.into_iter().collect();
    }
    whole["judged"] = as_json(&found, &by);
    Ok(format!("{whole}\n"))
}

/// Returns the times to explain; `None` is that of the page.
fn times(found: &JudgedDocument, by: &Judgement) -> Vec<Option<At>> {
    let times = by.times();
    match (&found.reason, times.len()) {
        (None, 2..) => times.into_iter().map(Some).collect(),
        (None | Some(_), _) => vec![decided_at(found).or_else(|| times.first().copied())],
    }
}

/// A time of the judgement, and the moment that is explained.
#[derive(Clone, Copy)]
struct ExplainedTime {
    at: Option<At>,
    moment: Option<Timestamp>,
    /// Which end of an interval the moment is.
    end: Option<&'static str>,
}

impl ExplainedTime {
    fn name(self) -> Option<String> {
        self.end
            .and_then(|end| {
                self.moment
                    .map(|moment| format!("{moment}, the {end} of the date"))
            })
            .or_else(|| self.at.map(|at| at.to_string()))
    }
}

/// Returns the moments that explain a document as of a time: of a long date (KNOW-7) its first and its last one.
fn instants(found: &JudgedDocument, at: Option<At>) -> Vec<ExplainedTime> {
    let is_page = at.is_none_or(|at| at == At::Page);
    match found.date {
        Some(date) if is_page && date.is_long() => vec![
            ExplainedTime {
                at,
                moment: Some(date.first()),
                end: Some("beginning"),
            },
            ExplainedTime {
                at,
                moment: Some(date.last()),
                end: Some("end"),
            },
        ],
        date => vec![ExplainedTime {
            at,
            moment: date.map(Interval::first),
            end: None,
        }],
    }
}

/// Returns the flags that explain the page of a document as of a time.
fn asked(
    args: &ExplainArgs,
    url: &str,
    (found, ExplainedTime { at, moment, .. }): (&JudgedDocument, ExplainedTime),
    by: &Judgement,
    places: &Places,
) -> Result<ExplainArgs, Refusal> {
    let given = |name: &str| by.viewpoint.get(name).cloned();
    let mut args = ExplainArgs {
        url: Some(url.to_owned()),
        judged: None,
        subject: None,
        ..args.clone()
    };
    args.viewpoint.agent = args
        .viewpoint
        .agent
        .or_else(|| agent_of(found))
        .or_else(|| given("agent"));
    args.decided_at = at.filter(|at| *at != At::Page);
    let of_file = |place: &str| match folder_by_file(place) {
        Ok(folder) => Ok(folder.to_owned()),
        Err(url) => Err(format!("_judge.json: {url}: give --sites or --tables")),
    };
    if let Some(index) = &by.index {
        if args.tables.is_some() {
            return Err(
                "--tables: it was judged by a site index; --sites says where that is now"
                    .to_owned(),
            );
        }
        args.viewpoint.vocab = args.viewpoint.vocab.or_else(|| given("vocabulary"));
        // The indexes may have moved; their digest shows whether they are the same.
        if args.sites.is_empty() {
            args.sites = index
                .locations
                .iter()
                .map(|place| of_file(place))
                .collect::<Result<_, _>>()?;
        }
        args.sites_digest = Some(index.sha256.clone());
        // The judgement was made by this index, so incompleteness was allowed then.
        args.allow_incomplete = true;
        args.at = moment;
        return Ok(args);
    }
    if !args.sites.is_empty() {
        return Err(
            "--sites: it was judged by tables; --tables says where these are now".to_owned(),
        );
    }
    let tables = by
        .tables
        .as_ref()
        .ok_or("its _judge.json names neither tables nor a site index")?;
    let tables = args.tables.map_or_else(|| of_file(tables), Ok)?;
    check_tables(&tables, by.tables_sha256.as_deref(), places)?;
    args.tables = Some(tables);
    args.fetched = moment;
    Ok(args)
}

/// Refuses other tables than those by which documents were judged: `run` may have written these since.
fn check_tables(tables: &Path, judged_by: Option<&str>, places: &Places) -> Result<(), Refusal> {
    let refused = |detail: &str| {
        format!(
            "{}: {detail}; give --tables for a folder with those that it was judged by",
            tables.display()
        )
    };
    let Some(expected) = judged_by else {
        return Err(refused(
            "_judge.json does not have the SHA-256 of the tables",
        ));
    };
    let store = places
        .input(tables)
        .map_err(|error| refused(&error.to_string()))?;
    let found = tables_sha256(store.as_ref()).map_err(|error| refused(&error.to_string()))?;
    if found == expected {
        return Ok(());
    }
    Err(refused(&format!(
        "its manifests have the SHA-256 {found}, expected {expected}: these are other tables"
    )))
}

/// Returns the agent whose access decided, if the reason names one: `GPTBot_disallow@newest`.
fn agent_of(found: &JudgedDocument) -> Option<String> {
    let rule = found.reason.as_deref()?.split('@').next()?;
    let rule = rule.rsplit(':').next()?;
    let name = rule
        .strip_suffix("_disallow")
        .filter(|name| *name != "access" && Label::named(name).is_none());
    name.map(str::to_owned)
}

fn decided_at(found: &JudgedDocument) -> Option<At> {
    let (_, at) = found.reason.as_deref()?.split_once('@')?;
    at.parse().ok()
}

fn text(found: &JudgedDocument, by: &Judgement) -> String {
    let JudgedDocument {
        file,
        id,
        url,
        date,
        reason,
        finding,
    } = found;
    let call = by.calls.last().cloned().unwrap_or_default();
    let mut rows = vec![
        (
            "date",
            date.map_or("none".to_owned(), |date| date.to_string()),
        ),
        (
            "judged",
            format!("{} by crawlprefs {}", call.time, call.version),
        ),
        ("command", call.command.join(" ")),
    ];
    if let Some(policy) = &by.policy {
        rows.extend(
            ["policy"]
                .into_iter()
                .chain(repeat(""))
                .zip(policy.written.lines().map(str::to_owned)),
        );
        rows.push(("its SHA-256", policy.sha256.clone()));
    }
    if let Some(index) = &by.index {
        rows.extend([
            ("site index", index.locations.join(", ")),
            ("its SHA-256", index.sha256.clone()),
        ]);
    }
    rows.extend(by.tables.iter().map(|tables| ("tables", tables.clone())));
    rows.extend(
        by.tables_sha256
            .iter()
            .map(|digest| ("their SHA-256", digest.clone())),
    );
    let known_by = id.as_deref().or(url.as_deref()).unwrap_or_default();
    let (outcome, otherwise) = finding
        .as_deref()
        .map_or(("dropped", "kept"), |finding| (finding, finding));
    let outcome = match reason {
        Some(reason) => format!("{}: {}", visible(outcome), visible(reason)),
        None => visible(otherwise).into_owned(),
    };
    let mut text = format!("{} in {}\n{outcome}\n", visible(known_by), visible(file));
    for (name, value) in rows {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{name:16}{}", visible(&value));
    }
    text
}

fn as_json(found: &JudgedDocument, by: &Judgement) -> Value {
    let JudgeCall {
        time,
        version,
        command,
    } = by.calls.last().cloned().unwrap_or_default();
    json!({
        "file": found.file,
        "id": found.id,
        "url": found.url,
        "date": found.date.map(|date| date.to_string()),
        "is_kept": found.finding.is_none().then_some(found.reason.is_none()),
        "finding": found.finding,
        "reason": found.reason,
        "time": time,
        "version": version,
        "command": command,
        "policy": by.policy,
        "index": by.index,
        "tables": by.tables,
        "tables_sha256": by.tables_sha256,
    })
}
