//! The explanation of a page as text: whether it may be fetched, by which lines, and what each system states.

use super::requests;
use super::text::{FAINT, PageLines, STRONG, Text, WARNING, quoted};
use crate::cli::summary::without_system;
use crawlprefs::PageDecision;
use crawlprefs::explain::lint::Severity;
use crawlprefs::explain::{
    Citation, GroupAgents, PageExplanation, PageLint, RobotsFile, RobotsLine, SystemExplanation,
};
use crawlprefs::systems::{Label, SYSTEMS, Value};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::product_token::TokenMatch;
use crawlprefs::web::url::PageUrl;

/// The most lines shown of a kind that may have any number; the others are counted.
const SHOWN: usize = 3;

/// `method` is the one that automation-preferences.txt was asked for.
pub fn text(page: &PageExplanation<'_>, method: &str, is_coloured: bool) -> String {
    let mut lines = PageLines::new(is_coloured);
    add_head(page, &mut lines);
    add_crawl(page, method, &mut lines);
    requests::add_robots_txt(page, &mut lines);
    add_labels(page, &mut lines);
    let (silent, others): (Vec<_>, Vec<_>) =
        page.systems.iter().partition(|system| system.is_silent());
    for system in others {
        add_system(page, system, &mut lines);
    }
    add_lints(page, &mut lines);
    add_vendors(page, &mut lines);
    requests::add_site_files(&page.site_files, &mut lines);
    let silent: Vec<&str> = silent.iter().map(|system| system.about.title).collect();
    if !silent.is_empty() {
        lines.add_named("no statement", Text::styled(&silent.join(", "), FAINT));
    }
    lines.text
}

/// What `lint` finds on the lines and fields that matter for the page, and how to write it.
fn add_lints(page: &PageExplanation<'_>, lines: &mut PageLines) {
    for (number, lint) in page.lints.listed.iter().take(SHOWN).enumerate() {
        let style = match lint.severity {
            Severity::Error => STRONG,
            Severity::Warning => WARNING,
        };
        let text = Text::styled(lint.severity.as_str(), style).plain(&format!(
            " {}, {}",
            lint.code,
            at_place(lint)
        ));
        lines.add_named(if number == 0 { "lint" } else { "" }, text);
        lines.add_faint(&format!("  {}", lint.message), 2);
        for write in lint.write.iter().flat_map(|write| write.lines()) {
            lines.add_beside(
                Text::new("  write ").and(Text::styled(&quoted(write), STRONG)),
                2,
            );
        }
    }
    match page.lints.count.saturating_sub(SHOWN) {
        0 => {}
        more => lines.add_faint(&format!("and {more} more (crawlprefs lint shows all)"), 0),
    }
}

/// Returns a line or field with its place.
fn at_place(found: &PageLint) -> String {
    let file = match found.carrier {
        "robots" => String::new(),
        other => format!("{other} "),
    };
    match found.line {
        Some(line) => format!("{file}{}", numbered(line, &found.text, None)),
        None => format!("{file}{}", quoted(&found.text)),
    }
}

/// What vendors document about rules of the page; it binds their own crawlers only.
fn add_vendors(page: &PageExplanation<'_>, lines: &mut PageLines) {
    for (number, one) in page.vendor_meanings().into_iter().enumerate() {
        let text = format!(
            "{} ({}) on {}: {}",
            one.vendor, one.date, one.rule, one.meaning
        );
        if number == 0 {
            lines.add_named("vendors", text);
        } else {
            lines.add_beside(text, 3);
        }
    }
    if let Some(fallback) = page.fallback() {
        lines.add_named("by its vendor", fallback);
    }
}

