//! The flags that say for whom the verdicts are and how they are made, those of `resolve`, and those for a share of the work.

use super::values::{
    FlagWords, Suggested, parse_bytes, parse_count, parse_draw, parse_duration, parse_max_age,
    parse_number, parse_segment, parse_slice, words,
};
use super::{StoreArgs, TalkArgs};
use clap::builder::TypedValueParser;
use clap::{Arg, Args};
use crawlprefs::job::{Draw, Share, Slice, Unit};
use crawlprefs::runs::{Scope, Segment};
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::tables::{ChosenTables, TABLES};
use crawlprefs::verdict::MaxAge;
use crawlprefs::web::product_token::TokenMatch;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// For whom decisions are, and in which words.
#[derive(Args, Clone)]
pub struct ViewpointArgs {
    /// Product token of the crawler that access and labels are for [default: as in the tables, else `CCBot`]
    #[arg(long, value_name = "TOKEN")]
    pub agent: Option<String>,
    /// Take --agent as it is, although it is a letter or two away from a token of the agents table
    #[arg(long)]
    pub agent_unknown: bool,
    /// Agents table: the product tokens for `disallowed_agents` and its like, separated by tabs, with a column token
    /// [default: the built-in table, see docs/agents.md]
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,
    /// AI preference vocabulary: 01 to 08 for a revision of draft-ietf-aipref-vocab, or a file with lines "label
    /// parent" [default: as in the tables, else 03]. In `sites` also `dated`: the newest revision of the day on
    /// which the robots.txt was fetched
    #[arg(long, value_name = "VERSION|FILE", value_parser = Suggested::from_words(Vocabulary::names()), hide_possible_values = true)]
    pub vocab: Option<String>,
    /// Crawlers of the applications that App-Directives name: a file with lines "application token". Every other
    /// application counts as one of --agent
    #[arg(long, value_name = "FILE")]
    pub applications: Option<PathBuf>,
    /// How to compare the names in User-agent lines with tokens [default: as in the tables, else exact]
    #[arg(long, value_name = "HOW", value_parser = words(&TOKEN_MATCHES))]
    pub token_match: Option<TokenMatch>,
}

impl ViewpointArgs {
    /// Returns the product token as it was given.
    pub fn agent(&self) -> String {
        self.agent
            .clone()
            .unwrap_or_else(|| Viewpoint::default().token.as_str().to_owned())
    }
}

/// Gives a flag of a viewpoint its default, where no earlier tables have another.
pub fn with_default(arg: Arg) -> Arg {
    let default = match arg.get_id().as_str() {
        "agent" => "CCBot",
        "vocab" => "03",
        "token_match" => "exact",
        _ => return arg,
    };
    arg.default_value(default).hide_default_value(true)
}

/// How the verdict columns are made.
#[derive(Args)]
// A report names the values that count.
#[command(mut_args(with_default))]
pub struct ViewArgs {
    #[command(flatten)]
    pub viewpoint: ViewpointArgs,
    /// If a page has no earlier robots.txt, use the first one that was fetched within this time after it, such as 3h,
    /// 90m, 86400; if the earlier one is stale (older than 24 hours), count the noes of both
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "0", allow_hyphen_values = true)]
    pub robots_slack: Duration,
    /// The age from which a copy of robots.txt or of another file of the site proves no yes, such as 30d; `none`: a copy of any
    /// age proves what it says
    #[arg(long, value_name = "DURATION|none", value_parser = parse_max_age, default_value = "90d")]
    pub robots_max_age: MaxAge,
    /// Tables to write, separated by commas: `pages,sites` writes only these, `-robots_agents` all but this.
    /// `+robots_lines_full` puts every line of robots.txt into `robots_lines`
    #[arg(long, value_name = "LIST", value_parser = table_words(), default_value_t, hide_default_value = true, hide_possible_values = true, allow_hyphen_values = true)]
    pub tables: ChosenTables,
    /// Which captures of robots.txt count for a page; other files of its site count wherever they are
    #[arg(long, value_name = "WHICH", value_parser = words(&SCOPES), default_value = "all")]
    pub scope: Scope,
    /// List of archives, or its URL: write tables of a segment only if all of its archives in the list are read to their
    /// end; can be given several times
    #[arg(long, value_name = "FILE|URL")]
    pub require: Vec<String>,
}

