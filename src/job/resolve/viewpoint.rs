//! What identifies tables: the rules and documents, the viewpoint and its lists, and how far an index reaches.
//!
//! Example: tables for `CCBot` and for `GPTBot` are never in one folder. Digests of lists are computed of what
//! they mean, so that a comment in an agents table makes no other run. Whoever judges by tables reads the viewpoint
//! back. Left out: the version of the program.

use super::{ResolveOptions, Scope};
use crate::error::Error;
use crate::job::Existing;
use crate::job::identity::{Identity, RunFile};
use crate::store::Store;
use crate::systems::SYSTEMS;
use crate::systems::Viewpoint;
use crate::systems::aipref_vocab::Vocabulary;
use crate::tables::{Footer, SCHEMA_VERSION, SUFFIX_LIST};
use crate::verdict::AgentsTable;
use crate::web::product_token::{ProductToken, TokenMatch};
use crate::web::suffix_list;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::time::Duration;

/// The version of the rules: another one makes other rows of the same evidence.
const RULES_VERSION: &str = "3";
/// How a user's vocabulary is called.
const VOCABULARY: &str = "vocabulary_file";
/// How the digest of the agents table is called, the program's own or the user's.
const AGENTS_DIGEST: &str = "agents_digest";
/// How the version of the agents table is called, which changes no row.
const AGENTS_VERSION: &str = "agents_version";
/// How an index over all inputs is called.
const ALL: &str = "all";

/// Finds out, before hours of work, whether `store` holds tables of another viewpoint.
///
/// # Errors
/// [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
pub fn check(store: &dyn Store, options: &ResolveOptions, later: bool) -> Result<(), Error> {
    if options.existing == Existing::Replace {
        return Ok(());
    }
    identity(options, &footer(options, later), Vec::new()).is_there(store, RunFile::Resolve).map(drop)
}

/// What must be the same for two calls to be one run; `evidence` is where the evidence is.
pub fn identity(options: &ResolveOptions, footer: &Footer, evidence: Vec<String>) -> Identity {
    let scope = match options.scope {
        Scope::Segment => "segment",
        Scope::All => ALL,
    };
    let others = [
        ("index", scope.to_owned()),
        ("tables", options.tables.to_string()),
        ("schema_version", SCHEMA_VERSION.to_owned()),
    ];
    // A new suffix list makes tables stale, and no other run; the version of an agents table changes no row.
    let is_of_run = |key: &str| key != SUFFIX_LIST && key != AGENTS_VERSION;
    let pairs = footer.iter().filter(|(key, _)| is_of_run(key)).cloned().chain(others);
    Identity::new(pairs.map(|(key, value)| (key.to_owned(), value)).collect(), evidence)
}

/// What the footers of tables say of the viewpoint.
pub fn footer(options: &ResolveOptions, later: bool) -> Footer {
    let viewpoint = &options.viewpoint;
    let mut footer = vec![
        ("rules_version", RULES_VERSION.to_owned()),
        ("agent", viewpoint.token.as_str().to_owned()),
        ("vocabulary", viewpoint.vocabulary.name().to_owned()),
        ("token_match", viewpoint.token_match.as_str().to_owned()),
        ("robots_slack_s", options.slack.as_secs().to_string()),
        ("later", if later { "given" } else { "none" }.to_owned()),
        (AGENTS_DIGEST, agents_digest(&options.agents)),
        (AGENTS_VERSION, options.agents.version().unwrap_or("none").to_owned()),
        ("drafts", documents()),
        (SUFFIX_LIST, suffix_list::version().to_owned()),
    ];
    footer.extend(lists(options));
    footer
}

/// Returns in words what must be the same for two runs to be compared: for whom and by which lists they were made.
pub fn in_words(footer: &Footer) -> String {
    let names =
        ["agent", "vocabulary", VOCABULARY, "token_match", AGENTS_VERSION, AGENTS_DIGEST, "rules_version"];
    let found = names.iter().filter_map(|name| footer.iter().find(|(key, _)| key == name));
    found.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
}