fn add_head(page: &PageExplanation<'_>, lines: &mut PageLines) {
    let scenario = page.scenario;
    let viewpoint = &page.scenario.viewpoint;
    lines.add_line(Text::styled(
        &quoted(scenario.url.as_ref().map_or("", PageUrl::as_str)),
        STRONG,
    ));
    let prefix = match viewpoint.token_match {
        TokenMatch::Prefix => ", names cut to prefixes",
        TokenMatch::Exact => "",
    };
    let token = quoted(viewpoint.token.as_str());
    let vocabulary = quoted(viewpoint.vocabulary.name());
    lines.add_line(format!(
        "for {token}{prefix}, AIPREF vocabulary {vocabulary}"
    ));
    requests::add_page(scenario, lines);
    let gaps = [
        ("not read in full", &page.decision.unread),
        ("not seen", &page.decision.not_seen),
    ];
    for (what, carriers) in gaps
        .into_iter()
        .filter(|(_, carriers)| !carriers.is_empty())
    {
        let text = format!(
            "{what}: {}; so no label is allow",
            quoted(&carriers.join(", "))
        );
        lines.add_line(Text::styled(&text, WARNING));
    }
    let not_asked = scenario.not_asked();
    if !not_asked.is_empty() {
        lines.add_line(format!(
            "not asked (no input has a capture of it): {}",
            not_asked.join(", ")
        ));
    }
    for doubt in page.doubts.iter().take(SHOWN) {
        let why = match doubt.reason {
            "line_lost" => "was meant as a rule and cannot be read",
            _ => "may be a no that is not understood",
        };
        lines.add_line(Text::styled(
            &format!("in doubt: {} ({why})", citation(&doubt.citation)),
            WARNING,
        ));
    }
    lines.add_gap();
}

/// Whether the page may be fetched, by which line, and what would have decided otherwise.
fn add_crawl(page: &PageExplanation<'_>, method: &str, lines: &mut PageLines) {
    let decision = &page.decision;
    lines.add_named(
        "crawl",
        Text::default()
            .preference(decision.access)
            .plain(&reason(page)),
    );
    if let Some(file) = &page.file {
        add_around(file, decision, lines);
        add_otherwise(file, decision, lines);
    }
    if let Some(replaced) = page.file.as_ref().and_then(|file| file.replaced.as_ref()) {
        let by = replaced
            .line
            .as_ref()
            .map(|line| format!(" ({})", rule(line)))
            .unwrap_or_default();
        let text = Text::new("the group for * says ").preference(replaced.access);
        lines.add_beside(
            text.plain(&format!("{by}, but a named group replaces it")),
            2,
        );
    }
    let scope = page
        .automation
        .as_ref()
        .and_then(|one| one.group_scope.as_ref().zip(one.method_allowed));
    if let Some((scope, allowed)) = scope {
        let word = if allowed { "allow" } else { "disallow" };
        let text =
            Text::new(&format!("automation-preferences.txt: {} ", quoted(method))).word(word);
        lines.add_beside(text.plain(&format!(", scope {}", quoted(scope))), 2);
    }
    add_disallowed(decision, page.agents, lines);
}

fn add_around(file: &RobotsFile, decision: &PageDecision, lines: &mut PageLines) {
    for line in file.around.iter().flatten() {
        let text = quoted(&line.text);
        if text.trim().is_empty() {
            continue;
        }
        let decided = decision.access_line == Some(line.line);
        let (mark, style) = if decided { ('>', STRONG) } else { (' ', FAINT) };
        lines.add_beside(
            Text::styled(&format!("{mark} {:>4}  {text}", line.line), style),
            8,
        );
    }
}

fn reason(page: &PageExplanation<'_>) -> String {
    let groups = page.file.as_ref().map_or(&[][..], |file| &file.group);
    let group = match groups {
        [] => "no group".to_owned(),
        [group] => format!("the group for {}", agents(group)),
        [first, ..] => format!(
            "the {} groups from that for {} on",
            groups.len(),
            agents(first)
        ),
    };
    match (page.decision.access_reason, page.decision.access_line) {
        (_, Some(line)) => {
            let mut around = page.file.iter().flat_map(|file| &file.around).flatten();
            let decided = around.find(|other| other.line == line);
            let vendor = decided
                .map(|line| vendor(line.managed_by.as_deref()))
                .unwrap_or_default();
            format!(", by line {line} of robots.txt{vendor}, in {group}")
        }
        ("no_rule", None) => format!(", because no line of {group} matches"),
        ("no_group", None) => {
            let token = quoted(page.scenario.viewpoint.token.as_str());
            format!(", because robots.txt has no group for {token} or for *")
        }
        ("robots_txt_itself", None) => ", because /robots.txt may always be fetched".to_owned(),
        (state, None) => format!(", because robots.txt is {state}"),
    }
}

