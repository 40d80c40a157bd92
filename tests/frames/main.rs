//! The rules of docs/rules/frame.md: archives that are wrong about themselves.
//!
//! `lengths`, `doubt`, `formats`, `revisits` and `same_second` have an archive for each rule, in every format that can say it, through `scan` and `resolve`. `generated` makes
//! archives of several hosts with one fault each: a false length, a swapped id, a wrong digest, a missing line end.

mod broken;
mod container;
mod doubt;
mod extracted;
mod formats;
mod generated;
mod lengths;
#[allow(dead_code, reason = "other tests ask more of it")]
#[path = "../support/random.rs"]
mod random;
mod record;
mod revisits;
#[path = "../support/rounds.rs"]
mod rounds;
mod run;
mod same_second;
mod world;
