//! What the flags of `explain` tell, as a scenario.

use crate::cli::agent;
use crate::cli::args::ExplainArgs;
use crawlprefs::job::{self, Asked};
use crawlprefs::store::FolderStore;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::product_token::TokenMatch;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

type Scenario = Map<String, Value>;

/// Returns the scenario that the flags tell; with --tables, that of a page in them.
pub fn scenario(args: &ExplainArgs, url: &str) -> Result<Value, String> {
    let mut scenario = match &args.tables {
        Some(folder) => {
            let asked = Asked { url, fetched: args.fetched, lists: lists(args) };
            job::scenario(&FolderStore::new(folder.clone()), &asked).map_err(|error| error.to_string())?
        }
        None => of_files(args, url)?,
    };
    viewpoint(args, &mut scenario)?;
    Ok(scenario.into())
}

/// The viewpoint's flags, which go before what a run had.
fn viewpoint(args: &ExplainArgs, scenario: &mut Scenario) -> Result<(), String> {
    let mut put = |key: &str, value: Value| drop(scenario.insert(key.to_owned(), value));
    put("method", args.method.clone().into());
    if let Some(agent) = &args.agent {
        agent::product_token(agent, &AgentsTable::bundled())?;
        put("product_token", agent.clone().into());
    }
    match args.vocab.as_deref() {
        Some(name) if Vocabulary::named(name).is_none() && Path::new(name).exists() => {
            let file_name = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
            put("vocabulary", file_name.into());
            put("vocabulary_lines", text(Path::new(name))?.into());
        }
        Some(name) => put("vocabulary", name.into()),
        None => {}
    }
    for (key, file) in [("agents", &args.agents), ("applications", &args.applications)] {
        if let Some(file) = file {
            put(key, text(file)?.into());
        }
    }
    if let Some(how) = args.token_match.map(TokenMatch::from) {
        put("token_match", how.as_str().into());
    }
    if let Some(slack) = args.robots_slack {
        put("robots_slack", slack.as_secs().into());
    }
    Ok(())
}

/// Returns which lists the flags give.
fn lists(args: &ExplainArgs) -> Vec<&'static str> {
    let given = [
        ("agents_table", args.agents.is_some()),
        ("vocabulary_file", args.vocab.is_some()),
        ("applications_file", args.applications.is_some()),
    ];
    given.into_iter().filter(|(_, is_given)| *is_given).map(|(list, _)| list).collect()
}

fn of_files(args: &ExplainArgs, url: &str) -> Result<Scenario, String> {
    let mut scenario = Scenario::new();
    scenario.insert("url".to_owned(), url.into());
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
    Ok(scenario)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{}: cannot be read: {error}", file.display()))
}

fn base64(file: &Path) -> Result<String, String> {
    Ok(data_encoding::BASE64.encode(&read(file)?))
}

fn text(file: &Path) -> Result<String, String> {
    String::from_utf8(read(file)?).map_err(|_| format!("{}: not UTF-8", file.display()))
}
