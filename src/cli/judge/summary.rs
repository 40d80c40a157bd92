//! What came of documents, as text for people.

use crate::cli::messages::grouped;
use crawlprefs::judge::At;
use crawlprefs::judge::files::{ChangeCounts, Counts, EarlierPlace, FilesTally, Sums};
use crawlprefs::web::shown::visible;
use std::path::Path;

/// Returns what changed since an earlier judgement.
pub fn of_changes(changes: &ChangeCounts, diff: Option<&EarlierPlace>) -> String {
    let ChangeCounts { kept, removed, added, dropped, new, unknown, gone } = changes;
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
    let lines: String = lines.iter().filter(|(_, count)| **count > 0).map(line).collect();
    format!("\nCompared with {place}:\n{lines}")
}

/// Returns what the folder beside that of the documents has of all calls, where this call is not all of them.
pub fn of_sums(tally: &FilesTally, sums: &Sums, about: &Path) -> String {
    let about = visible(&about.to_string_lossy()).into_owned();
    let is_all = sums.judged == tally.judged + tally.known;
    let all = if is_all {
        String::new()
    } else {
        format!("\nThe costs of all {} of this folder are in {about}\n", counted_files(sums.judged))
    };
    let Some(first) = sums.not_judged.first() else { return all };
    let (count, first) = (sums.not_judged.len(), visible(first));
    format!(
        "{all}\n{count} inputs of this folder are not judged yet, such as {first}: what changed is not written before they are, or \
         before a call with --drop-missing names the others\n"
    )
}

fn counted_files(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Whether the ages of robots.txt are shown.
#[derive(Clone, Copy)]
pub enum Ages {
    Shown,
    Left,
}

/// Returns how old the robots.txt of documents were, by the times.
fn of_ages(counts: &Counts, at: &dyn Fn(usize) -> String) -> String {
    let age = |(place, counts): (usize, &[u64; 4])| {
        let (at, [month, year, more, none]) = (at(place), counts.map(grouped));
        format!(
            "  age of robots.txt{at}: up to 30 days {month}, up to 365 {year}, more {more}, without one {none}\n"
        )
    };
    counts.robots_ages.iter().enumerate().map(age).collect()
}

/// Returns what was counted of documents.
pub fn of_documents(tally: &FilesTally, times: &[At], ages: Ages) -> String {
    let counts = &tally.counts;
    let accesses =
        std::iter::once([counts.allow, counts.disallow, counts.unknown]).chain(counts.further.clone());
    let at = |place: usize| {
        times.get(place).filter(|_| times.len() > 1).map(|at| format!(" ({at})")).unwrap_or_default()
    };
    let ages = match ages {
        Ages::Shown => of_ages(counts, &at),
        Ages::Left => String::new(),
    };
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
    let read_as = |(name, files): (&&str, &usize)| format!("  read as {name}: {}\n", counted_files(*files));
    let dialects: String = tally.dialects.iter().map(read_as).collect();
    let near = match counts.by_url {
        0 => String::new(),
        near => format!(" (with captures of the same URL {})", grouped(near)),
    };
    let notes = [
        (counts.by_other_host, "by a record of another host than the URL's, so by the stricter of both", ""),
        (counts.undated, "without a date, so unknown", " (--at newest judges them by the newest files)"),
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
    let lines: Vec<String> =
        counted.map(|(count, what, hint)| format!("  {what}: {}{hint}\n", grouped(count))).collect();
    let notes = lines.concat();
    format!(
        "Judged {} documents of {files}{known}
{dialects}  by the record in the tables {}, by the files of the site {}{near}, of unknown sites {}
{access}{ages}{notes}",
        grouped(counts.documents),
        grouped(counts.by_record),
        grouped(counts.by_site),
        grouped(counts.unknown_site),
    )
}
