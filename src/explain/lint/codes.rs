//! The codes of findings: how grave each is, and a sentence for each.
//!
//! The codes of robots.txt are those of [`Lint`]; all others are the defects of the table `statements`, and three of the
//! command alone. Example: `unknown_value`, the value of `Content-Signal: ai-train=never`.

use crate::systems::Statement;
use crate::verdict::site::Lint;
use crate::web::names::names;
use crate::web::shown::{shown, visible};
use serde::Serialize;

names! {
    /// How grave a finding is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        /// Most crawlers read it as it was meant, but not all.
        Warning => "warning",
        /// Nobody reads it, or it says something else than it seems to say.
        Error => "error",
    }
}

pub(super) const NEAR_MISS: &str = "near_miss";
/// A line with a name that no system and no crawler knows.
pub(super) const UNKNOWN_NAME: &str = "unknown_name";
/// A name of a crawler that is nearly one that its vendor documents.
pub(super) const AGENT_NEAR_MISS: &str = "agent_near_miss";
/// A file that is not text.
pub(super) const UNREADABLE: &str = "unreadable";
/// A unit without a defect whose words may be a no that nobody understands.
pub(super) const DOUBT: &str = "doubt";

/// Codes that say more about a fault than another code of its line.
pub(super) const SAYS_MORE: [(&str, &str); 4] = [
    ("url_in_path", "path_without_slash"),
    ("label_of_other_system", "unknown_label"),
    ("agent_undocumented", AGENT_NEAR_MISS),
    ("agent_all", AGENT_NEAR_MISS),
];

/// The lints of lines and files that most crawlers read as they were meant.
const WARNINGS: &str = "empty cr_only byte_order_mark colon_missing disallow_misspelt user_agent_misspelt \
    name_starts_like_rule regex_in_path agent_no_token agent_undocumented token_match_differs agents_across_records \
    group_by_extension wildcard_groups_split allow_and_disallow_all noindex_line signal_in_last_group \
    signal_on_closed_path signal_outside_group managed_block_open other_copy unfinished unknown_name no_record agent_near_miss";

/// Lints of a robots.txt as a whole.
const WHOLE_FILE: &str = "html empty no_groups cut cr_only byte_order_mark byte_order_mark_twice utf16 unreadable \
    token_match_differs other_copy unfinished";

/// Defects of values that are understood, each with what to know about it; and defects of values that are only not used.
const READ_ANYHOW: &str = "dictionary_differs name_repeated number_as_string path_in_block path_without_conditional quoted \
    superseded training_missing truth_value underscores url_location vendor_default with_path wrapped_array no_group no_array \
    other_text";

