//! The flags for a share of the work.

use super::values::{parse_number, parse_slice};
use clap::Args;
use crawlprefs::job::{Draw, Share, Slice, Unit};

/// How much of the work is done.
#[derive(Args, Clone, Copy)]
#[command(next_help_heading = "A part of the work")]
pub struct ShareArgs {
    /// Work only on the I-th of N shares, such as 3/10: of the archives in scan, else of the segments
    #[arg(long, value_name = "I/N", value_parser = parse_slice)]
    pub slice: Option<Slice>,

    /// Work only on the first N archives in scan and run, or segments in resolve
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,

    /// Work on N archives in scan and run, or segments in resolve, that are drawn at random; --slice shares them out.
    /// docs/sampling.md says what they are a sample of
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, conflicts_with = "limit")]
    pub sample: Option<usize>,

    /// The seed of --sample: the same seed and names draw the same, in whatever order they are given
    #[arg(long, value_name = "S", value_parser = parse_number::<u64>, default_value_t = 0, requires = "sample")]
    pub seed: u64,
}

impl ShareArgs {
    /// Returns the share, dealt out in these units.
    pub fn of(self, unit: Unit) -> Share {
        let draw = self.sample.map(|units| Draw { units, seed: self.seed });
        Share { unit, draw, slice: self.slice, limit: self.limit }
    }
}
