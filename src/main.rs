//! The command `crawlprefs`.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// The system's allocator leaves holes between long texts and what is kept of them, up to gigabytes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(crawlprefs::cli::command(std::env::args_os()))
}
