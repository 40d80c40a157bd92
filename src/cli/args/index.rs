//! The flags of `index`.

use super::values::{parse_bytes, parse_count, parse_segment};
use super::{RemoteArgs, TalkArgs};
use clap::Args;
use crawlprefs::runs::Segment;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What becomes of an index that is there.
#[derive(Args)]
pub struct OldIndexArgs {
    /// Replace an index that the folder has, and that was made of other archives: at once, while others read it
    #[arg(long)]
    pub overwrite: bool,

    /// Leave the files of the index that is replaced, for readers that are still at work; the next call removes them
    #[arg(long, requires = "overwrite")]
    pub keep_old: bool,
}

#[derive(Args)]
pub struct IndexArgs {
    /// Folders that scan or run wrote, and other site indexes, or their URLs in a store
    #[arg(value_name = "EVIDENCE|INDEX", required = true)]
    pub inputs: Vec<PathBuf>,

    /// Folder for the index
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,

    /// Take only this segment from the evidence, or, with `other`, the archives that belong to no segment; can be given
    /// several times [default: all]
    #[arg(long, value_name = "CRAWL/SEGMENT", value_parser = parse_segment)]
    pub segment: Vec<Segment>,

    /// Leave out the captures of this crawl; can be given several times
    #[arg(long, value_name = "CRAWL")]
    pub without: Vec<String>,

    #[command(flatten)]
    pub replace: OldIndexArgs,

    /// Make the index although archives could not be read, or not to their end, or records were lost: what their sites said may
    /// be missing
    #[arg(long)]
    pub allow_incomplete: bool,

    /// Number of workers that read evidence [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// About how much memory may be used, such as 512M or 8G; the captures of a segment that do not fit are sorted in temporary
    /// files, and the index is the same [default: half of the machine's, or of its control group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    /// Folder for temporary files: captures and bodies of site files, and indexes of single segments [default: the system's, see TMPDIR]
    #[arg(long, value_name = "DIR")]
    pub temp_dir: Option<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArgs,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