/// Defects, and codes of the command alone, with a sentence for each.
const SENTENCES: [(&str, &str); 39] = [
    (
        AGENT_NEAR_MISS,
        "No vendor documents a crawler of this name, and one of a name like it exists.",
    ),
    (
        UNKNOWN_NAME,
        "No crawler and no document that is read here knows this name: the line says nothing.",
    ),
    (
        UNREADABLE,
        "The file is not text in UTF-8: crawlers read nothing in it.",
    ),
    (
        DOUBT,
        "Its words may be a no, and no system reads it as one.",
    ),
    (
        "unrecognised",
        "No system reads this name, though it is about AI or may be a no: it closes nothing.",
    ),
    (
        "unknown_label",
        "Its system, or the chosen vocabulary, does not know this label.",
    ),
    ("unknown_key", "Its system does not know this key."),
    ("unknown_value", "Its system does not know this value."),
    ("unknown_rule", "No crawler documents this rule."),
    (
        "unknown_directive",
        "No application documents this directive.",
    ),
    ("unknown_method", "It names no HTTP method."),
    (
        "label_of_other_system",
        "This label belongs to another system, and states nothing here.",
    ),
    (
        "not_dictionary",
        "The value is not a dictionary of RFC 9651 (`key=value, key=value`), so that all of it is ignored.",
    ),
    (
        "key_case",
        "A key in upper case makes the whole value unreadable (RFC 9651).",
    ),
    ("not_token", "The value has to be a word without quotes."),
    ("no_statement", "The value says nothing."),
    ("no_value", "The key has no value, and says nothing."),
    ("empty", "The value is empty, and says nothing."),
    (
        "no_colon",
        "The line has no colon, and makes the file unreadable for its system.",
    ),
    (
        "other_text",
        "The file does not have the form of its name: no system reads it.",
    ),
    ("no_path", "The line has no path."),
    (
        "no_scope",
        "The group names no scope, and applies to nothing.",
    ),
    (
        "no_group",
        "The line is before the first user-agent line; it is read as one of the group for `*`.",
    ),
    (
        "path_without_slash",
        "The path starts with neither `/` nor `*`, and matches nothing.",
    ),
    (
        "regex_in_path",
        "The path has a piece of a regular expression, which is not supported.",
    ),
    (
        "control_byte_in_file",
        "A control byte makes the whole file unreadable for its system.",
    ),
    (
        "not_json",
        "The file is not JSON in UTF-8: nothing of it is read.",
    ),
    (
        "no_entry",
        "The file has no entry with a location and a reservation: it says nothing.",
    ),
    (
        "no_location",
        "The entry has no location, and applies to nothing.",
    ),
    (
        "no_reservation",
        "The entry has no `tdm-reservation` of 0 or 1, and says nothing.",
    ),
    (
        "shadowed_entry",
        "An earlier entry applies to the same paths, so that this one never counts.",
    ),
    ("no_rsl", "The value is no URL of an RSL licence."),
    ("other_context", "It is about something else than the page."),
    ("too_many", "There are more statements than are read."),
    ("cut", "The rest is longer than what is read."),
    (
        "superseded",
        "A later member with the same key replaces it.",
    ),
    (
        "vendor_default",
        "It is the default of a service that rewrites pages, and no yes of the owner.",
    ),
    (
        "training_missing",
        "Without a line `Training` the file says nothing about training.",
    ),
    (
        "path_without_conditional",
        "Paths count only under `Training: conditional`.",
    ),
];

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

/// Returns the code of a defect: the same word.
pub(super) fn of_defect(defect: &'static str) -> &'static str {
    defect
}

pub(super) fn of_whole_file(code: &str) -> bool {
    has(WHOLE_FILE, code)
}

/// Returns how grave a lint is.
pub(super) fn severity(code: &str) -> Severity {
    if has(WARNINGS, code) {
        Severity::Warning
    } else {
        Severity::Error
    }
}

/// Returns how grave a defect of a statement is, if it is not a doubt; `None`: nothing has to be changed.
pub(super) fn severity_of_defect(defect: &str) -> Option<Severity> {
    match defect {
        "superseded" | "other_text" | "with_path" | "too_many" => None,
        _ if has(READ_ANYHOW, defect) || has(WARNINGS, defect) => Some(Severity::Warning),
        _ => Some(Severity::Error),
    }
}

/// Returns the sentence of a code, or of a statement's defect.
pub(super) fn message(code: &str, statement: Option<&Statement<'_>>) -> String {
    let sentence = SENTENCES
        .iter()
        .find(|(known, _)| *known == code)
        .map(|(_, sentence)| *sentence);
    let lint = || {
        Lint::ALL
            .into_iter()
            .find(|lint| lint.as_str() == code)
            .map(Lint::sentence)
    };
    let Some(statement) = statement else {
        return sentence
            .or_else(lint)
            .unwrap_or("It is not read as it is written.")
            .to_owned();
    };
    let sentence = sentence
        .unwrap_or("It is read, though not by everyone: it is not written as its document says.");
    let named = statement
        .key
        .filter(|key| !key.is_empty())
        .map(|key| format!("`{}`: ", visible(&shown(key))));
    format!("{}{sentence}", named.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn local_each_code_has_one_sentence_and_each_warning_is_a_code() {
        let codes: Vec<&str> = SENTENCES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
        let lists = [WARNINGS, WHOLE_FILE];
        for code in lists.into_iter().flat_map(str::split_whitespace) {
            let is_lint = Lint::ALL.into_iter().any(|lint| lint.as_str() == code);
            assert!(is_lint || codes.contains(&code), "{code}");
        }
        assert!(
            SENTENCES
                .iter()
                .all(|(_, sentence)| sentence.ends_with('.'))
        );
    }
}
