//! A history as text: a paragraph for each run of equal answers, its first day on the left, such as
//! `2026-06-02      10:00:00Z: parsed, 120 bytes, 3 fetches until 2026-08-02T10:00:00Z`.

use crate::cli::explain::rule;
use crate::cli::explain::text::{PageLines, STRONG, Text, WARNING, quoted};
use crate::cli::output::grouped;
use crawlprefs::explain::Citation;
use crawlprefs::explain::history::{
    AccessChange, AgentAccess, AgentChange, AgentNames, CameAndWent, Effect, FileEntry, FileHead,
    HistoryHead, HistoryItem, LabelChange, LabelState, LineChanges, NamedAgents, NotUnderstood,
};
use crawlprefs::web::preference::Preference;

/// The most names, lines and gaps of a list; the others are counted; any number of this size.
const SHOWN: usize = 5;

pub fn render(item: &HistoryItem, is_coloured: bool) -> String {
    let mut lines = PageLines::new(is_coloured);
    match item {
        HistoryItem::About(about) => add_head(about, &mut lines),
        HistoryItem::File(file) => add_file(file, &mut lines),
        HistoryItem::Entry(entry) => add_entry(entry, &mut lines),
    }
    lines.text
}

fn add_head(about: &HistoryHead, lines: &mut PageLines) {
    let subject = about.url.as_deref().unwrap_or(&about.host);
    lines.add_line(Text::styled(&quoted(subject), STRONG));
    let token = quoted(&about.product_token);
    let vocabulary = quoted(&about.vocabulary);
    lines.add_line(format!("for {token}, AIPREF vocabulary {vocabulary}"));
    let page = if about.url.is_some() {
        "this page"
    } else {
        "/"
    };
    let archives = grouped(about.archives_read);
    lines.add_line(format!(
        "by the site index {} ({archives} archives); access and labels are those of {page} by the site's files alone, so that \
         no label is allow",
        quoted(&about.index)
    ));
    if !about.not_asked.is_empty() {
        lines.add_line(format!(
            "not asked (the index has no capture of it): {}",
            about.not_asked.join(", ")
        ));
    }
    let lacking = [
        (
            about.archives_failed,
            "archives of the index could not be read: what they have is missing",
        ),
        (
            about.archives_cut,
            "archives of the index are cut: what is behind their end is missing",
        ),
        (
            about.records_lost,
            "records of the index's archives are lost",
        ),
    ];
    for (count, what) in lacking.into_iter().filter(|(count, _)| *count > 0) {
        lines.add_line(Text::styled(&format!("{} {what}", grouped(count)), WARNING));
    }
}

fn add_file(file: &FileHead, lines: &mut PageLines) {
    lines.add_gap();
    lines.add_line(Text::styled(&quoted(&file.url), STRONG));
    let noted = [
        (file.left_out, "state", "states", "of another time left out"),
        (
            file.replaced,
            "answer",
            "answers",
            "replaced by another one of the same time",
        ),
        (file.undated, "fetch", "fetches", "without a time left out"),
    ];
    let fetches = counted(file.fetches, "fetch", "fetches");
    let mut parts = vec![format!(
        "{fetches}, {}",
        counted(file.runs, "state", "states")
    )];
    let noted = noted.into_iter().filter(|(count, ..)| *count > 0);
    parts.extend(
        noted.map(|(count, one, many, what)| format!("{} {what}", counted(count, one, many))),
    );
    lines.add_faint(&parts.join("; "), 2);
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(count as u64),
        if count == 1 { one } else { many }
    )
}

