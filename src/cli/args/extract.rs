//! The flags of `extract`.

use super::RemoteArgs;
use super::values::parse_time;
use clap::Args;
use crawlprefs::web::timestamp::Timestamp;
use std::path::PathBuf;

#[derive(Args)]
pub struct ExtractArgs {
    /// Folder that scan or run wrote, also in a store: the page there, and all captures of its site's files and of what
    /// their redirects lead to
    #[arg(long, value_name = "DIR", requires = "url", required_unless_present = "from")]
    pub tables: Option<PathBuf>,

    /// The page, as the column url has it
    #[arg(long, value_name = "URL", requires = "tables")]
    pub url: Option<String>,

    /// Which capture of the page, of several in the tables: its `fetch_time` [default: the newest]
    #[arg(long, value_name = "TIME", requires = "url", value_parser = parse_time)]
    pub fetched: Option<Timestamp>,

    /// Parquet or CSV file with `warc_filename`, `warc_record_offset` and `warc_record_length`: these records
    #[arg(long, value_name = "FILE", conflicts_with = "tables")]
    pub from: Option<PathBuf>,

    /// Where the archives are, such as `s3://commoncrawl/`: their names are paths below it
    #[arg(long, value_name = "DIR|URL", default_value = ".")]
    pub base: PathBuf,

    /// The WARC to write, also in a store; each record is a gzip member
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
