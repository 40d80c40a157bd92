//! What is read, and what it says about labels: `schema --systems`, `schema --labels`, `--version --verbose`. Example: the row
//! `| content_signal | ai-train | train_ai, train_genai | yes and no | always |`.
//!
//! `man`: the manual page of each command, which is what `--help` says, with the exit statuses as a section of their own.

use super::args::{self, AFTER_EXIT_STATUS, EXIT_STATUS};
use super::call::Ended;
use super::output;
use clap::Command;
use clap_mangen::Man;
use crawlprefs::error::Error;
use crawlprefs::systems::{About, CountedAnswers, Label, Mapping, SYSTEMS};
use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

/// The row of robots.txt itself, which is not a system of usage preferences.
const ROBOTS_TXT: &str = "| robots.txt | rfc9309 | robots.txt | `robots_*`, `access*`, `disallowed_agents` | crawl delays and other lines that RFC 9309 does not define: they close nothing |";

pub fn asks_for_documents(arguments: &[OsString]) -> bool {
    let is_any = |names: [&str; 2]| {
        arguments
            .iter()
            .any(|it| names.iter().any(|name| it == name))
    };
    arguments.len() == 2 && is_any(["--version", "-V"]) && is_any(["--verbose", "-v"])
}

/// The commit that the program was built from; build.rs knows it in optimised builds.
const COMMIT: &str = match option_env!("CRAWLPREFS_BUILT_FROM") {
    Some(commit) => commit,
    None => "not known",
};

/// Returns the version, its commit, and the documents that it follows, with their revisions.
pub fn documents() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("crawlprefs {version}\ncommit: {COMMIT}\n\nrobots.txt: rfc9309\n");
    let systems = SYSTEMS
        .iter()
        .map(|system| system.about())
        .filter(|about| !about.documents.is_empty());
    text.extend(systems.map(|about| format!("{}: {}\n", about.title, about.documents.join(", "))));
    text
}

pub fn systems() -> String {
    let mut text = format!(
        "| system | document | carriers | in `pages` | left out, and why |\n|---|---|---|---|---|\n{ROBOTS_TXT}\n"
    );
    text.extend(SYSTEMS.iter().map(|system| {
        let about = system.about();
        let About {
            title,
            documents,
            carriers,
            left_out,
            ..
        } = about;
        format!(
            "| {title} | {} | {carriers} | {} | {left_out} |\n",
            documents.join(", "),
            columns(about)
        )
    }));
    text
}

fn columns(about: &About) -> String {
    match about.columns {
        [] => "none; rows in `statements`".to_owned(),
        [column] => format!("`{}`", column.name),
        _ => format!("`{}*`", about.column_prefix),
    }
}

pub fn labels() -> String {
    let mut text = LABELS_HEAD.to_owned();
    for about in SYSTEMS.iter().map(|system| system.about()) {
        text.extend(about.labels.iter().map(|mapping| row(about.name, mapping)));
    }
    let silent = SYSTEMS
        .iter()
        .map(|system| system.about())
        .filter(|about| about.labels.is_empty());
    let silent: Vec<&str> = silent.map(|about| about.title).collect();
    text + "\nThese systems never count for a label: " + &silent.join(", ") + ".\n"
}

fn row(system: &str, mapping: &Mapping) -> String {
    let labels: Vec<&str> = mapping
        .labels
        .iter()
        .map(|label| Label::as_str(*label))
        .collect();
    let answers = match mapping.answers {
        CountedAnswers::Both => "yes and no",
        CountedAnswers::Disallow => "no",
    };
    let condition = mapping.condition.text();
    format!(
        "| {system} | {} | {} | {answers} | {condition} |\n",
        mapping.category,
        labels.join(", ")
    )
}

const LABELS_HEAD: &str = "# Labels

`crawlprefs schema --labels` prints this page, from the declarations of the systems in the code.

`pages` has five labels over all systems: `search`, `train_ai`, `train_genai`, `ai_input` (retrieval, grounding,
answers) and `tdm`. Each is `allow`, `disallow` or `unknown`.

1. Each system answers by its own rules, for the page and the product token.
2. An answer counts for a label if the table below has its category.
3. If any answer is disallow, the label is `disallow`; else if any answer is allow, it is `allow`; else it is `unknown`.
4. If a carrier of the page could not be read in full (`unread`) or was not received (`not_seen`), no label is `allow`; if something in it may be a no and is
   not understood (`doubt`), no label of its topic.

`<label>_from` names the systems and carriers that decided, `evidence` has their lines and fields, and `conflict` names
the labels on which answers contradict each other. A policy token, that is a token of the agents table with labels in
its column `speaks_for`, counts with the Allow and Disallow lines of its own group.

| system | category | labels | answers that count | when |
|---|---|---|---|---|
";

/// Prints the page of the whole command; returns the exit status.
pub fn print() -> io::Result<u8> {
    output::print_bytes(page(args::command())?.as_bytes())
}

/// Writes the pages of all commands into a folder; returns the exit status.
pub fn write(folder: &Path) -> Result<u8, Ended> {
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(folder)
        .and_then(|()| write_all(&command, folder))
        .map_err(|source| Error::OutputUnwritable {
            location: folder.display().to_string(),
            source,
        })?;
    Ok(0)
}

fn write_all(command: &Command, folder: &Path) -> io::Result<()> {
    for command in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        write_all(command, folder)?;
    }
    fs::write(
        folder.join(Man::new(command.clone()).get_filename()),
        page(command.clone())?,
    )
}

fn page(command: Command) -> io::Result<String> {
    let has_status = command.get_after_long_help().is_some();
    let mut bytes = Vec::new();
    Man::new(
        command
            .after_help(None::<&str>)
            .after_long_help(None::<&str>),
    )
    .render(&mut bytes)?;
    let mut text = String::from_utf8(bytes).map_err(io::Error::other)?;
    if has_status {
        let at = text.rfind(".SH VERSION\n").unwrap_or(text.len());
        text.insert_str(at, &exit_status());
    }
    Ok(text)
}

fn exit_status() -> String {
    let mut section = ".SH \"EXIT STATUS\"\n".to_owned();
    for (status, meaning) in EXIT_STATUS {
        section.extend([
            ".TP\n\\fB",
            status,
            "\\fR\n",
            escaped(meaning).as_str(),
            "\n",
        ]);
    }
    section + ".PP\n" + &escaped(AFTER_EXIT_STATUS) + "\n"
}

/// Escapes hyphens, so that none becomes a typographic one.
fn escaped(text: &str) -> String {
    text.replace('-', "\\-")
}