fn add_entry(entry: &FileEntry, lines: &mut PageLines) {
    let first = entry.run.first.to_string();
    let (day, time) = first.split_once('T').unwrap_or((&first, ""));
    lines.add_named(day, Text::new(&format!("{time}: ")).plain(&what(entry)));
    add_hops(entry, lines);
    for gap in entry.run.gaps.iter().take(SHOWN) {
        add_warning(
            &format!(
                "no fetch for {} days, from {} to {}",
                gap.days, gap.from, gap.to
            ),
            lines,
        );
    }
    add_more(entry.run.gaps_count, "times without a fetch", lines);
    if entry.is_cut {
        add_warning("its end was not received", lines);
    }
    if !entry.unread.is_empty() {
        add_warning(
            &format!("not read in full: {}", quoted(&entry.unread.join(", "))),
            lines,
        );
    }
    if !entry.doubt.is_empty() {
        add_warning(
            &format!("in doubt: {}", quoted(&entry.doubt.join(", "))),
            lines,
        );
    }
    let effect = match entry.effect {
        Effect::First | Effect::Effects => None,
        // What is not understood says it.
        Effect::Lines if entry.not_understood.not_understood_count > 0 => None,
        Effect::Lines => {
            Some("other lines changed: no agent may fetch anything else, and no label changed")
        }
        Effect::Text => {
            Some("nothing that is read changed: only comments, blank lines or the order of lines")
        }
        Effect::Answer => Some("the state and the body are those of before"),
    };
    let again = entry
        .same_as
        .map(|at| format!("the body is that of {at} again"));
    for text in effect.into_iter().chain(again.as_deref()) {
        lines.add_faint(text, 2);
    }
    if let Some(agents) = entry
        .agents
        .as_ref()
        .filter(|_| matches!(entry.effect, Effect::First))
    {
        add_named_agents(agents, lines);
    }
    for change in entry.agent_changes.iter().take(SHOWN) {
        add_agent_change(change, lines);
    }
    add_more(entry.agent_changes_count, "changes of agents", lines);
    add_access(&entry.access, entry.effect, lines);
    for change in &entry.label_changes {
        add_label(change, entry.effect, lines);
    }
    if entry.effect != Effect::First {
        add_other_lines(&entry.lines, lines);
    }
    add_not_understood(entry, lines);
}

fn what(entry: &FileEntry) -> String {
    let bytes = entry
        .body_bytes
        .map(|bytes| format!(", {} bytes", grouped(bytes as u64)));
    let run = &entry.run;
    let fetches = match (run.fetches, run.first == run.last) {
        (0, _) => ", where an earlier redirect leads".to_owned(),
        (1, true) => String::new(),
        (count, _) => format!(
            ", {} until {}",
            counted(count, "fetch", "fetches"),
            run.last
        ),
    };
    format!("{}{}{fetches}", run.seen.state, bytes.unwrap_or_default())
}

fn add_hops(entry: &FileEntry, lines: &mut PageLines) {
    let hops = &entry.run.seen.hops;
    let is_plain = matches!(hops.as_slice(), [hop] if hop.status == Some(200));
    for hop in hops.iter().filter(|_| !is_plain) {
        let status = hop
            .status
            .map_or("status unreadable".to_owned(), |status| status.to_string());
        lines.add_faint(&format!("{status}  {}", quoted(&hop.url)), 2);
    }
    if let Some(target) = hops.last().and_then(|hop| hop.redirect.as_deref()) {
        lines.add_faint(&format!("leads to {}", quoted(target)), 2);
    }
}

fn add_warning(text: &str, lines: &mut PageLines) {
    lines.add_beside(Text::styled(text, WARNING), 2);
}

fn add_more(count: usize, what: &str, lines: &mut PageLines) {
    if count > SHOWN {
        lines.add_faint(
            &format!("and {} more {what}", grouped((count - SHOWN) as u64)),
            2,
        );
    }
}

fn names(names: &AgentNames) -> String {
    let shown: Vec<String> = names
        .names
        .iter()
        .take(SHOWN)
        .map(|name| quoted(name))
        .collect();
    let more = match names.count.saturating_sub(shown.len()) {
        0 => String::new(),
        count => format!(" and {} more", grouped(count as u64)),
    };
    shown.join(", ") + &more
}

fn closed(access: &AgentAccess) -> &'static str {
    match access.closed {
        "full" => "closed",
        "partial" => "closed in part",
        "none" => "open",
        other => other,
    }
}

fn by(access: &AgentAccess) -> &'static str {
    match access.by {
        "name" => " by name",
        "everyone" => " through *",
        _ => "",
    }
}

/// Returns the line on which an access rests, or which is not understood.
fn line_of(access: &AgentAccess) -> String {
    match &access.line {
        None => String::new(),
        Some(line) if access.closed == "unknown" => {
            format!(
                ", line {} is not understood: {}",
                line.line,
                quoted(&line.text)
            )
        }
        Some(line) => format!(", by {}", rule(line)),
    }
}

fn add_named_agents(agents: &NamedAgents, lines: &mut PageLines) {
    for (what, list) in [
        ("closed", &agents.full),
        ("closed in part", &agents.partial),
        ("open", &agents.none),
        ("unknown", &agents.unknown),
    ] {
        if list.count > 0 {
            lines.add_beside(format!("{what} by name: {}", names(list)), 2);
        }
    }
    let everyone = &agents.everyone;
    lines.add_beside(
        format!("through *: {}{}", closed(everyone), line_of(everyone)),
        2,
    );
}

