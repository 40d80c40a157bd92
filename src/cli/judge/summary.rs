//! The results for documents, and the costs of a policy, as text for people.

use crate::cli::output::grouped;
use crawlprefs::judge::files::{Amount, ChangeCounts, Counts, EarlierPlace, FilesTally, Sums};
use crawlprefs::judge::{At, Policy};
use crawlprefs::systems::Label;
use crawlprefs::web::shown::visible;
use std::fmt::Write;
use std::path::Path;

pub fn of_changes(changes: &ChangeCounts, diff: Option<&EarlierPlace>) -> String {
    let ChangeCounts {
        kept,
        removed,
        added,
        dropped,
        new,
        unknown,
        gone,
    } = changes;
    let place = diff.map(ToString::to_string).unwrap_or_default();
    let lines = [
        ("kept then and now", kept),
        ("removed: kept then, dropped now", removed),
        ("added: dropped then, kept now", added),
        ("dropped then and now", dropped),
        ("not judged then", new),
        ("without id and URL, compared with nothing", unknown),
        ("kept then, and not among the documents now", gone),
    ];
    let line = |(name, count): &(&str, &u64)| format!("  {name} {}\n", grouped(**count));
    let lines: String = lines
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(line)
        .collect();
    format!("\nCompared with {place}:\n{lines}")
}

/// Says what the folder beside the documents has of all calls, if this call is only a part of them.
pub fn of_sums(tally: &FilesTally, sums: &Sums, about: &Path) -> String {
    let about = visible(&about.to_string_lossy()).into_owned();
    let is_all = sums.judged == tally.judged + tally.known;
    let all = if is_all {
        String::new()
    } else {
        format!(
            "\nThe costs of all {} of this folder are in {about}\n",
            counted_files(sums.judged)
        )
    };
    let Some(first) = sums.not_judged.first() else {
        return all;
    };
    let count = sums.not_judged.len();
    let first = visible(first);
    format!(
        "{all}\n{count} inputs of this folder are not judged yet, such as {first}: what changed is not written before they are, or \
         before a call with --drop-missing names the others\n"
    )
}

pub fn counted_files(files: usize) -> String {
    if files == 1 {
        "1 file".to_owned()
    } else {
        format!("{files} files")
    }
}

/// Returns the counts of documents, and the ages of the robots.txt of documents if they are asked for.
pub fn of_documents(tally: &FilesTally, times: &[At], has_ages: bool) -> String {
    let counts = &tally.counts;
    let accesses = std::iter::once([counts.allow, counts.disallow, counts.unknown])
        .chain(counts.further.clone());
    let at = |place: usize| {
        times
            .get(place)
            .filter(|_| times.len() > 1)
            .map(|at| format!(" ({at})"))
            .unwrap_or_default()
    };
    let age = |(place, counts): (usize, &[u64; 4])| {
        let (at, [month, year, more, none]) = (at(place), counts.map(grouped));
        format!(
            "  age of robots.txt{at}: up to 30 days {month}, up to 365 {year}, more {more}, without one {none}\n"
        )
    };
    let ages: String = counts
        .robots_ages
        .iter()
        .enumerate()
        .filter(|_| has_ages)
        .map(age)
        .collect();
    let access = |(place, [allow, disallow, unknown]): (usize, [u64; 3])| {
        let at = at(place);
        let [allow, disallow, unknown] = [allow, disallow, unknown].map(grouped);
        format!("  access{at}: allow {allow}, disallow {disallow}, unknown {unknown}\n")
    };
    let access: String = accesses.enumerate().map(access).collect();
    let known = match tally.known {
        0 => String::new(),
        known => format!(", {known} by an earlier call"),
    };
    let files = counted_files(tally.judged + tally.known);
    let read_as =
        |(name, files): (&&str, &usize)| format!("  read as {name}: {}\n", counted_files(*files));
    let dialects: String = tally.dialects.iter().map(read_as).collect();
    let near = match counts.by_url {
        0 => String::new(),
        near => format!(" (with captures of the same URL {})", grouped(near)),
    };
    let labels = labels(counts);
    let notes = notes(counts);
    let [documents, by_record, by_site, unknown_site] = [
        counts.documents,
        counts.by_record,
        counts.by_site,
        counts.unknown_site,
    ]
    .map(grouped);
    format!(
        "Judged {documents} documents of {files}{known}
{dialects}  by the record {by_record}, by the files of the site {by_site}{near}, of unknown sites {unknown_site}
{access}{labels}{ages}{notes}",
    )
}