fn agents(group: &GroupAgents) -> String {
    let line = group
        .line
        .map_or("null".to_owned(), |line| line.to_string());
    format!("{} (line {line})", quoted(&group.agents))
}

/// The rules that match beside the one that decided.
fn add_otherwise(file: &RobotsFile, decision: &PageDecision, lines: &mut PageLines) {
    if decision.access_line.is_none() {
        return;
    }
    let Some((next, rest)) = file.also.split_first() else {
        if decision.access == Preference::Disallow {
            let other = Text::new("without it: ").word("allow");
            lines.add_beside(
                other.plain(", because no other line of the group matches"),
                2,
            );
        }
        return;
    };
    let text = Text::new("without it: ").preference(next.access);
    lines.add_beside(text.plain(&format!(", by {}", rule(&next.line))), 2);
    if !rest.is_empty() {
        let shown: Vec<String> = rest
            .iter()
            .take(SHOWN)
            .map(|other| rule(&other.line))
            .collect();
        let count = file.also_count.saturating_sub(1);
        let others = if count == 1 { "line" } else { "lines" };
        let more = match count.saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let text = format!(
            "{count} other {others} matched too: {}{more}",
            shown.join("; ")
        );
        lines.add_beside(text, 2);
    }
}

pub fn rule(line: &RobotsLine) -> String {
    numbered(line.line, &line.text, line.managed_by.as_deref())
}

fn numbered(line: u32, text: &str, managed_by: Option<&str>) -> String {
    format!("line {line}: {}{}", quoted(text), vendor(managed_by))
}

fn vendor(vendor: Option<&str>) -> String {
    vendor
        .map(|vendor| format!(" ({vendor}'s text)"))
        .unwrap_or_default()
}

fn add_disallowed(decision: &PageDecision, all: usize, lines: &mut PageLines) {
    const NAMED: usize = 6;
    let agents = &decision.disallowed_agents_at_least;
    let at_least = if decision.disallowed_agents.is_some() {
        ""
    } else {
        "at least "
    };
    let text = match agents.len() {
        0 => return,
        count if count == all => format!("none of {all} agents may fetch it"),
        count => {
            let named = agents
                .iter()
                .take(NAMED)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            let more = if count > NAMED { ", ..." } else { "" };
            format!(
                "{at_least}{count} of {all} agents may not fetch it: {}{more}",
                quoted(&named)
            )
        }
    };
    lines.add_beside(text, 2);
}

fn add_labels(page: &PageExplanation<'_>, lines: &mut PageLines) {
    let mut name = "labels";
    let mut unknown = Vec::new();
    for label in Label::ALL {
        let preference = page.decision.label(label);
        if preference == Preference::Unknown {
            unknown.push(label.as_str());
            continue;
        }
        let text = Text::new(label.as_str())
            .to(13)
            .preference(preference)
            .to(23);
        lines.add_named(
            name,
            text.plain(&page.decision.label_from(label).join(", ")),
        );
        name = "";
    }
    if !unknown.is_empty() {
        lines.add_named(
            name,
            Text::default()
                .word("unknown")
                .plain(&format!(": {}", unknown.join(", "))),
        );
    }
    add_conflicts(page, lines);
}

/// The answers that contradict the labels, each once for all labels.
fn add_conflicts(page: &PageExplanation<'_>, lines: &mut PageLines) {
    let mut conflicts: Vec<((&str, String), Vec<&str>)> = Vec::new();
    for one in page
        .overruled
        .iter()
        .filter(|one| page.decision.conflict.contains(&one.label))
    {
        let system = SYSTEMS
            .iter()
            .map(|system| system.about())
            .find(|about| about.name == one.system);
        let by = (
            system.map_or(one.system, |about| about.title),
            citation(&one.citation),
        );
        match conflicts.iter_mut().find(|(known, _)| *known == by) {
            Some((_, labels)) => labels.push(one.label.as_str()),
            None => conflicts.push((by, vec![one.label.as_str()])),
        }
    }
    for ((system, by), labels) in conflicts {
        let text = Text::styled(&labels.join(", "), WARNING).plain(&format!(": {system} says "));
        lines.add_named(
            "conflict",
            text.word("allow").plain(&format!(" (by {by}), overruled")),
        );
    }
}

