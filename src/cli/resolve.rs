//! The flags of `scan`, `resolve` and `run` to options.
//!
//! `--agent` takes a product token. `Mozilla/5.0 (compatible; GPTBot/1.2; ...)` is refused with a hint at `GPTBot`: robots.txt
//! names crawlers by product tokens (RFC 9309 2.2.1), and this string would be compared as `Mozilla`.

use super::args::{ReadLess, ScanArgs, ViewArgs, ViewpointArgs};
use super::event::Failure;
use crawlprefs::archive::{CrawlId, open_named};
use crawlprefs::error::Error;
use crawlprefs::evidence::Depth;
use crawlprefs::job::{
    self, AsOfVocabulary, Changed, Named, ResolveOptions, ScanOptions, Share, Unit, discover,
    select,
};
use crawlprefs::runs::{Comparison, CrawlInput, TableOptions, evidence_of};
use crawlprefs::store::{Places, Store};
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::app_directives::Applications;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::nearest::nearest;
use crawlprefs::web::product_token::{NotAToken, ProductToken};
use crawlprefs::web::shown::without_credentials;
use std::cmp::Reverse;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a flag's file or value cannot be used, in a sentence.
pub type Refusal = String;

pub fn options(args: &ViewArgs) -> Result<ResolveOptions, Refusal> {
    Ok(ResolveOptions::new(TableOptions {
        chosen: args.tables.clone(),
        slack: args.robots_slack,
        max_age: args.robots_max_age,
        scope: args.scope,
        ..table_options(&args.viewpoint)?
    }))
}

pub fn table_options(args: &ViewpointArgs) -> Result<TableOptions, Refusal> {
    let (viewpoint, agents) = viewpoint(args, Viewpoint::default())?;
    Ok(TableOptions {
        agents: agents.unwrap_or_else(AgentsTable::bundled),
        ..TableOptions::new(viewpoint)
    })
}

/// Replaces what the flags give in a viewpoint; also returns the agents table, if one is given.
pub fn viewpoint(
    args: &ViewpointArgs,
    mut viewpoint: Viewpoint,
) -> Result<(Viewpoint, Option<AgentsTable>), Refusal> {
    let agents = args.agents.as_deref().map(agents).transpose()?;
    if let Some(name) = &args.agent {
        let bundled = AgentsTable::bundled();
        viewpoint.token = product_token(name, agents.as_ref().unwrap_or(&bundled))?;
    }
    if let Some(how) = args.token_match {
        viewpoint.token_match = how;
    }
    if let Some(name) = &args.vocab {
        viewpoint.vocabulary = vocabulary(name)?;
    }
    if let Some(file) = &args.applications {
        viewpoint.applications = applications(file)?;
    }
    Ok((viewpoint, agents))
}

/// The archives of lists that define completeness. An empty list is an error: by it, everything would be complete.
pub fn listed(
    lists: &[String],
    base: Option<&Path>,
    (crawl, share): (Option<&CrawlId>, &Share),
    places: &Places,
) -> Result<Vec<CrawlInput>, Error> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let named = Named {
        inputs: &[],
        lists,
        base,
        stdin_name: None,
        places,
    };
    let found = discover(&named)?.inputs;
    if found.is_empty() {
        return Err(Error::EmptyList {
            location: "standard input".to_owned(),
        });
    }
    select(&found, crawl, share)
}

/// A folder on a disk or in a store, for output.
pub fn store(folder: &Path, places: &Places) -> Result<Arc<dyn Store>, Error> {
    let location = || without_credentials(&folder.to_string_lossy());
    Ok(places
        .store(folder)
        .map_err(|source| Error::OutputUnwritable {
            location: location(),
            source,
        })?
        .into())
}

/// A folder on a disk or in a store that is read.
pub fn input(folder: &Path, places: &Places) -> Result<Arc<dyn Store>, Error> {
    let location = || without_credentials(&folder.to_string_lossy());
    Ok(places
        .input(folder)
        .map_err(|source| Error::EvidenceUnreadable {
            location: location(),
            source,
        })?
        .into())
}

type TablesAndEvidence = (Arc<dyn Store>, Vec<Arc<dyn Store>>);

/// A folder of tables, and its evidence: that of other folders if any are given, by default of those that the tables name.
pub fn with_evidence(
    tables: &Path,
    evidence: &[PathBuf],
    places: &Places,
) -> Result<TablesAndEvidence, Error> {
    let tables = input(tables, places)?;
    let given = evidence
        .iter()
        .map(|folder| input(folder, places))
        .collect::<Result<_, _>>()?;
    let evidence = evidence_of(&tables, given)?;
    Ok((tables, evidence))
}

