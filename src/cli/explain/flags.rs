//! The flags of `explain` to a scenario.

use crate::cli::args::ExplainArgs;
use crate::cli::resolve::{self, Refusal};
use crawlprefs::explain::Scenario;
use crawlprefs::explain::tables::{self, ViewChange, Wanted};
use crawlprefs::store::FolderStore;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Carrier;
use crawlprefs::web::product_token::TokenMatch;
use crawlprefs::web::url::PageUrl;
use std::collections::BTreeMap;

/// Returns the scenario of the flags; with --tables, that of a page in the tables.
pub fn scenario(args: &ExplainArgs, url: &str) -> Result<Scenario, Refusal> {
    let view = view(args)?;
    let mut scenario = match &args.tables {
        Some(folder) => {
            let wanted = Wanted { url: url.to_owned(), fetched: args.fetched, view };
            let store = FolderStore::new(folder.clone());
            tables::scenario(&store, &wanted).map_err(|error| error.to_string())?
        }
        None => {
            let mut scenario = of_files(args, url)?;
            view.apply(&mut scenario);
            scenario
        }
    };
    scenario.questions.method = Some(args.method.clone());
    Ok(scenario)
}

fn view(args: &ExplainArgs) -> Result<ViewChange, Refusal> {
    let mut lists = BTreeMap::new();
    let vocabulary = args.vocab.as_deref().map(|name| resolve::vocabulary(name, &mut lists));
    let applications = args.applications.as_deref().map(|file| resolve::applications(file, &mut lists));
    let agents = args.agents.as_deref().map(|file| resolve::agents(file, &mut lists));
    Ok(ViewChange {
        token: args.agent.as_deref().map(resolve::token).transpose()?,
        token_match: args.token_match.map(TokenMatch::from),
        vocabulary: vocabulary.transpose()?,
        applications: applications.transpose()?,
        agents: agents.transpose()?,
        slack: args.robots_slack,
    })
}

fn of_files(args: &ExplainArgs, url: &str) -> Result<Scenario, Refusal> {
    let page =
        PageUrl::new(url.as_bytes()).map_err(|_| format!("--url {url}: expected an http or https URL"))?;
    let mut scenario = Scenario::of_page(page.into_owned());
    if let Some(file) = &args.robots {
        scenario.add_robots_txt(resolve::read(file)?);
    }
    let site_files = [
        (CaptureKind::Automation, &args.automation),
        (CaptureKind::Tdmrep, &args.tdmrep),
        (CaptureKind::AiTxt, &args.ai_txt),
        (CaptureKind::TrustTxt, &args.trust_txt),
    ];
    for (kind, file) in site_files {
        if let Some(file) = file {
            scenario.add_site_file(kind, resolve::read(file)?);
        }
    }
    for header in &args.header {
        let expected = || format!("--header {header}: expected 'Name: value'");
        let (name, value) = header.split_once(':').ok_or_else(expected)?;
        scenario.add_field(Carrier::Header, name.trim(), value.trim().as_bytes());
    }
    for meta in &args.meta {
        let (name, content) =
            meta.split_once('=').ok_or_else(|| format!("--meta {meta}: expected name=content"))?;
        scenario.add_field(Carrier::Meta, name.trim(), content.as_bytes());
    }
    Ok(scenario)
}