fn citation(citation: &Citation) -> String {
    let text = citation.text.as_deref().unwrap_or_default();
    let carrier = citation.carrier;
    let name = &citation.name;
    match (citation.line, name) {
        (Some(line), _) => {
            let rule = numbered(line, text, citation.managed_by.as_deref());
            if carrier == "robots" {
                rule
            } else {
                format!("{carrier} {rule}")
            }
        }
        (None, Some(name)) => format!("{carrier} {}: {}", quoted(name), quoted(text)),
        (None, None) => format!("{carrier}: {}", quoted(text)),
    }
}

/// One system: what it states, the lines that decided, and others that did not.
fn add_system(page: &PageExplanation<'_>, system: &SystemExplanation, lines: &mut PageLines) {
    let title = match system.about.name {
        "aipref" => format!(
            "{} {}",
            system.about.title,
            quoted(page.scenario.viewpoint.vocabulary.name())
        ),
        _ => system.about.title.to_owned(),
    };
    lines.add_named(&title, stated(page, system));
    for ground in &system.grounds {
        lines.add_beside(format!("by {}", citation(ground)), 3);
    }
    // The Content-Usage rule that would have counted otherwise.
    let has_next = system.about.name == "aipref" && !page.aipref.rules.is_empty();
    let next = page.aipref.also.first().filter(|_| has_next);
    if let Some(next) = next {
        lines.add_beside(format!("without it: {}", rule(next)), 2);
    }
    let is_next = |one: &&Citation| next.is_some_and(|next| Some(next.line) == one.line);
    let elsewhere: Vec<&Citation> = system
        .elsewhere
        .iter()
        .filter(|one| !is_next(one))
        .collect();
    let name = match (system.grounds.is_empty(), system.stated().next().is_some()) {
        (true, true) => "see",
        (true, false) => "seen",
        (false, _) => "also",
    };
    for one in elsewhere.iter().take(SHOWN) {
        let defect = one
            .defect
            .map(|defect| format!(" ({defect})"))
            .unwrap_or_default();
        lines.add_faint(&format!("{name} {}{defect}", citation(one)), name.len() + 1);
    }
    let listed = elsewhere.len().min(SHOWN) + usize::from(next.is_some());
    match system.elsewhere_count.saturating_sub(listed) {
        0 => {}
        more => lines.add_faint(&format!("{name} {more} more"), 0),
    }
}

/// Returns what the columns of a system hold, without the system's name before each.
fn stated(page: &PageExplanation<'_>, system: &SystemExplanation) -> Text {
    if system.about.name == "prose" {
        return Text::new("reservations in words, which are not read as preferences");
    }
    let mut columns: Vec<_> = system.stated().collect();
    columns.sort_by_key(|(column, _)| column.name);
    let mut text = Text::default();
    for (at, (column, value)) in columns.iter().enumerate() {
        let name = without_system(column.name, system.about).replace('_', "-");
        let separator = if at == 0 { "" } else { ", " };
        let blank = if name.is_empty() { "" } else { " " };
        text = text.plain(separator).plain(&name);
        text = match value {
            Value::Word(word) => text.plain(blank).word(word),
            Value::Text(other) => text.plain(blank).word(&quoted(other)),
            Value::Texts(texts) => text.plain(blank).plain(&quoted(&texts.join(", "))),
            Value::Structs(structs) => text.plain(blank).plain(&structs_text(structs)),
            // A truth needs only its name.
            Value::Truth(_) | Value::Null => text,
        };
    }
    match (columns.is_empty(), page.decision.access) {
        (false, _) => text,
        (true, Preference::Disallow) => {
            Text::new("nothing that holds for this page, which is closed")
        }
        (true, Preference::Allow | Preference::Unknown) => {
            Text::new("nothing that holds for this page")
        }
    }
}

fn structs_text(structs: &[Vec<Option<String>>]) -> String {
    let text = |fields: &Vec<Option<String>>| {
        fields
            .iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    quoted(&structs.iter().map(text).collect::<Vec<_>>().join(", "))
}
