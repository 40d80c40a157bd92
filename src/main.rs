//! The command `crawlprefs`.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
