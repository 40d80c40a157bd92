//! The flags for a share of the work.

use super::values::{parse_draw, parse_number, parse_slice};
use clap::Args;
use crawlprefs::job::{Draw, Share, Slice, Unit};

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
