//! What identifies tables: the rules and documents, the viewpoint and its lists, and how far an index reaches.
//!
//! Example: tables for `CCBot` and for `GPTBot` are never in one folder. Digests of lists are computed from their meaning, so a
//! run with another comment in its agents table is the same run. Judging by tables reads the viewpoint back. Left out: the
//! program's version.

use super::identity::{Identity, RunFile, is_newer};
use crate::store::Store;
use crate::systems::SYSTEMS;
use crate::systems::Viewpoint;
use crate::systems::aipref_vocab::Vocabulary;
use crate::tables::{ChosenTables, Footer, SCHEMA_VERSION, SUFFIX_LIST};
use crate::verdict::{AgentsTable, CopyLimits, MaxAge};
use crate::web::names::names;
use crate::web::product_token::{ProductToken, TokenMatch};
use crate::web::suffix_list;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

/// The version of the rules: another one makes other rows of the same evidence.
const RULES_VERSION: &str = "1";
/// The key of the digest of the agents table, whether the program's own or the user's.
const AGENTS_DIGEST: &str = "agents_digest";
/// The key of the digest of the user's agents table, if there is one.
const AGENTS_TABLE: &str = "agents_table";
/// The key of a user's vocabulary.
const VOCABULARY: &str = "vocabulary_file";
/// The key of the scope of robots.txt captures.
const SCOPE: &str = "robots_scope";
/// The key of the age from which a copy proves no yes, in seconds or `none`.
const ROBOTS_MAX_AGE: &str = "robots_max_age_s";
/// The key of the version of the agents table, which changes no row.
const AGENTS_VERSION: &str = "agents_version";

/// Which captures of robots.txt count for a page. Other site files count in any archive (KNOW-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of all inputs.
    All,
    /// Those of the page's own segment; all inputs without a segment are together.
    Segment,
}

names! { Scope { All => "all", Segment => "segment" } }

/// What decides the rows of tables: it is the same for two calls that write into one folder.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// For whom and in which words.
    pub viewpoint: Viewpoint,
    /// The tokens that `disallowed_agents` is about.
    pub agents: AgentsTable,
    /// The tables to write; data that only other tables need is not read.
    pub chosen: ChosenTables,
    /// How much later than a page a robots.txt may be fetched and still serve, if there is no earlier one.
    pub slack: Duration,
    /// The age from which a copy of a site's file proves no yes.
    pub max_age: MaxAge,
    /// Which captures of robots.txt count for a page.
    pub scope: Scope,
}

impl TableOptions {
    /// Returns the options for a viewpoint, with defaults for everything else.
    pub fn new(viewpoint: Viewpoint) -> Self {
        Self {
            viewpoint,
            agents: AgentsTable::bundled(),
            chosen: ChosenTables::default(),
            slack: Duration::ZERO,
            max_age: MaxAge::default(),
            scope: Scope::All,
        }
    }

    /// Returns which copies of a site's files count for a page.
    pub fn limits(&self) -> CopyLimits {
        CopyLimits {
            slack: self.slack,
            max_age: self.max_age,
            ..CopyLimits::default()
        }
    }

    /// Returns the footers of tables, which describe the viewpoint.
    pub fn footer(&self) -> Footer {
        let viewpoint = &self.viewpoint;
        let mut footer = vec![
            ("rules_version", RULES_VERSION.to_owned()),
            ("agent", viewpoint.token.as_str().to_owned()),
            ("vocabulary", viewpoint.vocabulary.name().to_owned()),
            ("token_match", viewpoint.token_match.as_str().to_owned()),
            ("robots_slack_s", self.slack.as_secs().to_string()),
            (ROBOTS_MAX_AGE, self.max_age.to_string()),
            (SCOPE, self.scope.as_str().to_owned()),
            (AGENTS_DIGEST, agents_digest(&self.agents)),
            (
                AGENTS_VERSION,
                self.agents.version().unwrap_or("none").to_owned(),
            ),
            ("drafts", documents()),
            (SUFFIX_LIST, suffix_list::version().to_owned()),
        ];
        footer.extend(lists(self));
        footer
    }

