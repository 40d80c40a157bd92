//! An answer as a page for a person: who may fetch it, by which lines, and what each system says.
//!
//! Input: the object that `explain` returns. What says nothing takes no line of its own.

use super::paper::{Ink, Paper, Style, Text, quoted};
use super::requests;
use crate::cli::systems::{title, without_system};
use crawlprefs::systems::Label;
use serde_json::Value;

/// Lines of a kind of which there may be any number; the others are counted.
const SHOWN: usize = 3;

/// Returns the page; `method` is that for which automation-preferences.txt was asked.
pub fn page(answer: &Value, method: &str, ink: Ink) -> String {
    let mut paper = Paper::new(ink);
    head(answer, &mut paper);
    crawl(answer, method, &mut paper);
    requests::robots_txt(answer, &mut paper);
    labels(answer, &mut paper);
    for system in list(&answer["systems"]) {
        self::system(answer, system, &mut paper);
    }
    requests::site_files(answer, &mut paper);
    let silent: Vec<&str> = list(&answer["silent"]).filter_map(Value::as_str).map(title).collect();
    if !silent.is_empty() {
        paper.named("no statement", &Text::styled(&silent.join(", "), Style::Faint));
    }
    paper.into_text()
}

/// The elements of a list; nothing else has any.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A word of an answer, or nothing.
pub fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The page, and from which viewpoint it is seen.
fn head(answer: &Value, paper: &mut Paper) {
    let (page, viewpoint) = (&answer["page"], &answer["viewpoint"]);
    paper.line(&Text::styled(&quoted(word(&page["url"])), Style::Strong));
    let prefix = if word(&viewpoint["token_match"]) == "prefix" { ", names cut to prefixes" } else { "" };
    let token = word(&viewpoint["product_token"]);
    paper.line(&Text::new(&format!(
        "for {token}{prefix}, AIPREF vocabulary {}",
        word(&viewpoint["vocabulary"])
    )));
    requests::page(page, paper);
    let unread: Vec<&str> = list(&page["unread"]).filter_map(Value::as_str).collect();
    if !unread.is_empty() {
        let told = format!("not read whole: {}, so that no label is allow", unread.join(", "));
        paper.line(&Text::styled(&told, Style::Unknown));
    }
    paper.gap();
}

/// May the page be fetched, by which line, and what would have decided otherwise.
fn crawl(answer: &Value, method: &str, paper: &mut Paper) {
    let verdict = word(&answer["robots_crawl"]);
    paper.named("crawl", &Text::default().word(verdict).plain(&reason(answer)));
    let decided = answer["crawl_rule_line"].as_u64();
    for line in list(&answer["robots"]["around"]) {
        let number = line["line"].as_u64();
        let text = quoted(word(&line["text"]));
        if text.trim().is_empty() {
            continue;
        }
        let (mark, style) = if number == decided { ('>', Style::Strong) } else { (' ', Style::Faint) };
        let told = Text::styled(&format!("{mark} {:>4}  {text}", number.unwrap_or(0)), style);
        paper.beside(&told, 8);
    }
    otherwise(answer, paper);
    replaced(&answer["robots"]["replaced"], paper);
    if let Some(allowed) = answer["method_allowed"].as_bool() {
        let word = if allowed { "allow" } else { "disallow" };
        let told = Text::new(&format!("automation-preferences.txt: {method} ")).word(word);
        paper.beside(&told.plain(&format!(", scope {}", quoted(self::word(&answer["group_scope"])))), 2);
    }
    shut_out(answer, paper);
}

/// Returns by what it was decided, to follow the verdict.
fn reason(answer: &Value) -> String {
    let groups: Vec<String> = list(&answer["robots"]["group"]).map(group).collect();
    let group = match groups.as_slice() {
        [] => "no group".to_owned(),
        [group] => format!("the group for {group}"),
        [first, ..] => format!("the {} groups from that for {first} on", groups.len()),
    };
    match (word(&answer["access_reason"]), answer["crawl_rule_line"].as_u64()) {
        (_, Some(line)) => {
            let decided = list(&answer["robots"]["around"]).find(|other| other["line"] == line);
            let vendor = decided.map(vendor).unwrap_or_default();
            format!(", by line {line} of robots.txt{vendor}, in {group}")
        }
        ("no_rule", None) => format!(", for no line of {group} matches"),
        ("no_group", None) => {
            let token = word(&answer["viewpoint"]["product_token"]);
            format!(", for robots.txt has no group for {token} nor for *")
        }
        ("robots_txt_itself", None) => ", for /robots.txt may always be fetched".to_owned(),
        (state, None) => format!(", for robots.txt is {state}"),
    }
}

