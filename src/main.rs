//! The command `crawlprefs`.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]
// A signature says that a call can fail, and what it returns.
#![allow(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use
)]

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// The system's allocator leaves holes between long texts and the parts that are kept, up to gigabytes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(crawlprefs::cli::command(std::env::args_os()))
}
