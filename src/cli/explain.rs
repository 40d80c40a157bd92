//! `explain`: one decision from flags, or scenarios from standard input.

use super::args::ExplainArgs;
use crawlprefs::explain::explain;
use crawlprefs::records::CaptureKind;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Answers scenarios, a line each; a line that is no JSON is answered with an error.
pub fn lines() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Value>(&line) {
            Ok(scenario) => explain(&scenario),
            Err(error) => json!({ "id": null, "error": format!("not JSON: {error}") }),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

/// Answers what the flags tell, for a person.
pub fn one(args: &ExplainArgs) -> Result<String, String> {
    let answer = explain(&scenario(args)?);
    match answer["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(text(args, &answer)),
    }
}

fn scenario(args: &ExplainArgs) -> Result<Value, String> {
    let mut scenario = Map::new();
    scenario.insert("url".to_owned(), args.url.clone().unwrap_or_default().into());
    scenario.insert("product_token".to_owned(), args.agent.clone().into());
    scenario.insert("vocabulary".to_owned(), args.vocab.clone().into());
    scenario.insert("method".to_owned(), args.method.clone().into());
    if let Some(file) = &args.robots {
        scenario.insert("robots_txt_base64".to_owned(), base64(file)?.into());
    }
    let site_files = [
        (CaptureKind::Automation, &args.automation),
        (CaptureKind::Tdmrep, &args.tdmrep),
        (CaptureKind::AiTxt, &args.ai_txt),
        (CaptureKind::TrustTxt, &args.trust_txt),
    ];
    let site_files = site_files.into_iter().filter_map(|(kind, file)| Some((kind, file.as_ref()?)));
    let site_files =
        site_files.map(|(kind, file)| Ok(json!({ "kind": kind.as_str(), "body_base64": base64(file)? })));
    scenario.insert("site_files".to_owned(), site_files.collect::<Result<Vec<_>, String>>()?.into());
    let headers = args.header.iter().map(|header| {
        let (name, value) =
            header.split_once(':').ok_or_else(|| format!("--header {header}: expected 'Name: value'"))?;
        Ok(json!([name.trim(), value.trim()]))
    });
    scenario.insert("headers".to_owned(), headers.collect::<Result<Vec<_>, String>>()?.into());
    let metas = args.meta.iter().map(|meta| {
        let (name, content) =
            meta.split_once('=').ok_or_else(|| format!("--meta {meta}: expected name=content"))?;
        Ok(json!({ "name": name.trim(), "content": content, "in": "head" }))
    });
    scenario.insert("meta".to_owned(), metas.collect::<Result<Vec<_>, String>>()?.into());
    Ok(scenario.into())
}

fn base64(file: &Path) -> Result<String, String> {
    let body = fs::read(file).map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
    Ok(data_encoding::BASE64.encode(&body))
}

/// Returns the answer as a few lines.
fn text(args: &ExplainArgs, answer: &Value) -> String {
    let word = |key: &str| answer[key].as_str().unwrap_or("none").to_owned();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{name:<12} {value}");
    };
    line("url", args.url.clone().unwrap_or_default());
    line("robots.txt", word("robots_state"));
    let decided = match (answer["crawl_rule_line"].as_u64(), answer["crawl_rule"].as_str()) {
        (Some(number), Some(rule)) => format!("by line {number}: {rule}"),
        _ => word("access_reason"),
    };
    line(&args.agent, format!("{} ({decided})", word("robots_crawl")));
    if let Some(allowed) = answer["method_allowed"].as_bool() {
        let verdict = if allowed { "allow" } else { "disallow" };
        let scope = word("group_scope");
        line("", format!("{} {verdict} (automation-preferences.txt, scope {scope})", args.method));
    }
    let agents: Vec<&str> =
        answer["disallowed_agents"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    line(
        "shut out",
        if answer["disallowed_agents"].is_null() {
            "unknown".to_owned()
        } else {
            format!("{} of the table{}", agents.len(), beginning(&agents))
        },
    );
    let preferences = match answer["preferences"].as_object() {
        Some(labels) => labels
            .iter()
            .map(|(label, value)| format!("{label} {}", value.as_str().unwrap_or("none")))
            .collect::<Vec<_>>()
            .join(", "),
        None => "not applicable: the page is closed, and has no header of its own".to_owned(),
    };
    line(&format!("AIPREF {}", args.vocab), preferences);
    for (number, rule) in answer["preference_rule_lines"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(answer["preference_rules"].as_array().into_iter().flatten())
    {
        line("", format!("by line {number}: {}", rule.as_str().unwrap_or_default()));
    }
    line("others", others(answer));
    text
}

/// Returns what the columns of the other systems hold, without those that say nothing.
fn others(answer: &Value) -> String {
    let columns = answer["columns"].as_object().into_iter().flatten();
    let others = columns.filter(|(name, _)| !name.starts_with("aipref_"));
    let said: Vec<String> =
        others.filter_map(|(name, value)| Some(format!("{name} {}", said(value)?))).collect();
    if said.is_empty() { "no statement".to_owned() } else { said.join(", ") }
}

fn said(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => (word != "unknown").then(|| word.clone()),
        Value::Bool(truth) => truth.then(|| "yes".to_owned()),
        Value::Array(values) if values.is_empty() => None,
        Value::Array(values) => Some(values.iter().filter_map(said).collect::<Vec<_>>().join(" ")),
        Value::Null | Value::Number(_) | Value::Object(_) => None,
    }
}

fn beginning(agents: &[&str]) -> String {
    const SHOWN: usize = 6;
    let shown = agents.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match agents.len() {
        0 => String::new(),
        1..=SHOWN => format!(": {shown}"),
        _ => format!(": {shown}, ..."),
    }
}
