//! The captures on which a decision rests: their times, their answers, where their records are.

use super::text::{FAINT, PageLines, Text, WARNING, quoted};
use crawlprefs::explain::{CopyRole, PageExplanation, RobotsRequest, Scenario};
use crawlprefs::verdict::timeline::FetchOutcome;
use crawlprefs::verdict::{RecordLocation, Request, RobotsState};
use crawlprefs::web::timestamp::Timestamp;

const SHOWN: usize = 3;

/// When the page was fetched, and where its record is, if that is known.
pub fn add_page(page: &Scenario, lines: &mut PageLines) {
    if page.captures.as_ref().is_some_and(Vec::is_empty) {
        let at = page
            .fetched_at
            .map(|at| format!(" as of {at}"))
            .unwrap_or_default();
        let text = if page.robots.is_empty() && page.site_files.is_empty() {
            "no capture of the page is there, and none of its site's files".to_owned()
        } else {
            format!("no capture of the page is there; by its site's files{at}")
        };
        lines.add_line(Text::styled(&text, WARNING));
    } else if let Some(fetched) = page.fetched_at.filter(|_| page.is_history) {
        let captures = page.captures.iter().flatten();
        let others: Vec<_> = captures
            .filter(|at| **at != page.fetched_at)
            .map(|at| time(*at))
            .collect();
        let there = match others.len() {
            0 => String::new(),
            1 => format!(
                "; there is another capture: {} (--fetched picks one)",
                few(&others)
            ),
            count => format!(
                "; there are {count} other captures: {} (--fetched picks one)",
                few(&others)
            ),
        };
        lines.add_line(format!("fetched {fetched}{there}"));
    }
    if let Some(record) = record(&page.location) {
        lines.add_line(Text::styled(&record, FAINT));
    }
}

