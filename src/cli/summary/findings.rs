//! The findings that come first in a summary, at most five, and advice, as sentences, such as
//! `robots.txt closes 18 of 93 pages (19.4%) to CCBot, and 1 (1.1%) more by a server error (5xx).`

use super::ShownCrawl;
use super::sections::{subject, use_words};
use super::text::{SummaryText, count, out_of, with_share};
use crate::cli::args::ViewArgs;
use crawlprefs::job::{HostTally, ResolveTally};
use crawlprefs::runs::Scope;
use crawlprefs::systems::Label;
use crawlprefs::verdict::RobotsState;
use std::collections::BTreeMap;

pub fn add_findings(text: &mut SummaryText, shown: &ShownCrawl<'_>, view: &ViewArgs) {
    let tally = shown.tally;
    let agents = shown.hosts.and_then(agents);
    let found = [
        access(shown, view),
        agents,
        training(shown),
        contradictions(tally),
        readings(tally),
    ];
    let advice = [without_robots(shown), slack(tally), own_segment(view)];
    for (title, sentences) in [
        ("Findings", found.as_slice()),
        ("What would make less unknown", &advice),
    ] {
        if sentences.iter().any(Option::is_some) {
            text.add_heading(title);
        }
        for sentence in sentences.iter().flatten() {
            text.add_item(sentence);
        }
    }
}

fn access(shown: &ShownCrawl<'_>, view: &ViewArgs) -> Option<String> {
    let tally = shown.tally;
    (subject(shown).1 == "pages").then(|| {
        let errors = count(&tally.robots_states, RobotsState::Unreachable.as_str());
        let closed = out_of(count(&tally.access, "disallow").saturating_sub(errors), tally.pages, "pages");
        let by_error = match errors {
            0 => String::new(),
            errors => format!(", and {} more by a server error (5xx)", with_share(errors, tally.pages)),
        };
        let unknown = with_share(count(&tally.access, "unknown"), tally.pages);
        format!(
            "robots.txt closes {closed} to {}{by_error}. For {unknown} it is unknown: do not take that for a yes.{}",
            view.viewpoint.agent(),
            ages(tally)
        )
    })
}

/// Says how old the robots.txt were, if any was older than the day that RFC 9309 2.4 gives it.
fn ages(tally: &ResolveTally) -> String {
    match tally.robots_ages() {
        Some((median, largest)) if largest > 0 => {
            format!(
                " The copies of robots.txt were up to {largest} days old, in the median {median}."
            )
        }
        Some(_) | None => String::new(),
    }
}

fn agents(hosts: &HostTally) -> Option<String> {
    let answering = hosts.answering;
    let by_name = most_closed_by_name(hosts).map_or(String::new(), |(token, most)| {
        let all = with_share(hosts.closing_by_name, answering);
        let most = with_share(most, answering);
        format!(" {all} close everything to agents that they name, most often to {token}: {most}.")
    });
    (answering > 0).then(|| {
        let others = out_of(hosts.closing_to_others, answering, "hosts that answer");
        format!("{others} close everything to every agent that they do not name.{by_name}")
    })
}

/// Returns the agent to which the most hosts close everything by name, and their number.
pub fn most_closed_by_name(hosts: &HostTally) -> Option<(&str, u64)> {
    let most = hosts
        .closed_by_name
        .iter()
        .max_by_key(|(token, hosts)| (**hosts, std::cmp::Reverse(*token)));
    most.map(|(token, hosts)| (token.as_str(), *hosts))
}

fn training(shown: &ShownCrawl<'_>) -> Option<String> {
    let (whole, unit, labels) = subject(shown);
    let said = labels.get(Label::TrainAi.as_str())?;
    let no = out_of(count(said, "disallow"), whole, unit);
    let yes = with_share(count(said, "allow"), whole);
    Some(format!(
        "{no} say no to training AI, {yes} say yes. For the others it is not known."
    ))
}

fn contradictions(tally: &ResolveTally) -> Option<String> {
    let (pages, label) = most_pages(&tally.conflicts, tally)?;
    Some(format!(
        "On {pages} statements contradict each other about {label}. They count as a no."
    ))
}

/// Pages do not contradict themselves if two documents read one field in two ways.
fn readings(tally: &ResolveTally) -> Option<String> {
    let (pages, label) = most_pages(&tally.conflicts_of_readings, tally)?;
    Some(format!(
        "On {pages} one field says yes to {label} by one document and no by another. It counts as a no."
    ))
}

/// Returns the label with the most pages, and their number.
fn most_pages(
    counts: &BTreeMap<String, u64>,
    tally: &ResolveTally,
) -> Option<(String, &'static str)> {
    let (label, pages) = counts
        .iter()
        .max_by_key(|(label, pages)| (**pages, std::cmp::Reverse(*label)))?;
    Some((
        out_of(*pages, tally.pages, "pages"),
        use_words(Label::named(label)?),
    ))
}

fn without_robots(shown: &ShownCrawl<'_>) -> Option<String> {
    let tally = shown.tally;
    let missing =
        count(&tally.robots_states, "not_archived").saturating_sub(tally.slack_would_help);
    let pages = out_of(missing, tally.pages, "pages");
    let advice = if shown.is_of_common_crawl() {
        "Common Crawl spreads a host over all files of a segment: give it the segment's whole robotstxt/, about 1.5 GB."
    } else {
        "Add the archives in which the crawler stored it, or one of your own (docs/libraries.md)."
    };
    (missing > 0).then(|| format!("For {pages} the inputs have no earlier robots.txt. {advice}"))
}

fn slack(tally: &ResolveTally) -> Option<String> {
    let pages = out_of(tally.slack_would_help, tally.pages, "pages");
    let needed = duration(tally.slack_needed_s);
    (tally.slack_would_help > 0).then(|| {
        format!(
            "For {pages} robots.txt was only fetched afterwards, within a day: --robots-slack {needed} would use it."
        )
    })
}

/// KNOW-2: says that a narrower scope was asked for.
fn own_segment(view: &ViewArgs) -> Option<String> {
    (view.scope == Scope::Segment).then(|| {
        "Only robots.txt of a page's own segment counts, by --scope segment: without it, those of all inputs do.".to_owned()
    })
}

/// Formats a time of at most a day for --robots-slack, rounded up to a unit that gives a small number.
fn duration(seconds: i64) -> String {
    match seconds {
        ..=180 => format!("{seconds}s"),
        181..=10_800 => format!("{}m", (seconds + 59) / 60),
        10_801.. => format!("{}h", (seconds + 3599) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn local_a_slack_is_printed_in_a_fitting_unit_and_never_too_short() {
        for (seconds, text) in [
            (1, "1s"),
            (60, "60s"),
            (181, "4m"),
            (497, "9m"),
            (10_800, "180m"),
            (10_801, "4h"),
            (86_400, "24h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