pub fn agents(file: &Path) -> Result<AgentsTable, Refusal> {
    let text = read(file)?;
    let text = std::str::from_utf8(&text).map_err(|_| format!("{}: not UTF-8", file.display()))?;
    AgentsTable::read(text).map_err(|error| format!("{}: {error}", file.display()))
}

pub fn applications(file: &Path) -> Result<Applications, Refusal> {
    Applications::from_lines(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

/// A draft's vocabulary by its number, or a user's by its file.
pub fn vocabulary(name: &str) -> Result<Vocabulary, Refusal> {
    if let Some(vocabulary) = Vocabulary::named(name) {
        return Ok(vocabulary);
    }
    let path = Path::new(name);
    if name == AsOfVocabulary::DATED {
        return Err(format!("--vocab {name} is for `crawlprefs sites` alone"));
    }
    if !path.exists() {
        let known: Vec<&str> = Vocabulary::names().collect();
        let hint = nearest(name, known.iter().copied());
        let hint = hint.map_or_else(String::new, |known| format!("; try --vocab {known}"));
        return Err(format!(
            "--vocab {name}: neither one of {} nor a file{hint}",
            known.join(", ")
        ));
    }
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    Vocabulary::from_lines(&file_name, &read(path)?).map_err(|error| format!("{name}: {error}"))
}

/// Says that what a folder or a glob has is skipped.
pub fn not_a_file(path: &Path) -> String {
    format!(
        "{}: skipped, because it is not a regular file; name it to read it",
        path.display()
    )
}

/// Reads a file that a flag names, up to a bound: a device may have no end.
pub fn read(file: &Path) -> Result<Vec<u8>, Refusal> {
    /// Whole lists of records are read.
    const FILE_BYTES: u64 = 1 << 30;
    const STREAM_BYTES: u64 = 64 << 20;
    let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", file.display());
    let opened = open_named(file).map_err(unreadable)?;
    let most = if opened.metadata().map_err(unreadable)?.is_file() {
        FILE_BYTES
    } else {
        STREAM_BYTES
    };
    let mut bytes = Vec::new();
    opened
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(format!("{}: found more than {most} bytes", file.display()));
    }
    Ok(bytes)
}

/// Reads a file that another file names, such as the list of a policy: no pipe and no device, as these may block or have no end.
pub fn read_named_by_file(file: &Path) -> Result<Vec<u8>, Refusal> {
    match fs::metadata(file) {
        Ok(found) if !found.is_file() => Err(format!("{}: expected a file", file.display())),
        Ok(_) | Err(_) => read(file),
    }
}

/// What follows the name of an archive on standard input.
const NAMED_STDIN: &str = "=-";
/// The name that means all damaged archives in `--again`.
const DAMAGED: &str = "damaged";
/// The name that means all archives whose file is a different one now, in `--again`.
const CHANGED: &str = "changed";

/// Reads the flags, and finds the archives that they name.
pub fn scan_options(args: &ScanArgs, unit: Unit, places: &Places) -> Result<ScanOptions, Error> {
    let stdin_name = args
        .inputs
        .iter()
        .find_map(|input| input.strip_suffix(NAMED_STDIN));
    let inputs: Vec<String> = args
        .inputs
        .iter()
        .map(|input| {
            if input.ends_with(NAMED_STDIN) {
                "-".to_owned()
            } else {
                input.clone()
            }
        })
        .collect();
    let named = Named {
        inputs: &inputs,
        lists: &args.paths_from,
        base: args.base.as_deref(),
        stdin_name,
        places,
    };
    let found = job::discover(&named)?;
    for path in found.skipped {
        args.talk
            .log()
            .warn(Failure::lasting("not_a_file", not_a_file(&path)));
    }
    let mut options = ScanOptions::new(found.inputs);
    options.crawl.clone_from(&args.crawl);
    let leaves_out = |part| args.depth.contains(&part);
    options.depth = match (leaves_out(ReadLess::Heads), leaves_out(ReadLess::NoMeta)) {
        (true, true) => Depth::HeadsNoMeta,
        (true, false) => Depth::Heads,
        (false, true) => Depth::NoMeta,
        (false, false) => Depth::Full,
    };
    let has = |word| args.again.iter().any(|name| name == word);
    options.changed = if has(CHANGED) {
        Changed::Replace
    } else {
        Changed::Refuse
    };
    options.again.damaged = has(DAMAGED);
    options.again.names = args
        .again
        .iter()
        .filter(|name| ![DAMAGED, CHANGED].contains(&name.as_str()))
        .cloned()
        .collect();
    options.comparison = Comparison::of(args.verify);
    options.recheck = args.recheck;
    options.jobs = args.jobs.unwrap_or(options.jobs);
    options.downloads = args.downloads;
    options.memory_bytes = args.memory_limit;
    options.share = args.share.of(unit);
    Ok(options)
}

pub fn product_token(value: &str, agents: &AgentsTable) -> Result<ProductToken, String> {
    ProductToken::of_crawler(value).map_err(|error| {
        let meant = if error == NotAToken::UserAgentField {
            meant(value, agents)
        } else {
            None
        };
        let hint = meant.map_or_else(String::new, |token| format!("; try --agent {token}"));
        format!("--agent {value}: {error}{hint}")
    })
}

/// Returns the token that was probably meant: one of the agents table, preferably with a version, else the product after
/// `compatible;`, else the first one that is not a browser's.
fn meant<'a>(value: &'a str, agents: &'a AgentsTable) -> Option<&'a str> {
    let known = agents
        .tokens()
        .iter()
        .map(ProductToken::as_str)
        .filter_map(|token| {
            let at = position(value, token)?;
            let has_version = value
                .get(at + token.len()..)
                .is_some_and(|rest| rest.starts_with('/'));
            Some((Reverse(has_version), at, Reverse(token.len()), token))
        });
    let known = known.min().map(|(_, _, _, token)| token);
    known
        .or_else(|| {
            value
                .split_once("compatible;")
                .map(|(_, rest)| rest)
                .and_then(first_product)
        })
        .or_else(|| first_product(value))
}

fn position(value: &str, token: &str) -> Option<usize> {
    let is_part = |part: char| part.is_ascii_alphanumeric() || matches!(part, '-' | '_');
    let value = value.to_ascii_lowercase();
    let token = token.to_ascii_lowercase();
    value
        .match_indices(&token)
        .find(|(at, found)| {
            let (before, rest) = value.split_at(*at);
            !before.ends_with(is_part) && !rest.split_at(found.len()).1.starts_with(is_part)
        })
        .map(|(at, _)| at)
}

/// Returns the name of the first product with a version that is not a browser's.
fn first_product(text: &str) -> Option<&str> {
    const BROWSERS: [&str; 8] = [
        "Mozilla",
        "AppleWebKit",
        "Gecko",
        "Version",
        "Chrome",
        "Mobile",
        "Safari",
        "Firefox",
    ];
    let names = text
        .split([' ', ';', '(', ')', ','])
        .filter_map(|product| product.split_once('/'));
    names.map(|(name, _)| name).find(|name| {
        let is_browser = BROWSERS
            .iter()
            .any(|browser| name.eq_ignore_ascii_case(browser));
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !name.is_empty() && !is_browser && name.bytes().all(is_token)
    })
}

#[cfg(test)]
mod tests {
    use super::product_token;
    use crawlprefs::verdict::AgentsTable;

    #[test]
    fn local_a_full_user_agent_string_is_refused_with_its_token() {
        for (value, token) in [
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "GPTBot",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36",
                "bingbot",
            ),
            ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
            (
                "Mozilla/5.0 (compatible; Googlebot-Image/1.0)",
                "Googlebot-Image",
            ),
            (
                "Mozilla/5.0 (compatible; NewBot/0.1; +https://new.example)",
                "NewBot",
            ),
            (
                "Mozilla/5.0 (X11) AppleWebKit/537.36 Newer.Bot/3",
                "Newer.Bot",
            ),
        ] {
            let refused = product_token(value, &AgentsTable::bundled()).expect_err("no token");
            let hint = format!("expected a product token; try --agent {token}");
            assert!(refused.ends_with(&hint), "{refused}");
        }
        let browser = product_token("Mozilla/5.0", &AgentsTable::bundled()).expect_err("no token");
        assert!(browser.ends_with("expected a product token"), "{browser}");
    }

    #[test]
    fn local_tokens_are_taken_as_they_are() {
        for value in [
            "GPTBot",
            "GPTBot/1.2",
            "Kangaroo Bot",
            "archive.org_bot",
            "my-own-bot",
        ] {
            assert!(
                product_token(value, &AgentsTable::bundled()).is_ok(),
                "{value}"
            );
        }
    }
}
