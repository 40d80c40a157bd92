//! The flags of `judge`.

use super::values::{
    FlagWords, Suggested, parse_dialect, parse_duration, parse_max_age, parse_number, parse_sample,
    words,
};
use super::view::TOKEN_MATCHES;
use super::{RemoteArgs, WatchArgs, WorkerArgs};
use crate::cli::event::Detail;
use crate::cli::log::Log;
use clap::{ArgGroup, Args};
use crawlprefs::judge::files::{DocumentDialect, OutputFormat};
use crawlprefs::judge::{At, Policy};
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::verdict::MaxAge;
use crawlprefs::web::product_token::TokenMatch;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
#[command(group = ArgGroup::new("by").required(true).multiple(true))]
#[allow(clippy::struct_excessive_bools)] // independent switches of the command line
pub struct JudgeArgs {
    /// The command as it was given, without the name of the program.
    #[arg(skip)]
    pub words: Vec<String>,
    /// Files of documents: Parquet, JSON lines or one URL per line, the last two also compressed with gzip or zstd;
    /// WACZ files, for their lists of pages; folders (their *.parquet, *.jsonl, *.json.gz, *.wacz and the like); - (standard input)
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Folder with the tables that run or resolve wrote
    #[arg(long, value_name = "DIR", group = "by")]
    pub tables: Option<PathBuf>,
    /// Site index that index wrote, or its URL, or a folder of indexes; can be given several times: judge by them the documents
    /// that have no record in the tables. With #sha256=DIGEST behind it, only the index whose _index.json has that SHA-256
    #[arg(long, value_name = "INDEX", conflicts_with = "evidence", group = "by")]
    pub sites: Vec<PathBuf>,
    /// Use tables or a site index although archives could not be read, or not to their end, or records were lost: what their
    /// sites said may be missing
    #[arg(long)]
    pub allow_incomplete: bool,
    /// Product token of the crawler that the verdicts are for, if there are no tables [default: as in resolve]
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "sites",
        conflicts_with = "tables"
    )]
    pub agent: Option<String>,
    /// Take --agent as it is, although it is a letter or two away from a token of the agents table
    #[arg(long, requires = "agent")]
    pub agent_unknown: bool,
    /// How to compare the names in User-agent lines with tokens, if there are no tables [default: exact]
    #[arg(long, value_name = "HOW", value_parser = words(&TOKEN_MATCHES), requires = "sites", conflicts_with = "tables")]
    pub token_match: Option<TokenMatch>,
    /// If there is no earlier robots.txt, use the first one that was fetched within this time after the document's date,
    /// such as 3h; if there are no tables [default: 0]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "sites", conflicts_with = "tables")]
    pub robots_slack: Option<Duration>,
    /// The age from which a copy of robots.txt or of another file of the site proves no yes, such as 30d, or `none`; if there
    /// are no tables [default: 90d]
    #[arg(long, value_name = "DURATION|none", value_parser = parse_max_age, requires = "sites", conflicts_with = "tables")]
    pub robots_max_age: Option<MaxAge>,
    /// Folder for the documents with their verdicts, one file for each input, with the same name; what is known of them is
    /// in a folder beside it, for `kept` in `_kept.judge`. If you repeat the command, it continues where it stopped [default: standard output, for one input that is not Parquet]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which documents to keep: robots, labels, strict, or a TOML file (docs/filtering.md) [default: all]
    #[arg(long, value_name = "PRESET|FILE", value_parser = Suggested::from_words(Policy::presets()), hide_possible_values = true)]
    pub policy: Option<String>,
    /// Folder for the id, the URL, the date and the reason of each document that the policy drops
    #[arg(long, value_name = "DIR", requires_all = ["policy", "out"])]
    pub dropped: Option<PathBuf>,
    /// Output folder of an earlier judgement, or a file of ids or URLs that were kept then: when all inputs of the output folder
    /// are judged, also write what changed to changes.parquet, changes.jsonl and removed.txt in the folder beside it
    #[arg(long, value_name = "OLD", requires_all = ["policy", "out"])]
    pub diff: Option<PathBuf>,
    /// File for a mask instead of the documents: for each document of the one input, in its order, a line {"allowed": true} if
    /// the policy keeps it, else {"allowed": false}, as HPLT's pipeline reads it; compressed if its name ends with .zst or .gz
    #[arg(long, value_name = "FILE", requires = "policy", conflicts_with_all = ["out", "dropped"])]
    pub mask: Option<PathBuf>,
    /// Folder with the evidence of the tables; can be given several times [default: the folder of the tables, or the
    /// folders that they name]
    #[arg(long, value_name = "DIR")]
    pub evidence: Vec<PathBuf>,
    /// Format of the output: parquet for inputs in Parquet, jsonl for JSON lines and lists of URLs. Rows are not
    /// converted: an input of another format fails [default: the format of each input]
    #[arg(long, value_name = "FORMAT", value_parser = words(&FORMATS))]
    pub format: Option<OutputFormat>,
    /// Data set whose names the columns or members have: warc2text, hplt, oscar, redpajama, fineweb2, fineweb, c4, common-pile,
    /// dolma, laion [default: what the first row of each file shows; docs/filtering.md]
    #[arg(long, value_name = "NAME", value_parser = parse_dialect)]
    pub dialect: Option<&'static DocumentDialect>,
    /// Column or JSON member with the URL; can be given several times: each is a URL of the document, such as of an image and
    /// of its page, and a no of any counts [default: url, metadata.url]
    #[arg(long, value_name = "NAME")]
    pub url: Vec<String>,
    /// Column or JSON member with the WARC-Record-ID [default: id, `warc_record_id`, `warc_id`, `record_id`, and the
    /// same in metadata]
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
    /// Column or JSON member with the date of the fetch; of a day, month or year, the strictest answer within it counts [default:
    /// date, `fetch_time`, `warc_date`, metadata.date and the like; else from created to added, as Dolma has them]
    #[arg(long, value_name = "NAME")]
    pub date: Option<String>,
    /// Beginning of the names of the columns that are added
    #[arg(long, value_name = "NAME", default_value = "prefs_")]
    pub prefix: String,
    /// Columns to add, separated by commas, such as `access,train_ai,reason`: names without the prefix, also those of
    /// --audit [default: all but `disallowed_agents` and those of --audit]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Replace columns and JSON members of the documents that have the names of those that are added [default: a file
    /// that has one is refused]
    #[arg(long)]
    pub replace_prefs: bool,
    /// Also add the columns with what each decision rests on: digest, line and fetch time of the robots.txt, what decided the
    /// labels, policy and version (docs/filtering.md)
    #[arg(long)]
    pub audit: bool,
    /// Audit a random sample: judge N documents, drawn by chance with this seed, write all of them with what was found, and say how
    /// certain the share of violations of the policy is [default SEED: one that is drawn and printed]
    #[arg(long, value_name = "N[@SEED]", value_parser = parse_sample, requires_all = ["audit", "policy"],
        conflicts_with_all = ["dropped", "diff", "mask", "dry_run"])]
    pub sample: Option<(usize, Option<u64>)>,
    /// Times to judge documents for, separated by commas: page (a document's date; without a date it is unknown), newest, or a
    /// time such as 2026-08-10. With several, a policy drops what is disallowed at any of them, and each time after the first
    /// has columns such as `prefs_access_newest` [default: those of the policy, else page; newest for lists of URLs, which
    /// have no dates]
    #[arg(long, value_name = "WHEN", value_delimiter = ',')]
    pub at: Vec<At>,
    /// Count the noes in headers and metas of captures of a document's exact URL that were fetched within this time of its date,
    /// such as 1d, if it has no record in the tables
    #[arg(long = "match", value_name = "DURATION", value_parser = parse_duration, requires = "tables")]
    pub match_within: Option<Duration>,
    /// Agents table; with tables, if they were made with --agents
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,
    /// Vocabulary: 01 to 08, or a file; with tables, if they were made with a file for --vocab
    #[arg(long, value_name = "VERSION|FILE", value_parser = Suggested::from_words(Vocabulary::names()), hide_possible_values = true)]
    pub vocab: Option<String>,
    /// Crawlers of applications; with tables, if they were made with --applications
    #[arg(long, value_name = "FILE")]
    pub applications: Option<PathBuf>,
    #[command(flatten)]
    pub workers: WorkerArgs,
    /// Print what is done already and what would be judged, and stop
    #[arg(long, requires = "out")]
    pub dry_run: bool,
    /// Judge all files again, if the output folder has files of other tables or options; refused if it has outputs of inputs
    /// that this call does not name, unless --drop-missing removes them
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    /// Remove the outputs of inputs that this call does not name, and forget these inputs
    #[arg(long, requires = "out")]
    pub drop_missing: bool,
    /// How many inputs may fail before the exit status is 3
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, default_value_t = 0)]
    pub max_failed: usize,
    #[command(flatten)]
    pub remote: RemoteArgs,
    /// Write only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub watch: WatchArgs,
}

const FORMATS: FlagWords<OutputFormat, 2> = [
    ("parquet", "Parquet", OutputFormat::Parquet),
    ("jsonl", "One JSON object per line", OutputFormat::Json),
];

impl JudgeArgs {
    /// Returns the log that is asked for.
    pub fn log(&self) -> Log {
        self.watch.log(if self.quiet {
            Detail::Problems
        } else {
            Detail::Work
        })
    }
}
