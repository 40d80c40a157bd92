//! The flags of `explain` to a scenario.

use crate::cli::args::ExplainArgs;
use crate::cli::index;
use crate::cli::resolve::{self, Refusal};
use crate::cli::tables;
use crawlprefs::explain::Scenario;
use crawlprefs::explain::tables::{Wanted, scenario_by_index};
use crawlprefs::judge::At;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::web::field::Carrier;
use crawlprefs::web::url::PageUrl;

/// Returns the scenario of the flags; with --tables, that of a page in the tables.
pub fn scenario(args: &ExplainArgs, url: &str, places: &Places) -> Result<Scenario, Refusal> {
    let mut scenario = match (&args.tables, args.sites.as_slice()) {
        (Some(folder), _) => {
            let wanted = Wanted { url, fetched: args.fetched, lists: lists(args) };
            tables::scenario(folder, &args.evidence, &wanted, places)?
        }
        (None, [_, ..]) => {
            let wanted = Wanted { url, fetched: args.at, lists: Vec::new() };
            let open = || SiteLayers::open(&args.sites, places).map_err(|error| error.to_string());
            index::by(open, |index| {
                let found = index.digest();
                if let Some(expected) = args.sites_digest.as_ref().filter(|expected| *expected != found) {
                    let location = index.location();
                    return (Err(format!("{location}: has the SHA-256 {found}, expected {expected}")), false);
                }
                if let Some(error) = index::lacking(&index).filter(|_| !args.allow_incomplete) {
                    return (Err(error.to_string()), false);
                }
                let found = scenario_by_index(&index, &wanted).map_err(|error| error.to_string());
                let is_replaced = found.is_err() && index.is_replaced();
                (found, is_replaced)
            })?
        }
        (None, []) => of_files(args, url)?,
    };
    if let Some(at) = args.decided_at {
        let files = scenario.robots.iter().chain(&scenario.site_files);
        let newest = files.filter_map(|request| request.fetched_at).max();
        scenario.fetched_at = match at {
            At::Page => scenario.fetched_at,
            At::Newest => newest,
            At::Time(time) => Some(time),
        };
    }
    scenario.questions.method = Some(args.method.clone());
    viewpoint(args, &mut scenario)?;
    Ok(scenario)
}

/// Returns which lists the flags have.
fn lists(args: &ExplainArgs) -> Vec<&'static str> {
    let lists = [
        ("agents_table", args.viewpoint.agents.is_some()),
        ("vocabulary_file", args.viewpoint.vocab.is_some()),
        ("applications_file", args.viewpoint.applications.is_some()),
    ];
    lists.into_iter().filter(|(_, is_there)| *is_there).map(|(list, _)| list).collect()
}

/// The flags of the viewpoint, which replace that of a run.
fn viewpoint(args: &ExplainArgs, scenario: &mut Scenario) -> Result<(), Refusal> {
    let (viewpoint, agents) = resolve::viewpoint(&args.viewpoint, scenario.viewpoint.clone())?;
    scenario.viewpoint = viewpoint;
    if let Some(agents) = agents {
        scenario.agents = agents;
    }
    scenario.slack = args.robots_slack.unwrap_or(scenario.slack);
    Ok(())
}

fn of_files(args: &ExplainArgs, url: &str) -> Result<Scenario, Refusal> {
    let page = PageUrl::new(url.as_bytes())
        .map_err(|_| format!("--url {url}: expected an http or https URL, such as https://a.example/page"))?;
    let mut scenario = Scenario::of_page(page.into_owned());
    if let Some(file) = &args.robots {
        scenario.add_robots_txt(resolve::read(file)?);
    }
    for (kind, file) in &args.site_file {
        scenario.add_site_file(*kind, resolve::read(file)?);
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
