//! The job: same bytes whoever writes them, restart, failures of inputs, of the output, of ours.

mod fixture;
mod identical;
mod inputs;
mod restart;
mod sample;
