//! How to write what the name of a use was meant to say: each place has another way.
//!
//! Example: `AI-Training: no` is written `Content-Signal: ai-train=no` in a robots.txt, `Content-Usage: train-ai=n` as a header
//! field, and `robots=noai` as a meta; `TDM-Reservation: yes` is `tdm-reservation: 1`.
//! Left out: names that no one reads anywhere, and values that are neither a yes nor a no.

use super::words::{NOES, TRAINING, YESES, bare, has, letters};
use crate::systems::Statement;

/// The codes of lines and fields whose name or value is not read.
const CODES: &str = "unrecognised unknown_name unknown_value doubt";

/// Returns what to write in the place of a line or field that names a use.
pub(super) fn written(code: &str, text: &str, statement: Option<&Statement<'_>>) -> Option<String> {
    if !has(CODES, code) || text.starts_with('<') {
        return None;
    }
    let carrier = statement.map_or("robots", |statement| statement.carrier);
    let (name, value) = text.split_once([':', '='])?;
    let name = letters(name);
    match name.strip_prefix('x').unwrap_or(&name) {
        "tdmreservation" | "tdmreserved" | "tdmreserve" => reservation(carrier, &bare(value)),
        "robotstag" if carrier == "robots" => {
            Some(format!("X-Robots-Tag: {} {IN_PAGES}", value.trim()))
        }
        "datatrainingallowed" | "datatraining" | "trainingallowed" if carrier == "trust_txt" => {
            let word = if is_no(value)? { "no" } else { "yes" };
            Some(format!("datatrainingallowed={word}"))
        }
        name => training(carrier, refuses_training(name, value)?),
    }
}

const IN_PAGES: &str = "(a header field of the pages)";

/// TDMRep: 1 reserves the rights.
fn reservation(carrier: &str, word: &str) -> Option<String> {
    let number = if has("1 yes true on", word) {
        1
    } else if has("0 no false off", word) {
        0
    } else {
        return None;
    };
    match carrier {
        "robots" => Some(format!("tdm-reservation: {number} {IN_PAGES}")),
        "header" => Some(format!("tdm-reservation: {number}")),
        "meta" => Some(format!("tdm-reservation={number}")),
        _ => None,
    }
}

/// Returns whether a name that is about training, with its value, refuses it; `None` if it is about something else.
fn refuses_training(name: &str, value: &str) -> Option<bool> {
    if has(TRAINING, name) {
        return is_no(value);
    }
    let refused = name.strip_prefix("no")?;
    let word = bare(value);
    (has(TRAINING, refused) && (has(YESES, &word) || matches!(word.as_str(), "" | "/")))
        .then_some(true)
}

fn is_no(value: &str) -> Option<bool> {
    let word = bare(value);
    if has(NOES, &word) {
        Some(true)
    } else {
        has(YESES, &word).then_some(false)
    }
}

fn training(carrier: &str, is_refused: bool) -> Option<String> {
    let text = match (carrier, is_refused) {
        ("robots", true) => "Content-Signal: ai-train=no",
        ("robots", false) => "Content-Signal: ai-train=yes",
        ("header", true) => "Content-Usage: train-ai=n",
        ("header", false) => "Content-Usage: train-ai=y",
        ("meta", true) => "robots=noai",
        _ => return None,
    };
    Some(text.to_owned())
}