/// Returns the options by which tables were made, but for the lists, of which tables keep only the digests.
pub fn kept(options: &BTreeMap<String, String>) -> ResolveOptions {
    let option = |name: &str| options.get(name).map(String::as_str);
    let mut kept = ResolveOptions::new(Viewpoint::default());
    if let Some(token) = option("agent").and_then(|token| ProductToken::new(token).ok()) {
        kept.viewpoint.token = token;
    }
    if let Some(vocabulary) = option("vocabulary").and_then(Vocabulary::named) {
        kept.viewpoint.vocabulary = vocabulary;
    }
    if option("token_match") == Some(TokenMatch::Prefix.as_str()) {
        kept.viewpoint.token_match = TokenMatch::Prefix;
    }
    let slack_s = option("robots_slack_s").and_then(|seconds| seconds.parse().ok());
    kept.slack = slack_s.map(Duration::from_secs).unwrap_or_default();
    if option("index") == Some(ALL) {
        kept.scope = Scope::All;
    }
    kept
}

/// Returns what differs where tables were made by another version of the rules or of the schema, so that a resolve of them
/// is refused.
pub fn other_version(options: &BTreeMap<String, String>) -> Option<String> {
    let now = [
        ("rules_version", RULES_VERSION.to_owned()),
        ("schema_version", SCHEMA_VERSION.to_owned()),
        ("drafts", documents()),
    ];
    let (key, now) = now.into_iter().find(|(key, now)| options.get(*key) != Some(now))?;
    let found = options.get(key).map_or("none", String::as_str);
    // Of a list, what the other one lacks.
    let without = |these: &str, others: &str| {
        let others: Vec<&str> = others.split("; ").collect();
        let more: Vec<&str> = these.split("; ").filter(|one| !others.contains(one)).collect();
        if more.is_empty() { "nothing more".to_owned() } else { more.join("; ") }
    };
    Some(format!("{key} has {}, and this one {}", without(found, &now), without(&now, found)))
}

/// The lists of which tables keep the digests, and the flags that take them.
pub const LIST_FLAGS: [(&str, &str); 3] =
    [("agents_table", "--agents"), (VOCABULARY, "--vocab"), ("applications_file", "--applications")];

/// Returns the flags of the lists by which tables were made, and which are not those given.
pub fn other_lists(options: &BTreeMap<String, String>, given: &ResolveOptions) -> Vec<&'static str> {
    let lists: BTreeMap<&str, String> = lists(given).into_iter().collect();
    let vocabulary = options.get("vocabulary").map(String::as_str);
    let is_other = |list: &str| {
        let other_name = list == VOCABULARY && vocabulary != Some(given.viewpoint.vocabulary.name());
        other_name || lists.get(list) != options.get(list)
    };
    LIST_FLAGS.iter().filter(|(list, _)| is_other(list)).map(|(_, flag)| *flag).collect()
}

/// Returns the documents by which the tables are made.
fn documents() -> String {
    let of_systems = SYSTEMS.iter().flat_map(|system| system.about().documents);
    let mut documents = vec!["rfc9309"];
    for document in of_systems {
        if !documents.contains(document) {
            documents.push(document);
        }
    }
    documents.join("; ")
}

/// Returns the digests of the user's own lists.
fn lists(options: &ResolveOptions) -> Footer {
    let mut lists = Footer::new();
    let agents = agents_digest(&options.agents);
    if agents != agents_digest(&AgentsTable::bundled()) {
        lists.push(("agents_table", agents));
    }
    let vocabulary = &options.viewpoint.vocabulary;
    if Vocabulary::named(vocabulary.name()).as_ref() != Some(vocabulary) {
        let text = |label| vocabulary.text(label);
        let lines = vocabulary.labels().map(|(label, name)| {
            let parent = vocabulary.parent(label).and_then(text).unwrap_or_default();
            format!("{name} {parent}")
        });
        lists.push((VOCABULARY, digest(lines)));
    }
    let applications = options.viewpoint.applications.iter();
    let mut lines =
        applications.map(|(application, token)| format!("{application} {}", token.as_str())).peekable();
    if lines.peek().is_some() {
        lists.push(("applications_file", digest(lines)));
    }
    lists
}

fn agents_digest(agents: &AgentsTable) -> String {
    let speaking = agents.speaking().map(|(place, labels)| {
        let labels: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
        format!("{place} {}", labels.join(","))
    });
    digest(agents.tokens().iter().map(|token| token.as_str().to_owned()).chain(speaking))
}

/// Returns what identifies a list.
fn digest(lines: impl Iterator<Item = String>) -> String {
    let mut digest = Sha1::new();
    for line in lines {
        digest.update(line);
        digest.update(b"\n");
    }
    BASE32.encode(&digest.finalize())
}
