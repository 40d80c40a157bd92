//! The flags of `resolve`, and those for a share of the work.

use super::values::{parse_bytes, parse_count, parse_draw, parse_number, parse_segment, parse_slice};
use super::{StoreArgs, TalkArgs, ViewArgs};
use clap::Args;
use crawlprefs::job::{Draw, Share, Slice, Unit};
use crawlprefs::runs::Segment;
use std::num::NonZeroUsize;
use std::path::PathBuf;

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

    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Limit of memory, approximately, such as 500M or 4G [default: half of the memory of the machine or its control
    /// group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    #[command(flatten)]
    pub share: ShareArgs,

    /// Work only on this segment, or, with `other`, on the archives that belong to no segment; can be given several
    /// times
    #[arg(long, value_name = "CRAWL/SEGMENT", value_parser = parse_segment, conflicts_with = "one_index")]
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
        Share { unit, draw: self.sample, slice: self.slice, limit: self.limit }
    }
}
