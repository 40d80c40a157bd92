//! The flags of `resolve` and `run` to options.

use super::args::ViewArgs;
use crawlprefs::job::{Existing, ResolveOptions, Scope, Share, Unit};
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::app_directives::Applications;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::ProductToken;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

/// Why a flag's file or value cannot be used, in a sentence.
pub type Refusal = String;

/// Reads the flags and the files that they name.
pub fn options(args: &ViewArgs, jobs: NonZeroUsize, existing: Existing) -> Result<ResolveOptions, Refusal> {
    let mut lists = BTreeMap::new();
    let agents = args.agents.as_deref().map(|file| agents(file, &mut lists)).transpose()?;
    let vocabulary = vocabulary(&args.vocab, &mut lists)?;
    let applications = args.applications.as_deref().map(|file| applications(file, &mut lists)).transpose()?;
    let token = token(&args.agent)?;
    let token_match = args.token_match.into();
    if let Some(later) = args.later.as_ref().filter(|later| !later.join("_crawlprefs.json").is_file()) {
        return Err(format!(
            "{}: no evidence there; expected a folder that crawlprefs scan or run wrote",
            later.display()
        ));
    }
    Ok(ResolveOptions {
        viewpoint: Viewpoint {
            token,
            token_match,
            vocabulary,
            applications: applications.unwrap_or_default(),
        },
        agents: agents.unwrap_or_else(AgentsTable::bundled),
        lists,
        tables: args.tables.clone(),
        slack: args.robots_slack,
        scope: if args.one_index { Scope::All } else { Scope::Segment },
        segments: None,
        share: Share { unit: Unit::Segment, ..Share::ALL },
        jobs,
        existing,
    })
}

/// A table of agents by its file.
pub fn agents(file: &Path, lists: &mut BTreeMap<String, String>) -> Result<AgentsTable, Refusal> {
    let text = read(file)?;
    lists.insert("agents_table".to_owned(), digest(&text));
    let text = std::str::from_utf8(&text).map_err(|_| format!("{}: not UTF-8", file.display()))?;
    AgentsTable::read(text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The crawlers of applications by their file.
pub fn applications(file: &Path, lists: &mut BTreeMap<String, String>) -> Result<Applications, Refusal> {
    let text = read(file)?;
    lists.insert("applications_file".to_owned(), digest(&text));
    Applications::from_lines(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// A product token.
pub fn token(name: &str) -> Result<ProductToken, Refusal> {
    ProductToken::new(name).map_err(|error| format!("--agent {name}: {error}"))
}

/// A draft's vocabulary by its number, or a user's by its file.
pub fn vocabulary(name: &str, lists: &mut BTreeMap<String, String>) -> Result<Vocabulary, Refusal> {
    if let Some(vocabulary) = Vocabulary::named(name) {
        return Ok(vocabulary);
    }
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = Vocabulary::names().collect();
        return Err(format!("--vocab {name}: neither one of {} nor a file", known.join(", ")));
    }
    let text = read(path)?;
    lists.insert("vocabulary_file".to_owned(), digest(&text));
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    Vocabulary::from_lines(&file_name, &text).map_err(|error| format!("{name}: {error}"))
}

/// Reads a file whole.
pub fn read(file: &Path) -> Result<Vec<u8>, Refusal> {
    fs::read(file).map_err(|error| format!("{}: cannot be read: {error}", file.display()))
}

/// Returns what tells a list from others in footers.
fn digest(bytes: &[u8]) -> String {
    data_encoding::BASE32.encode(&Sha1::digest(bytes))
}
