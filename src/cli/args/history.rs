//! The flags of `history`.

use super::explain::Colour;
use super::values::{parse_duration, parse_time};
use super::{RemoteArgs, ViewpointArgs, WatchArgs};
use clap::Args;
use crawlprefs::web::timestamp::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct HistoryArgs {
    /// Host, such as www.example.org, for all of its origins and the labels of /; or URL of a page, for its origin and its
    /// labels
    #[arg(value_name = "HOST|URL")]
    pub subject: String,

    /// Site index that index wrote, or its URL, or a folder of indexes; can be given several times. With #sha256=DIGEST behind
    /// it, only the index whose _index.json has that SHA-256
    #[arg(long, value_name = "INDEX", required = true)]
    pub sites: Vec<PathBuf>,

    /// Use a site index although archives could not be read, or not to their end, or records were lost: what their sites said
    /// may be missing
    #[arg(long)]
    pub allow_incomplete: bool,

    /// Write JSON, one object per line
    #[arg(long)]
    pub json: bool,

    /// Leave out what ended before this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub since: Option<Timestamp>,

    /// Leave out what began after this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub until: Option<Timestamp>,

    /// Name times without a fetch of a file that are longer than this
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "100d")]
    pub gap: Duration,

    #[command(flatten)]
    pub viewpoint: ViewpointArgs,

    /// Folder for temporary files: the bodies of the host's files [default: the system's, see TMPDIR]
    #[arg(long, value_name = "DIR")]
    pub temp_dir: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Colour,

    #[command(flatten)]
    pub remote: RemoteArgs,

    #[command(flatten)]
    pub watch: WatchArgs,
}
