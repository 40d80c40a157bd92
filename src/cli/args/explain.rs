//! The flags of `explain`.

use super::values::{parse_duration, parse_max_age, parse_site_file, parse_time};
use super::{RemoteArgs, ViewpointArgs, WatchArgs};
use clap::{ArgGroup, Args, ValueEnum};
use crawlprefs::judge::At;
use crawlprefs::verdict::MaxAge;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

/// The flags of a viewpoint: a scenario in JSON has its own.
const OF_A_PAGE: [&str; 5] = ["agent", "agents", "vocab", "applications", "token_match"];

#[derive(Args, Clone)]
#[command(group = ArgGroup::new("page").multiple(true))]
#[command(mut_args(|arg| if OF_A_PAGE.contains(&arg.get_id().as_str()) { arg.requires("page").conflicts_with("judged") } else { arg }))]
pub struct ExplainArgs {
    /// Write the answer as JSON. Without --url, read one scenario per line from standard input and write one answer per
    /// line
    #[arg(long)]
    pub json: bool,
    /// URL of the page; it can also stand alone, without --url
    #[arg(long, value_name = "URL", required_unless_present_any = ["json", "judged", "subject"], group = "page")]
    pub url: Option<String>,
    /// Output folder of judge: explain the decision about one of its documents, by the site index or the tables that it was
    /// judged by; --sites or --tables says where these are now
    #[arg(
        long,
        value_name = "DIR",
        requires = "subject",
        conflicts_with = "url",
        group = "page"
    )]
    pub judged: Option<PathBuf>,
    /// URL of the page. With --judged, record id or URL of the document; with --url, a folder of tables or a site index, or its
    /// URL, as with --tables or --sites
    #[arg(value_name = "URL|DOCUMENT|DIR", group = "page")]
    pub subject: Option<String>,
    /// Folder that scan or run wrote, or its URL in a store: explain the verdict that its tables have for the page
    #[arg(long, value_name = "DIR", requires = "page", conflicts_with_all = ["robots", "site_file", "header", "meta"])]
    pub tables: Option<PathBuf>,
    /// Site index that index wrote, or its URL, or a folder of indexes; can be given several times: explain how the page is
    /// judged by the files of its site in all of them. With #sha256=DIGEST behind it, only the index whose _index.json has that
    /// SHA-256
    #[arg(long, value_name = "INDEX", requires = "page", conflicts_with_all = ["tables", "robots", "site_file", "header", "meta"])]
    pub sites: Vec<PathBuf>,
    /// Use a site index although archives could not be read, or not to their end, or records were lost: what their sites said
    /// may be missing
    #[arg(long, requires = "sites")]
    pub allow_incomplete: bool,
    /// Time to explain the verdict for, with --sites [default: that of the newest file]
    #[arg(long, value_name = "TIME", requires = "sites", value_parser = parse_time)]
    pub at: Option<Timestamp>,
    /// Folder with the evidence of the tables; can be given several times [default: the folder of the tables, or the
    /// folders that they name]
    #[arg(long, value_name = "DIR", requires = "tables")]
    pub evidence: Vec<PathBuf>,
    /// `fetch_time` of the capture, if the tables have several of the page [default: the newest]
    #[arg(long, value_name = "TIME", requires = "tables", value_parser = parse_time)]
    pub fetched: Option<Timestamp>,
    #[command(flatten)]
    pub viewpoint: ViewpointArgs,
    /// Use a robots.txt that was fetched up to this long after the page, if there is no earlier one [default: as in the
    /// tables, else 0]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "tables")]
    pub robots_slack: Option<Duration>,
    /// The age from which a copy of robots.txt or of another file of the site proves no yes, such as 30d, or `none` [default:
    /// as in the tables, else 90d]
    #[arg(long, value_name = "DURATION|none", value_parser = parse_max_age)]
    pub robots_max_age: Option<MaxAge>,
    /// The site's robots.txt, as if it was fetched with 200
    #[arg(
        long,
        value_name = "FILE",
        requires = "page",
        conflicts_with = "judged"
    )]
    pub robots: Option<PathBuf>,
    #[arg(long, help = site_file_help(), value_name = "KIND=FILE", requires = "page", conflicts_with = "judged", value_parser = parse_site_file)]
    pub site_file: Vec<(CaptureKind, PathBuf)>,
    /// HTTP method that the decision is for; automation-preferences.txt can have rules for each
    #[arg(long, value_name = "METHOD", default_value = "GET")]
    pub method: String,
    /// A header field of the page
    #[arg(
        long,
        value_name = "NAME: VALUE",
        requires = "page",
        conflicts_with = "judged"
    )]
    pub header: Vec<String>,
    /// A meta element of the page's head
    #[arg(
        long,
        value_name = "NAME=CONTENT",
        requires = "page",
        conflicts_with = "judged"
    )]
    pub meta: Vec<String>,
    /// What identifies the indexes by which a document was judged.
    #[arg(skip)]
    pub sites_digest: Option<String>,
    /// The time that decided about a document, where it is not that of its page.
    #[arg(skip)]
    pub decided_at: Option<At>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Colour,
    #[command(flatten)]
    pub remote: RemoteArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
}

impl ExplainArgs {
    /// Takes what stands alone as the URL of the page, where no flag says what it is.
    pub fn settle(&mut self) {
        if self.url.is_none() && self.judged.is_none() {
            self.url = self.subject.take();
        }
    }
}

fn site_file_help() -> String {
    let kinds = CaptureKind::site_files().filter(|kind| kind.is_beside_robots());
    let kinds: Vec<String> = kinds
        .filter_map(|kind| Some(format!("{} ({})", kind.as_str(), kind.paths().first()?)))
        .collect();
    format!(
        "Another file of the site, by its kind: {}; can be given several times",
        kinds.join(", ")
    )
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
