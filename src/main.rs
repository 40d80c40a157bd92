//! The command `crawlprefs`.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]

mod cli;
mod progress;
mod voice;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
