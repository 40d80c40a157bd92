//! The flags of `explain`.

use super::values::{parse_duration, parse_time};
use super::{RemoteArgs, TokenComparison};
use clap::{Args, ValueEnum};
use crawlprefs::web::timestamp::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct ExplainArgs {
    /// Write the answer as JSON; without --url, read a scenario a line from standard input, and write an
    /// answer a line
    #[arg(long)]
    pub json: bool,

    /// The page
    #[arg(long, value_name = "URL", required_unless_present = "json")]
    pub url: Option<String>,

    /// Folder that scan or run wrote, also in a store: what was decided about the page there, and why
    #[arg(long, value_name = "DIR", requires = "url", conflicts_with_all = ["robots", "automation", "tdmrep", "ai_txt", "trust_txt", "header", "meta"])]
    pub tables: Option<PathBuf>,

    /// Which capture of the page, of several in the tables: its `fetch_time` [default: the newest]
    #[arg(long, value_name = "TIME", requires = "tables", value_parser = parse_time)]
    pub fetched: Option<Timestamp>,

    /// Product token that the decision is for [default: that of the tables, or as for resolve]
    #[arg(long, value_name = "TOKEN", requires = "url")]
    pub agent: Option<String>,

    /// AI preference vocabulary, 01 to 08, or a file of lines "label parent" [default: 03, or that of the
    /// tables]
    #[arg(long, value_name = "VERSION|FILE", requires = "url")]
    pub vocab: Option<String>,

    /// Table of tokens of which those shut out are named [default: the one that comes with the program]
    #[arg(long, value_name = "FILE", requires = "url")]
    pub agents: Option<PathBuf>,

    /// Crawlers of the applications to which App-Directives are addressed, see resolve
    #[arg(long, value_name = "FILE", requires = "url")]
    pub applications: Option<PathBuf>,

    /// How group names are compared with tokens [default: exact, or as in the tables]
    #[arg(long, value_name = "HOW", value_enum, requires = "url")]
    pub token_match: Option<TokenComparison>,

    /// How much later than the page a robots.txt may be that serves [default: 0, or that of the tables]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "tables")]
    pub robots_slack: Option<Duration>,

    /// The site's robots.txt, as if it was fetched with 200
    #[arg(long, value_name = "FILE", requires = "url")]
    pub robots: Option<PathBuf>,

    /// The site's automation-preferences.txt
    #[arg(long, value_name = "FILE", requires = "url")]
    pub automation: Option<PathBuf>,

    /// The site's /.well-known/tdmrep.json
    #[arg(long, value_name = "FILE", requires = "url")]
    pub tdmrep: Option<PathBuf>,

    /// The site's ai.txt
    #[arg(long, value_name = "FILE", requires = "url")]
    pub ai_txt: Option<PathBuf>,

    /// The site's trust.txt
    #[arg(long, value_name = "FILE", requires = "url")]
    pub trust_txt: Option<PathBuf>,

    /// HTTP method that the decision is for, where automation-preferences.txt has a say in it
    #[arg(long, value_name = "METHOD", default_value = "GET")]
    pub method: String,

    /// A header field of the page
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub header: Vec<String>,

    /// A meta element of the page's head
    #[arg(long, value_name = "NAME=CONTENT", requires = "url")]
    pub meta: Vec<String>,

    /// When to use colours; auto is on a terminal, unless `NO_COLOR` is set
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Colour,

    #[command(flatten)]
    pub remote: RemoteArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}
