//! Which captures an answer rests on: their times, their answers, where their records stand.

use super::page::{list, word};
use super::paper::{Paper, Style, Text, quoted};
use serde_json::Value;

/// When the page was fetched, and where its record stands, where that is known.
pub fn page(page: &Value, paper: &mut Paper) {
    if let Some(fetched) = page["fetched"].as_str() {
        let others: Vec<&str> = list(&page["captures"]).map(word).filter(|at| *at != fetched).collect();
        paper.line(&Text::new(&format!("fetched {fetched}{}", of_captures(&others))));
    }
    if let Some(told) = record(page) {
        paper.line(&Text::styled(&told, Style::Faint));
    }
}

/// Returns which other captures of the URL there are.
fn of_captures(others: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown = others.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more = if others.len() > SHOWN { ", ..." } else { "" };
    match others.len() {
        0 => String::new(),
        1 => format!("; there is another capture: {shown} (--fetched picks one)"),
        count => format!("; there are {count} other captures: {shown}{more} (--fetched picks one)"),
    }
}

/// Returns where a record stands.
fn record(record: &Value) -> Option<String> {
    let file = record["warc_filename"].as_str()?;
    Some(format!("byte {} of {}", record["warc_record_offset"], quoted(file)))
}

/// The robots.txt: what is known of it, how it was received, and which other copies there are.
pub fn robots_txt(answer: &Value, paper: &mut Paper) {
    let robots = &answer["robots"];
    let hops: Vec<&Value> = list(&robots["hops"]).collect();
    let is_given = answer.get("robots_copy").is_none();
    let state = word(&answer["robots_state"]);
    let told = Text::new(state).plain(&match (is_given, state) {
        (true, "parsed") => format!(", as given, {} lines", robots["lines"]),
        (true, _) => ": none was given".to_owned(),
        (false, _) => match (meaning(state, robots, &hops), age(answer)) {
            (meaning, None) => meaning,
            (meaning, Some(age)) if meaning.is_empty() => format!(", {age}"),
            (meaning, Some(age)) => format!("{meaning}; {age}"),
        },
    });
    paper.named("robots.txt", &told);
    if robots["cut"].as_bool() == Some(true) {
        paper
            .beside(&Text::styled("it is longer, and was read up to its last whole line", Style::Unknown), 2);
    }
    for lines in list(&robots["vendors"]) {
        let (first, last) = (&lines["first_line"], &lines["last_line"]);
        let told = format!("lines {first} to {last} are {}'s text", word(&lines["vendor"]));
        paper.beside(&Text::new(&told), 2);
    }
    if !is_given {
        received(&hops, paper);
        copies(robots, paper);
    }
    if let Some(needed_s) = robots["slack_needed_s"].as_i64() {
        let told =
            format!("the first copy is {} later; --robots-slack {needed_s}s lets it serve", span(needed_s));
        paper.beside(&Text::new(&told), 2);
    }
}

/// Returns what a state means, where its name does not tell.
fn meaning(state: &str, robots: &Value, hops: &[&Value]) -> String {
    let too_many = robots["redirects"].as_u64() > Some(5);
    let last = hops.last().map(|hop| status(hop));
    match (state, last) {
        ("unavailable", _) if too_many => ": more than five redirects, so nothing is closed".to_owned(),
        ("unavailable", Some(status)) => format!(": answered {status}, so nothing is closed"),
        ("unreachable", Some(status)) => format!(": answered {status}, so everything is closed"),
        ("redirect_unresolved", _) => ": it redirects to what is not among the inputs".to_owned(),
        ("other_status", Some(status)) => format!(": answered {status}, which RFC 9309 does not name"),
        ("body_missing", _) => ": its body was not kept, or could not be read".to_owned(),
        ("undated", _) => ": nothing tells whether a copy is older than the page".to_owned(),
        ("not_archived", _) => ": no copy older than the page is among the inputs".to_owned(),
        _ => String::new(),
    }
}

/// Returns how old the copy is that counts.
fn age(answer: &Value) -> Option<String> {
    let age_s = answer["robots_age_s"].as_i64()?;
    Some(match (age_s < 0, answer["stale"].as_bool()) {
        (true, _) => format!("fetched {} after the page, by the slack", span(-age_s)),
        (false, Some(true)) => format!("fetched {} before the page, which is more than a day", span(age_s)),
        (false, _) => format!("fetched {} before the page", span(age_s)),
    })
}

/// Returns a time span in its two largest units.
fn span(seconds: i64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let first = units.iter().position(|(unit, _)| seconds >= *unit).unwrap_or(units.len() - 1);
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

fn status(request: &Value) -> String {
    match &request["status"] {
        Value::Null => "nothing".to_owned(),
        Value::String(word) => word.clone(),
        status => status.to_string(),
    }
}

/// The requests that led to the file, each with its record.
fn received(hops: &[&Value], paper: &mut Paper) {
    for hop in hops {
        let to = match hop["location"].as_str() {
            Some(location) => format!(", to {}", quoted(location)),
            None => String::new(),
        };
        let (at, url) = (word(&hop["fetched"]), quoted(word(&hop["url"])));
        paper.beside(&Text::new(&format!("{at}  {}  {url}{to}", status(hop))), 2);
        if let Some(told) = record(hop) {
            paper.beside(&Text::styled(&told, Style::Faint), 2);
        }
    }
}

/// The other copies.
fn copies(robots: &Value, paper: &mut Paper) {
    const SHOWN: usize = 3;
    for (is, title) in [
        ("earlier", "earlier"),
        ("later", "later"),
        ("same_time", "of the same time"),
        ("undated", "undated"),
    ] {
        let others: Vec<&Value> = list(&robots["copies"]).filter(|copy| word(&copy["is"]) == is).collect();
        if others.is_empty() {
            continue;
        }
        let told = |copy: &&Value| match copy["fetched"].as_str() {
            Some(at) => format!("{at} ({})", status(copy)),
            None => format!("({})", status(copy)),
        };
        let shown: Vec<String> = match is {
            // The ones next to the copy that counts.
            "earlier" => others.iter().rev().take(SHOWN).map(told).collect(),
            _ => others.iter().take(SHOWN).map(told).collect(),
        };
        let more = if others.len() > SHOWN { ", ..." } else { "" };
        let told = format!("{} {title}: {}{more}", others.len(), shown.join(", "));
        paper.beside(&Text::styled(&told, Style::Faint), 2);
    }
}

/// The site files beside robots.txt that were current, where their records are known.
pub fn site_files(answer: &Value, paper: &mut Paper) {
    let mut name = "site files";
    for file in list(&answer["site_files"]).filter(|file| file.get("warc_filename").is_some()) {
        let (at, url) = (word(&file["fetched"]), quoted(word(&file["url"])));
        paper.named(name, &Text::new(&format!("{at}  {}  {url}", status(file))));
        name = "";
        if let Some(told) = record(file) {
            paper.beside(&Text::styled(&told, Style::Faint), 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn local_spans_have_their_two_largest_units() {
        for (seconds, told) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (4051, "1 h 7 min"),
            (90_000, "1 d 1 h"),
            (86_400, "1 d"),
        ] {
            assert_eq!(span(seconds), told);
        }
    }
}
