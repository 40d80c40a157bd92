//! `man`: the manual page of each command.
//!
//! Example: `crawlprefs man -o DIR` writes `crawlprefs.1`, `crawlprefs-run.1` and the others.
//! Left out: a page is what `--help` says, with the exit statuses as a section of their own.

use super::args::{self, AFTER_EXIT_STATUS, EXIT_STATUS};
use super::event::Failure;
use super::log::Log;
use super::{COULD_NOT_RUN, output};
use clap::Command;
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::Path;

/// Prints the page of the command as a whole; returns the exit status.
pub fn print() -> io::Result<u8> {
    output::print_bytes(page(args::command())?.as_bytes()).map(|()| 0)
}

/// Writes the pages of all commands into a folder; returns the exit status.
pub fn write(folder: &Path) -> u8 {
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    let Err(error) = fs::create_dir_all(folder).and_then(|()| write_all(&command, folder)) else { return 0 };
    let detail = format!("{}: cannot be written: {error}", folder.display());
    Log::plain().error(Failure { kind: "output_unwritable", detail, retry: true });
    COULD_NOT_RUN
}

fn write_all(command: &Command, folder: &Path) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_all(command, folder)?;
    }
    fs::write(folder.join(Man::new(command.clone()).get_filename()), page(command.clone())?)
}

/// Returns the page of a command.
fn page(command: Command) -> io::Result<String> {
    let has_status = command.get_after_long_help().is_some();
    let mut bytes = Vec::new();
    Man::new(command.after_help(None::<&str>).after_long_help(None::<&str>)).render(&mut bytes)?;
    let mut text = String::from_utf8(bytes).map_err(io::Error::other)?;
    if has_status {
        let at = text.rfind(".SH VERSION\n").unwrap_or(text.len());
        text.insert_str(at, &exit_status());
    }
    Ok(text)
}

/// Returns the section with the exit statuses, one paragraph for each.
fn exit_status() -> String {
    let mut section = ".SH \"EXIT STATUS\"\n".to_owned();
    for (status, meaning) in EXIT_STATUS {
        section.extend([".TP\n\\fB", status, "\\fR\n", escaped(meaning).as_str(), "\n"]);
    }
    section + ".PP\n" + &escaped(AFTER_EXIT_STATUS) + "\n"
}

/// Returns text in which no hyphen becomes a typographic one.
fn escaped(text: &str) -> String {
    text.replace('-', "\\-")
}