fn group(group: &Value) -> String {
    format!("{} (line {})", quoted(word(&group["agents"])), group["line"])
}

/// The rules that match beside the one that decided.
fn otherwise(answer: &Value, paper: &mut Paper) {
    if answer["crawl_rule_line"].is_null() {
        return;
    }
    let also: Vec<&Value> = list(&answer["robots"]["also"]).collect();
    let Some((next, rest)) = also.split_first() else {
        if word(&answer["robots_crawl"]) == "disallow" {
            let other = Text::new("without it: ").word("allow");
            paper.beside(&other.plain(", for no other line of the group matches"), 2);
        }
        return;
    };
    let told = Text::new("without it: ").word(word(&next["crawl"])).plain(&format!(", by {}", rule(next)));
    paper.beside(&told, 2);
    if !rest.is_empty() {
        let lines: Vec<String> = rest.iter().take(SHOWN).map(|other| rule(other)).collect();
        let count = answer["robots"]["also_count"].as_u64().unwrap_or(0).saturating_sub(1);
        let told = format!("{} matched too: {}{}", others(count), lines.join("; "), more(count));
        paper.beside(&Text::new(&told), 2);
    }
}

fn others(count: u64) -> String {
    if count == 1 { "1 other line".to_owned() } else { format!("{count} other lines") }
}

/// Returns what is said of those that are not shown.
fn more(count: u64) -> String {
    match count.saturating_sub(SHOWN as u64) {
        0 => String::new(),
        more => format!("; and {more} more"),
    }
}

/// Returns a line of a file with its number, and whose text it is.
fn rule(rule: &Value) -> String {
    let vendor = vendor(rule);
    format!("line {}: {}{vendor}", rule["line"], quoted(word(&rule["text"])))
}

/// Returns in whose text a line stands, where that is not the site's own.
fn vendor(line: &Value) -> String {
    match word(&line["managed_by"]) {
        "" => String::new(),
        vendor => format!(" ({vendor}'s text)"),
    }
}

/// The group for everyone, where another one replaces it.
fn replaced(replaced: &Value, paper: &mut Paper) {
    let verdict = word(&replaced["crawl"]);
    if verdict.is_empty() {
        return;
    }
    let by = if replaced["line"].is_null() { String::new() } else { format!(" ({})", rule(replaced)) };
    let told = Text::new("the group for * says ").word(verdict);
    paper.beside(&told.plain(&format!("{by}, but a named group replaces it")), 2);
}

/// Who may not fetch the page.
fn shut_out(answer: &Value, paper: &mut Paper) {
    const NAMED: usize = 6;
    let agents: Vec<&str> = list(&answer["disallowed_agents"]).filter_map(Value::as_str).collect();
    if agents.is_empty() {
        return;
    }
    let all = &answer["viewpoint"]["agents"];
    if all.as_u64() == u64::try_from(agents.len()).ok() {
        return paper.beside(&Text::new(&format!("all {all} agents shut out")), 2);
    }
    let named = agents.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if agents.len() > NAMED { ", ..." } else { "" };
    paper.beside(&Text::new(&format!("{} of {all} agents shut out: {named}{more}", agents.len())), 2);
}

/// The five labels with whose word decided, and the conflicts.
fn labels(answer: &Value, paper: &mut Paper) {
    let said = |label: &str| word(&answer["labels"][label]);
    let all = Label::ALL.map(Label::as_str);
    let (unknown, decided): (Vec<&str>, Vec<&str>) =
        all.into_iter().partition(|label| said(label) == "unknown");
    let mut name = "labels";
    for label in decided {
        let from: Vec<&str> = list(&answer["labels_from"][label]).filter_map(Value::as_str).collect();
        let told = Text::new(label).to(13).word(said(label)).to(23).plain(&from.join(", "));
        paper.named(name, &told);
        name = "";
    }
    if !unknown.is_empty() {
        paper.named(name, &Text::default().word("unknown").plain(&format!(": {}", unknown.join(", "))));
    }
    conflicts(answer, paper);
}

/// Who contradicts the labels, once for all labels.
fn conflicts(answer: &Value, paper: &mut Paper) {
    let mut told: Vec<((&str, String), Vec<&str>)> = Vec::new();
    for one in list(&answer["overruled"]) {
        let label = word(&one["label"]);
        if !list(&answer["conflict"]).any(|other| other == label) {
            continue;
        }
        let by = (title(word(&one["system"])), ground(one));
        match told.iter_mut().find(|(known, _)| *known == by) {
            Some((_, labels)) => labels.push(label),
            None => told.push((by, vec![label])),
        }
    }
    for ((system, by), labels) in told {
        let text = Text::styled(&labels.join(", "), Style::Unknown).plain(&format!(": {system} says "));
        paper.named("conflict", &text.word("allow").plain(&format!(" (by {by}), which is overruled")));
    }
}