fn add_agent_change(change: &AgentChange, lines: &mut PageLines) {
    let before = &change.before;
    let after = &change.after;
    let everyone = change.agents.names.first().is_some_and(|name| name == "*");
    let agents = if everyone {
        "through *".to_owned()
    } else {
        names(&change.agents)
    };
    let line = line_of(after);
    let named = |access| {
        format!(
            "{}{}",
            closed(access),
            if everyone { "" } else { by(access) }
        )
    };
    let text = if (before.closed, before.by) == (after.closed, after.by) {
        format!("{agents}: {}, by other rules", named(after))
    } else {
        format!("{agents}: {} -> {}{line}", named(before), named(after))
    };
    lines.add_beside(text, 2);
    if before.closed == after.closed {
        add_came_and_went(&change.rules, lines);
    }
}

fn add_came_and_went(changes: &CameAndWent, lines: &mut PageLines) {
    for (sign, of_sign, count) in [
        ('-', &changes.went, changes.went_count),
        ('+', &changes.came, changes.came_count),
    ] {
        for line in of_sign.iter().take(SHOWN) {
            lines.add_faint(&format!("{sign} {}", rule(line)), 4);
        }
        add_more(count, "lines", lines);
    }
}

fn add_access(
    AccessChange { before, after }: &AccessChange,
    effect: Effect,
    lines: &mut PageLines,
) {
    if before.access == after.access && before.reason == after.reason {
        return;
    }
    let reason = match &after.line {
        Some(line) => format!(", by {}", rule(line)),
        None => format!(" ({})", after.reason),
    };
    let text = changed(
        "access",
        before.access,
        after.access,
        effect == Effect::First,
    );
    lines.add_beside(text.plain(&reason), 2);
}

fn add_label(change: &LabelChange, effect: Effect, lines: &mut PageLines) {
    let before = change.before.preference;
    let after = change.after.preference;
    let text = changed(
        change.label.as_str(),
        before,
        after,
        before == after || effect == Effect::First,
    );
    lines.add_beside(text.plain(&answers(&change.after)), 2);
}

fn changed(name: &str, before: Preference, after: Preference, is_after_alone: bool) -> Text {
    let text = Text::new(name).plain(": ");
    let text = if is_after_alone {
        text
    } else {
        text.preference(before).plain(" -> ")
    };
    text.preference(after)
}

/// Returns the answers to a label; marks those that do not decide it as a yes or a no.
fn answers(state: &LabelState) -> String {
    let mut known = Vec::new();
    for answer in &state.answers {
        let word = match answer.preference {
            preference if preference == state.preference => "",
            Preference::Allow => "a yes ",
            Preference::Disallow => "a no ",
            Preference::Unknown => "",
        };
        let text = format!(
            "{word}by {} ({})",
            citation(&answer.citation),
            answer.system
        );
        if !known.contains(&text) {
            known.push(text);
        }
    }
    let more = if state.answers_count > state.answers.len() {
        ", ..."
    } else {
        ""
    };
    if known.is_empty() {
        String::new()
    } else {
        format!(", {}{more}", known.join("; "))
    }
}

fn citation(citation: &Citation) -> String {
    let text = citation.text.as_deref().map(quoted).unwrap_or_default();
    match citation.line {
        Some(line) if citation.carrier == "robots" => format!("line {line}: {text}"),
        Some(line) => format!("{} line {line}: {text}", citation.carrier),
        None => format!("{}: {text}", citation.carrier),
    }
}

fn add_not_understood(entry: &FileEntry, lines: &mut PageLines) {
    let NotUnderstood {
        not_understood,
        not_understood_count,
    } = &entry.not_understood;
    for (place, one) in not_understood.iter().take(SHOWN).enumerate() {
        let is_without_effect = place == 0 && entry.effect == Effect::Lines;
        let text = if is_without_effect {
            format!(
                "no agent may fetch anything else, and no label changed: line {} is not understood: {}",
                one.line,
                quoted(&one.text)
            )
        } else {
            format!("not understood, line {}: {}", one.line, quoted(&one.text))
        };
        add_warning(&text, lines);
        lines.add_faint(&one.message, 4);
    }
    add_more(
        *not_understood_count,
        "lines that are not understood",
        lines,
    );
}

fn add_other_lines(changes: &LineChanges, lines: &mut PageLines) {
    add_came_and_went(&changes.lines, lines);
    if changes.moved && changes.lines.came_count + changes.lines.went_count == 0 {
        lines.add_faint("lines of other documents are in another place", 2);
    }
}
