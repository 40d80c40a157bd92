//! The flags that say for whom the verdicts are, and how they are made.

use super::values::{parse_duration, parse_tables};
use clap::{Arg, Args, ValueEnum};
use crawlprefs::systems::Viewpoint;
use crawlprefs::tables::ChosenTables;
use crawlprefs::web::product_token::TokenMatch;
use std::path::PathBuf;
use std::time::Duration;

/// For whom decisions are, and in which words.
#[derive(Args, Clone)]
pub struct ViewpointArgs {
    /// Product token of the crawler that access and labels are for [default: as in the tables, else `CCBot`]
    #[arg(long, value_name = "TOKEN")]
    pub agent: Option<String>,

    /// Agents table: the product tokens for `disallowed_agents` and its like, separated by tabs, with a column token
    /// [default: the built-in table, see docs/agents.md]
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,

    /// AI preference vocabulary: 01 to 08 for a revision of draft-ietf-aipref-vocab, or a file with lines "label
    /// parent" [default: as in the tables, else 03]. In `sites` also `dated`: the newest revision of the day on
    /// which the robots.txt was fetched
    #[arg(long, value_name = "VERSION|FILE")]
    pub vocab: Option<String>,

    /// Crawlers of the applications that App-Directives name: a file with lines "application token". Every other
    /// application counts as one of --agent
    #[arg(long, value_name = "FILE")]
    pub applications: Option<PathBuf>,

    /// How to compare the names in User-agent lines with tokens [default: as in the tables, else exact]
    #[arg(long, value_name = "HOW", value_enum)]
    pub token_match: Option<TokenComparison>,
}

impl ViewpointArgs {
    /// Returns the product token as it was given.
    pub fn agent(&self) -> String {
        self.agent.clone().unwrap_or_else(|| Viewpoint::default().token.as_str().to_owned())
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
    /// 90m, 86400
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "0", allow_hyphen_values = true)]
    pub robots_slack: Duration,

    /// Tables to write, separated by commas: `pages,sites` writes only these, `-robots_agents` all but this.
    /// `+robots_lines_full` puts every line of robots.txt into `robots_lines`
    #[arg(long, value_name = "LIST", value_parser = parse_tables, default_value_t, hide_default_value = true, allow_hyphen_values = true)]
    pub tables: ChosenTables,

    /// Use one index of robots.txt for all segments, not one for each segment of Common Crawl
    #[arg(long)]
    pub one_index: bool,

    /// List of archives, or its URL: write tables of a segment only if all of its archives in the list are read to their
    /// end; can be given several times
    #[arg(long, value_name = "FILE|URL")]
    pub require: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum TokenComparison {
    /// The whole name up to a slash or blank, in any case
    Exact,
    /// The name up to the first byte that is not a letter, hyphen or underscore, as Google's parser does
    Prefix,
}

impl From<TokenComparison> for TokenMatch {
    fn from(how: TokenComparison) -> Self {
        match how {
            TokenComparison::Exact => Self::Exact,
            TokenComparison::Prefix => Self::Prefix,
        }
    }
}