/// Returns what a system's answer rests on.
fn ground(ground: &Value) -> String {
    let text = quoted(word(&ground["text"]));
    match (ground["line"].is_null(), word(&ground["carrier"]), word(&ground["name"])) {
        (false, "robots", _) => rule(ground),
        (false, carrier, _) => format!("{carrier} {}", rule(ground)),
        (true, carrier, "") => format!("{carrier}: {text}"),
        (true, carrier, name) => format!("{carrier} {name}: {text}"),
    }
}

/// One system: what it says, the lines that decided, and others that did not.
fn system(answer: &Value, system: &Value, paper: &mut Paper) {
    let name = word(&system["system"]);
    let title = match title(name) {
        "AIPREF" => format!("AIPREF {}", word(&answer["viewpoint"]["vocabulary"])),
        title => title.to_owned(),
    };
    let grounds: Vec<&Value> = list(&system["grounds"]).collect();
    let said = match title.as_str() {
        "prose" => Text::new("reservations in words, which are not read as preferences"),
        _ => says(answer, &system["says"], name),
    };
    paper.named(&title, &said);
    for one in &grounds {
        paper.beside(&Text::new(&format!("by {}", ground(one))), 3);
    }
    let next = next_rule(answer, system);
    if let Some(next) = next {
        paper.beside(&Text::new(&format!("without it: {}", rule(next))), 2);
    }
    let is_next = |one: &Value| next.is_some_and(|next| next["line"] == one["line"]);
    let elsewhere: Vec<&Value> = list(&system["elsewhere"]).filter(|one| !is_next(one)).collect();
    let name = match (grounds.is_empty(), says_something(system)) {
        (true, true) => "see",
        (true, false) => "seen",
        (false, _) => "also",
    };
    for one in elsewhere.iter().take(SHOWN) {
        let defect = match word(&one["defect"]) {
            "" => String::new(),
            defect => format!(" ({defect})"),
        };
        let told = format!("{name} {}{defect}", ground(one));
        paper.beside(&Text::styled(&told, Style::Faint), name.len() + 1);
    }
    let told = elsewhere.len().min(SHOWN) + usize::from(next.is_some());
    let more = system["elsewhere_count"].as_u64().unwrap_or(0).saturating_sub(told as u64);
    if more > 0 {
        let told = format!("{name} {more} more");
        paper.beside(&Text::styled(&told, Style::Faint), 0);
    }
}

/// Returns the Content-Usage rule that would have counted otherwise.
fn next_rule<'a>(answer: &'a Value, system: &Value) -> Option<&'a Value> {
    let decided = !answer["preference_rule_lines"].as_array()?.is_empty();
    list(&answer["preference_rules_also"]).next().filter(|_| decided && system["system"] == "aipref")
}

fn says_something(system: &Value) -> bool {
    system["says"].as_object().is_some_and(|says| !says.is_empty())
}

/// Returns what the system's columns say, without the system's name in front of each.
fn says(answer: &Value, says: &Value, system: &str) -> Text {
    let mut told = Text::default();
    for (at, (column, value)) in says.as_object().into_iter().flatten().enumerate() {
        let name = without_system(column, system).replace('_', "-");
        let separator = if at == 0 { "" } else { ", " };
        let blank = if name.is_empty() { "" } else { " " };
        told = told.plain(separator).plain(&name);
        told = match value {
            Value::String(said) => told.plain(blank).with(&quoted(said), Style::of(said)),
            Value::Array(values) => told.plain(blank).plain(&texts(values)),
            // A truth says all by its name.
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::Object(_) => told,
        };
    }
    let nothing = says.as_object().is_none_or(serde_json::Map::is_empty);
    match (nothing, word(&answer["robots_crawl"])) {
        (false, _) => told,
        (true, "disallow") => Text::new("nothing that holds for this page, which is closed"),
        (true, _) => Text::new("nothing that holds for this page"),
    }
}

fn texts(values: &[Value]) -> String {
    let text = |value: &Value| match value {
        Value::Array(fields) => fields.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => word(other).to_owned(),
    };
    quoted(&values.iter().map(text).collect::<Vec<_>>().join(", "))
}
