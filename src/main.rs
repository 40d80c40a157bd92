//! The command `crawlprefs`.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(crawlprefs::cli::command(std::env::args_os()))
}
