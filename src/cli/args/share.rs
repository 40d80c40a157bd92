//! The flags for a share of the work.

use super::values::parse_slice;
use clap::Args;
use crawlprefs::job::{Share, Slice, Unit};

/// How much of the work is done.
#[derive(Args, Clone, Copy)]
#[command(next_help_heading = "A part of the work")]
pub struct ShareArgs {
    /// Work only on the I-th of N shares, such as 3/10: of the archives in scan, else of the segments
    #[arg(long, value_name = "I/N", value_parser = parse_slice)]
    pub slice: Option<Slice>,

    /// Work only on the first N archives in scan and run, or segments in resolve
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

impl ShareArgs {
    /// Returns the share, dealt out in these units.
    pub fn of(self, unit: Unit) -> Share {
        Share { unit, slice: self.slice, limit: self.limit }
    }
}