    /// Returns what must be the same for two calls to be one run; `evidence` is where the evidence is.
    pub fn identity(&self, footer: &Footer, evidence: Vec<String>) -> Identity {
        let others = [
            ("tables", self.chosen.to_string()),
            ("schema_version", SCHEMA_VERSION.to_owned()),
        ];
        // A new suffix list makes tables stale, but no other run; the version of an agents table changes no row.
        let is_of_run = |key: &str| key != SUFFIX_LIST && key != AGENTS_VERSION;
        let pairs = footer
            .iter()
            .filter(|(key, _)| is_of_run(key))
            .cloned()
            .chain(others);
        Identity::new(
            pairs.map(|(key, value)| (key.to_owned(), value)).collect(),
            evidence,
        )
    }
}

/// Returns in words what must be the same for two runs to be compared: for whom and by which lists they were made.
pub fn in_words(footer: &Footer) -> String {
    let names = [
        "agent",
        "vocabulary",
        VOCABULARY,
        "token_match",
        AGENTS_VERSION,
        AGENTS_DIGEST,
        "rules_version",
    ];
    let found = names
        .iter()
        .filter_map(|name| footer.iter().find(|(key, _)| key == name));
    found
        .map(|(key, value)| format!("{key} {value}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The lists whose digests the tables keep, and the flags that take them.
pub const LIST_FLAGS: [(&str, &str); 3] = [
    (AGENTS_TABLE, "--agents"),
    (VOCABULARY, "--vocab"),
    ("applications_file", "--applications"),
];

impl From<Viewpoint> for TableOptions {
    fn from(viewpoint: Viewpoint) -> Self {
        Self::new(viewpoint)
    }
}

/// How the tables of a folder were made, according to `_resolved.json`.
pub struct MadeWith {
    options: BTreeMap<String, String>,
}

impl MadeWith {
    /// Reads it; `None` if a folder has no tables.
    pub fn read(store: &dyn Store) -> io::Result<Option<Self>> {
        let identity = Identity::read(store, RunFile::Resolve)?;
        Ok(identity.map(|identity| Self {
            options: identity.options,
        }))
    }

    /// Returns the options. Tables keep only the digests of the user's own lists; for these, the program's lists are returned.
    pub fn table_options(&self) -> io::Result<TableOptions> {
        let mut options = TableOptions::new(Viewpoint::default());
        options.viewpoint.token = self.required("agent", |token| ProductToken::new(token).ok())?;
        if !self.options.contains_key(VOCABULARY) {
            options.viewpoint.vocabulary = self.required("vocabulary", Vocabulary::named)?;
        }
        options.viewpoint.token_match = self
            .value("token_match", TokenMatch::named)?
            .unwrap_or(options.viewpoint.token_match);
        (options.scope, options.slack) = self.reach()?;
        let age = |text: &str| match text {
            MaxAge::NONE => Some(MaxAge::Unlimited),
            seconds => Some(MaxAge::Of(Duration::from_secs(seconds.parse().ok()?))),
        };
        options.max_age = self.value(ROBOTS_MAX_AGE, age)?.unwrap_or_default();
        Ok(options)
    }

    /// Returns which captures of robots.txt count for a page.
    pub fn reach(&self) -> io::Result<(Scope, Duration)> {
        let slack_s = self.value("robots_slack_s", |seconds| seconds.parse().ok())?;
        let scope = self.value(SCOPE, Scope::named)?.unwrap_or(Scope::All);
        Ok((scope, Duration::from_secs(slack_s.unwrap_or_default())))
    }

    fn value<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> io::Result<Option<T>> {
        let Some(text) = self.options.get(name) else {
            return Ok(None);
        };
        let unknown = || {
            let file = RunFile::Resolve.name();
            io::Error::other(format!(
                "{file}: {name} is {text}, which this version does not know"
            ))
        };
        read(text).map(Some).ok_or_else(unknown)
    }

    fn required<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> io::Result<T> {
        let missing =
            || io::Error::other(format!("{}: {name} is missing", RunFile::Resolve.name()));
        self.value(name, read)?.ok_or_else(missing)
    }

    /// Returns the flags of the lists by which the tables were made, except those given, by their names.
    pub fn lists_missing(&self, given: &[&str]) -> Vec<&'static str> {
        let is_missing = |list: &str| self.options.contains_key(list) && !given.contains(&list);
        LIST_FLAGS
            .iter()
            .filter(|(list, _)| is_missing(list))
            .map(|(_, flag)| *flag)
            .collect()
    }

    /// Returns the flags of the lists by which the tables were made and which differ from the given ones.
    pub fn lists_other_than(&self, given: &TableOptions) -> Vec<&'static str> {
        let options = &self.options;
        let lists: BTreeMap<&str, String> = lists(given).into_iter().collect();
        let vocabulary = options.get("vocabulary").map(String::as_str);
        let is_other = |list: &str| {
            let other_name =
                list == VOCABULARY && vocabulary != Some(given.viewpoint.vocabulary.name());
            other_name || lists.get(list) != options.get(list)
        };
        LIST_FLAGS
            .iter()
            .filter(|(list, _)| is_other(list))
            .map(|(_, flag)| *flag)
            .collect()
    }

    /// Whether a newer version of the program made the tables.
    pub fn is_newer(&self) -> bool {
        let now = [
            ("rules_version", RULES_VERSION),
            ("schema_version", SCHEMA_VERSION),
        ];
        now.into_iter().any(|(key, now)| {
            self.options
                .get(key)
                .is_some_and(|found| is_newer(found, now))
        })
    }

    /// Returns the difference if another version of the rules, schema or bundled agents made the tables: a resolve is refused.
    pub fn other_version(&self) -> Option<String> {
        let options = &self.options;
        let is_bundled = !options.contains_key(AGENTS_TABLE);
        let agents = is_bundled.then(|| (AGENTS_DIGEST, agents_digest(&AgentsTable::bundled())));
        let now = [
            ("rules_version", RULES_VERSION.to_owned()),
            ("schema_version", SCHEMA_VERSION.to_owned()),
            ("drafts", documents()),
        ];
        let (key, now) = now
            .into_iter()
            .chain(agents)
            .find(|(key, now)| options.get(*key) != Some(now))?;
        let found = options.get(key).map_or("none", String::as_str);
        // For a list: the entries that the other one lacks.
        let without = |these: &str, others: &str| {
            let others: Vec<&str> = others.split("; ").collect();
            let more: Vec<&str> = these
                .split("; ")
                .filter(|one| !others.contains(one))
                .collect();
            if more.is_empty() {
                "nothing more".to_owned()
            } else {
                more.join("; ")
            }
        };
        Some(format!(
            "{key} has {}, and this one {}",
            without(found, &now),
            without(&now, found)
        ))
    }
}

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

/// The digests of the user's own lists.
fn lists(options: &TableOptions) -> Footer {
    let mut lists = Footer::new();
    let agents = agents_digest(&options.agents);
    if agents != agents_digest(&AgentsTable::bundled()) {
        lists.push((AGENTS_TABLE, agents));
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
    let mut lines = applications
        .map(|(application, token)| format!("{application} {}", token.as_str()))
        .peekable();
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
    digest(
        agents
            .tokens()
            .iter()
            .map(|token| token.as_str().to_owned())
            .chain(speaking),
    )
}

fn digest(lines: impl Iterator<Item = String>) -> String {
    let mut digest = Sha1::new();
    for line in lines {
        digest.update(line);
        digest.update(b"\n");
    }
    BASE32.encode(&digest.finalize())
}