fn time(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

fn few(texts: &[String]) -> String {
    let more = if texts.len() > SHOWN { ", ..." } else { "" };
    texts.get(..SHOWN).unwrap_or(texts).join(", ") + more
}

fn record(location: &RecordLocation) -> Option<String> {
    let archive = quoted(location.warc_filename.as_ref()?);
    Some(match location.warc_record_offset {
        Some(offset) => format!("byte {offset} of {archive}"),
        None => format!("in {archive}"),
    })
}

/// The robots.txt: what is known of it, how it was received, and which other copies exist.
pub fn add_robots_txt(page: &PageExplanation<'_>, lines: &mut PageLines) {
    let current = &page.current;
    let file = &page.file;
    let detail = match (page.scenario.is_history, file) {
        (false, Some(file)) => format!(", as given, {} lines", file.lines),
        (false, None) if current.state == RobotsState::Unreadable => meaning(page),
        (false, None) => ": none was given (--robots FILE)".to_owned(),
        (true, _) => match (meaning(page), age(current.age_s, current.stale)) {
            (meaning, None) => meaning,
            (meaning, Some(age)) if meaning.is_empty() => format!(", {age}"),
            (meaning, Some(age)) => format!("{meaning}; {age}"),
        },
    };
    lines.add_named(
        "robots.txt",
        Text::new(current.state.as_str()).plain(&detail),
    );
    if file.as_ref().is_some_and(|file| file.cut) {
        lines.add_beside(
            Text::styled(
                "it is longer, and was read up to its last whole line",
                WARNING,
            ),
            2,
        );
    }
    for vendor in file.iter().flat_map(|file| &file.vendors) {
        let first = vendor.first_line;
        let last = vendor.last_line;
        lines.add_beside(
            format!("lines {first} to {last} are {}'s text", vendor.vendor),
            2,
        );
    }
    if page.scenario.is_history {
        add_received(&page.hops, lines);
        add_copies(&page.copies, lines);
    }
    if let Some(needed_s) = current.slack_needed_s {
        let later = span(needed_s);
        let text = format!(
            "the first copy was fetched {later} later; --robots-slack {needed_s}s would use it"
        );
        lines.add_beside(text, 2);
    }
}

/// Returns what a state means, if its name does not explain it.
fn meaning(page: &PageExplanation<'_>) -> String {
    let is = |meaning: &str| Some(meaning.to_owned());
    let answered = |so: &str| {
        page.hops
            .last()
            .map(|hop| format!("answered {}, {so}", status(hop.request)))
    };
    let meaning = match page.current.state {
        RobotsState::Parsed => None,
        RobotsState::Unavailable if page.current.redirects > 5 => {
            is("more than five redirects, so nothing is closed")
        }
        RobotsState::Unavailable => answered("so nothing is closed"),
        RobotsState::Unreachable => answered("so everything is closed"),
        RobotsState::OtherStatus => answered("which RFC 9309 does not name"),
        RobotsState::RedirectUnresolved => is("it redirects to what is not among the inputs"),
        RobotsState::Unreadable => is("its body is not text, or in a coding that cannot be undone"),
        RobotsState::BodyMissing => is("its body was not kept, or could not be read"),
        RobotsState::Undated => {
            is("dates are missing, so no copy is known to be older than the page")
        }
        RobotsState::NotArchived => is("no copy older than the page is among the inputs"),
    };
    meaning
        .map(|meaning| format!(": {meaning}"))
        .unwrap_or_default()
}

fn age(age_s: Option<i64>, stale: bool) -> Option<String> {
    let age_s = age_s?;
    Some(match (age_s < 0, stale) {
        (true, _) => format!("fetched {} after the page, by the slack", span(-age_s)),
        (false, true) => format!(
            "fetched {} before the page, which is more than a day",
            span(age_s)
        ),
        (false, false) => format!("fetched {} before the page", span(age_s)),
    })
}

/// Returns a time span in its two largest units.
fn span(seconds: i64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let first = units
        .iter()
        .position(|(unit, _)| seconds >= *unit)
        .unwrap_or(units.len() - 1);
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (unit, name) in units.iter().skip(first).take(2) {
        if rest / unit > 0 || parts.is_empty() {
            parts.push(format!("{} {name}", rest / unit));
        }
        rest %= unit;
    }
    parts.join(" ")
}

fn status(request: &Request) -> String {
    match request.answer {
        FetchOutcome::Status(status) => status.to_string(),
        FetchOutcome::StatusUnreadable => "unreadable".to_owned(),
        FetchOutcome::NetworkError => "nothing".to_owned(),
        FetchOutcome::Stored => "stored".to_owned(),
    }
}

fn answered(request: &Request) -> String {
    format!(
        "{}  {}  {}",
        time(request.fetched_at),
        status(request),
        quoted(request.url.as_str())
    )
}

fn add_received(hops: &[RobotsRequest<'_>], lines: &mut PageLines) {
    for hop in hops {
        let to = hop
            .request
            .redirect
            .as_ref()
            .map(|location| format!(", to {}", quoted(location)));
        lines.add_beside(answered(hop.request) + &to.unwrap_or_default(), 2);
        if let Some(record) = record(&hop.request.location) {
            lines.add_faint(&record, 2);
        }
    }
}

fn add_copies(copies: &[RobotsRequest<'_>], lines: &mut PageLines) {
    for (role, title) in [
        (CopyRole::Earlier, "earlier"),
        (CopyRole::Later, "later"),
        (CopyRole::SameTime, "of the same time"),
        (CopyRole::Undated, "undated"),
    ] {
        let others = copies
            .iter()
            .filter(|copy| copy.is == Some(role))
            .map(|copy| copy.request);
        let at = |request: &Request| {
            request
                .fetched_at
                .map(|at| format!("{at} "))
                .unwrap_or_default()
        };
        let mut others: Vec<_> = others
            .map(|request| format!("{}({})", at(request), status(request)))
            .collect();
        if role == CopyRole::Earlier {
            // Those next to the copy that counts come first.
            others.reverse();
        }
        if !others.is_empty() {
            lines.add_faint(&format!("{} {title}: {}", others.len(), few(&others)), 2);
        }
    }
}

/// The site files beside robots.txt that count, if their records are known.
pub fn add_site_files(files: &[&Request], lines: &mut PageLines) {
    let mut name = "site files";
    for file in files {
        let Some(record) = record(&file.location) else {
            continue;
        };
        lines.add_named(name, answered(file));
        name = "";
        lines.add_faint(&record, 2);
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn local_spans_have_their_two_largest_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (4051, "1 h 7 min"),
            (90_000, "1 d 1 h"),
            (86_400, "1 d"),
        ] {
            assert_eq!(span(seconds), expected);
        }
    }
}