/// Returns the labels, and of how many documents it was not seen what these say: no share of what is kept stands without it.
fn labels(counts: &Counts) -> String {
    let with = |place: usize| {
        let counted = Label::ALL.into_iter().zip(counts.labels);
        counted
            .map(|(label, counts)| {
                format!(
                    "{} {}",
                    label.as_str(),
                    grouped(counts.get(place).copied().unwrap_or_default())
                )
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    let unseen = match counts.unseen {
        0 => "the headers and metas of all were seen".to_owned(),
        unseen => format!(
            "headers or metas of {} were not seen: what these say is unknown",
            grouped(unseen)
        ),
    };
    let gaps = [
        ("not read in full", &counts.unread),
        ("in doubt, as it may be a no", &counts.doubt),
    ];
    let gaps = gaps
        .into_iter()
        .filter(|(_, counts)| !counts.is_empty())
        .map(|(what, counts)| {
            let counted = counts
                .iter()
                .map(|(name, count)| format!("{name} {}", grouped(*count)));
            format!("  {what}: {}\n", counted.collect::<Vec<_>>().join(", "))
        });
    let gaps: String = gaps.collect();
    format!(
        "  labels allow: {}\n  labels disallow: {}\n  {unseen}\n{gaps}",
        with(0),
        with(1)
    )
}

/// Returns a line for each kind of documents about which something is to be noted.
fn notes(counts: &Counts) -> String {
    let notes = [
        (
            counts.by_other_url,
            "with the id of a record of another URL or time, so by the stricter of both",
            "",
        ),
        (
            counts.intervals,
            "with a date longer than a second, such as a day, so by the strictest answer within it",
            "",
        ),
        (
            counts.by_twin,
            "closed by a newer robots.txt of the other scheme, or with www. or without",
            "",
        ),
        (
            counts.undated,
            "without a date, so unknown",
            " (--at newest judges them by the newest files)",
        ),
        (
            counts.later,
            "with only a later robots.txt of the site, so unknown",
            " (tables that are made with --robots-slack use it)",
        ),
        (
            counts.unjudged,
            "could not be judged, so unknown",
            " (too long, or two members of one name; see prefs_reason)",
        ),
    ];
    let counted = notes.into_iter().filter(|(count, _, _)| *count > 0);
    let note = |(count, what, hint)| format!("  {what}: {}{hint}\n", grouped(count));
    counted.map(note).collect()
}

const SITES: usize = 5;
/// The width of the names of reasons, unless one is longer.
const NAME_WIDTH: usize = 26;
const NAME_INDENT: usize = 2;

/// Returns the table: a line for kept documents and for each reason, and the sites that lose most.
pub fn of_cost(tally: &FilesTally, policy: &Policy) -> String {
    let costs = &tally.counts.costs;
    let mut all = costs.dropped();
    all.add(&costs.kept);
    let mut text = String::from("\n");
    let exceptions = policy
        .exceptions
        .names()
        .map(|name| name.len() + "by  alone".len());
    let longest = policy
        .rules
        .iter()
        .map(|rule| rule.name.len())
        .chain(exceptions)
        .max();
    let longest = longest.map(|longest| longest + NAME_INDENT + 1);
    let width = longest.unwrap_or_default().max(NAME_WIDTH);
    row(
        &mut text,
        width,
        ["", "documents", "", "text bytes", "tokens", "alone"],
    );
    let mut line = |name: &str, amount: &Amount, alone: Option<&Amount>| {
        let tokens = amount.tokens.map(grouped).unwrap_or_default();
        let alone = alone
            .map(|alone| grouped(alone.documents))
            .unwrap_or_default();
        let share = percent(amount.documents, all.documents);
        let documents = grouped(amount.documents);
        let bytes = grouped(amount.text_bytes);
        row(
            &mut text,
            width,
            [name, &documents, &share, &bytes, &tokens, &alone],
        );
    };
    line("kept", &costs.kept, None);
    for (name, amount) in policy.exceptions.names().zip(&costs.excepted) {
        line(&format!("{:NAME_INDENT$}by {name} alone", ""), amount, None);
    }
    line("dropped", &costs.dropped(), None);
    for ((rule, amount), alone) in policy.rules.iter().zip(&costs.reasons).zip(&costs.alone) {
        line(
            &format!("{:NAME_INDENT$}{}", "", rule.name),
            amount,
            Some(alone),
        );
    }
    let Some(sums) = &tally.sums else { return text };
    if !sums.sites.is_empty() {
        let _ = writeln!(
            text,
            "\nOf {} sites, these lose most:",
            grouped(sums.site_count)
        );
    }
    for site in sums.sites.iter().take(SITES) {
        let _ = writeln!(
            text,
            "  {:40} {:>11}",
            site.site,
            grouped(site.dropped.documents)
        );
    }
    text
}

fn row(text: &mut String, width: usize, [name, documents, share, bytes, tokens, alone]: [&str; 6]) {
    let line = format!("{name:width$}{documents:>11}{share:>8}{bytes:>13}{tokens:>11}{alone:>9}");
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}", line.trim_end());
}

#[allow(clippy::cast_precision_loss)] // shown with one decimal
fn percent(part: u64, all: u64) -> String {
    if all == 0 {
        String::new()
    } else {
        format!("{:.1} %", 100.0 * part as f64 / all as f64)
    }
}
