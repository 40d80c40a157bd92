//! The arrangement of the help of a command: the flags under each heading, and those that `-h` shows.
//!
//! A flag has the same heading in every command. `-h` fits on a screen: the flags of a first call, a sentence for each.
//! `--help` has all of them. A flag that is not in these lists is under "Options", and only in `--help`.

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

/// The headings, and the flags under each; `judge:url` is that of one command, as others have another `--url`.
const HEADINGS: [(&str, &str); 10] = [
    (
        "Inputs",
        "paths-from base crawl depth sites evidence from judged",
    ),
    ("A part of the work", "slice limit sample segment require"),
    (
        "Earlier calls",
        "again recheck verify overwrite keep-old drop-missing",
    ),
    (
        "Verdicts",
        "agent agent-unknown agents vocab applications token-match robots-slack robots-max-age scope allow-incomplete at match fetched method max-age",
    ),
    (
        "Files of the site, and what the page has",
        "robots site-file header meta as",
    ),
    (
        "Columns and members of documents",
        "dialect judge:url id date columns prefix replace-prefs audit format",
    ),
    ("What is kept", "policy dropped diff mask"),
    (
        "Messages and reports",
        "quiet verbose log-format report metrics metrics-label color",
    ),
    (
        "Servers and stores",
        "no-sign-request retries timeout downloads",
    ),
    ("Web servers", "user-agent request-rate allow-private"),
];

/// What `-h` shows: the flags of a first call.
const FIRST: &str = "out paths-from base jobs memory-limit slice scan:sample run:sample resolve:sample agent vocab tables sites at policy dropped dry-run \
                     overwrite unread json url judged robots from quiet as lint:format strict fix";

/// The commands whose help ends with what an exit status means.
const WITH_STATUS: &str = "scan resolve run index sites judge demo";

/// Returns the command with its help arranged: of each subcommand only when it is called or its help is asked for.
pub fn command() -> Command {
    super::Cli::command().mut_subcommands(|command| command.defer(of_subcommand))
}

fn of_subcommand(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let more =
        format!("`crawlprefs {name} --help` has all options, and what an exit status means.");
    let command = if has(WITH_STATUS, &name) {
        command.after_long_help(super::exit_status())
    } else {
        command
    };
    command
        .mut_args(|argument| of_argument(&name, argument))
        .after_help(more)
}

fn of_argument(command: &str, argument: Arg) -> Arg {
    let Some(long) = argument.get_long().map(str::to_owned) else {
        return shortened(argument);
    };
    let of_command = format!("{command}:{long}");
    let heading = HEADINGS
        .iter()
        .find(|(_, flags)| has(flags, &long) || has(flags, &of_command))
        .map(|(heading, _)| *heading);
    let is_first = has(FIRST, &long) || has(FIRST, &of_command);
    shortened(argument)
        .help_heading(heading)
        .hide_short_help(!is_first)
}

fn has(flags: &str, flag: &str) -> bool {
    flags.split(' ').any(|known| known == flag)
}

/// Leaves all but the first sentence to `--help`.
fn shortened(argument: Arg) -> Arg {
    let Some(text) = argument.get_help().map(StyledStr::to_string) else {
        return argument;
    };
    let long = argument
        .get_long_help()
        .cloned()
        .unwrap_or_else(|| text.clone().into());
    argument
        .help(first_sentence(&text).to_owned())
        .long_help(long)
}

/// Returns the beginning of a text up to the first end of a sentence or of a part of it, outside of brackets.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", ": ", "; ", " [default"]
        .iter()
        .flat_map(|end| text.match_indices(end));
    let end = ends
        .map(|(at, _)| at)
        .filter(|at| {
            let before = text.get(..*at).unwrap_or_default();
            before.matches('(').count() == before.matches(')').count()
        })
        .min();
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn local_short_help_ends_outside_of_brackets() {
        for (text, first) in [
            (
                "Files, - (standard input; NAME=- names it), URLs. More",
                "Files, - (standard input; NAME=- names it), URLs",
            ),
            ("A limit [default: half]", "A limit"),
            ("A limit: so and so", "A limit"),
            (
                "Open (and never closed; text",
                "Open (and never closed; text",
            ),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