/// Reads a list of tables; completions offer the names of tables.
fn table_words() -> impl TypedValueParser<Value = ChosenTables> {
    Suggested::from_words(TABLES.iter().map(|table| table.name))
        .try_map(|list| ChosenTables::read(&list))
}

const SCOPES: FlagWords<Scope, 2> = [
    ("all", "Those of all inputs", Scope::All),
    (
        "segment",
        "Those of the page's own segment of Common Crawl",
        Scope::Segment,
    ),
];

pub const TOKEN_MATCHES: FlagWords<TokenMatch, 2> = [
    (
        "exact",
        "The whole name up to a slash or blank, in any case",
        TokenMatch::Exact,
    ),
    (
        "prefix",
        "The name up to the first byte that is not a letter, hyphen or underscore, as Google's parser does",
        TokenMatch::Prefix,
    ),
];

#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // independent switches of the command line
pub struct ResolveArgs {
    /// Folders that scan or run wrote, or their URLs in a store; several are resolved as one
    #[arg(value_name = "DIR", required = true)]
    pub evidence: Vec<PathBuf>,
    /// Folder for the tables [default: DIR, if there is only one]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub workers: WorkerArgs,
    #[command(flatten)]
    pub share: ShareArgs,
    /// Work only on this segment, or, with `other`, on the archives that belong to no segment; can be given several
    /// times
    #[arg(long, value_name = "CRAWL/SEGMENT", value_parser = parse_segment)]
    pub segment: Vec<Segment>,
    /// If archives that the tables were made of have no evidence any more, make the tables without them, and remove
    /// the parts that have no archive left [default: such a call is refused]
    #[arg(long, conflicts_with = "slice")]
    pub drop_missing: bool,
    /// Replace tables in the output folder that were made with other options, which removes them all first. Those of a crawl
    /// without evidence stay if an earlier version made them; else it is refused where some have no evidence. Do not use it in
    /// calls with --slice: each removes the work of the others
    #[arg(long, conflicts_with = "slice")]
    pub overwrite: bool,
    /// Compare every file of the tables with its manifest, and make again what has changed
    #[arg(long)]
    pub verify: bool,
    /// Print what would be done with each batch, and stop: done, to make and why, to keep, to remove
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub talk: TalkArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// How many workers there are, and their memory.
#[derive(Args)]
pub struct WorkerArgs {
    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,
    /// Limit of memory, approximately, such as 500M or 4G [default: half of the memory of the machine or its control
    /// group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,
}

/// How much of the work is done.
#[derive(Args, Clone, Copy)]
pub struct ShareArgs {
    /// Work only on the I-th of N shares, such as 3/10: of the archives in scan, else of the segments
    #[arg(long, value_name = "I/N", value_parser = parse_slice)]
    pub slice: Option<Slice>,
    /// Work only on the first N archives in scan and run, or segments in resolve
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,
    /// Work on N archives in scan and run, or segments in resolve, that are drawn at random; --slice shares them out. The same
    /// SEED (a whole number) and names draw the same, in whatever order they are given; docs/sampling.md says what they are a
    /// sample of [default SEED: 0]
    #[arg(long, value_name = "N[@SEED]", value_parser = parse_draw, conflicts_with = "limit")]
    pub sample: Option<Draw>,
}

impl ShareArgs {
    /// Returns the share, dealt out in these units.
    pub fn of(self, unit: Unit) -> Share {
        Share {
            unit,
            draw: self.sample,
            slice: self.slice,
            limit: self.limit,
        }
    }
}
