//! The names of an archive's evidence and of its batch of the tables.
//!
//! Both depend on the archive's name alone: never on a position in a list, on the number of workers, on `--slice` or `--limit`.
//! Example: the evidence `17.1-warc-CC-MAIN-20260810060000-20260810090000-00003` is in the batch `17.1-warc-0000`; that of
//! `site/a.warc.gz` is `a-` and ten digits, in the batch `other-` and two.

use crate::archive::{ArchiveName, Subset};
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::fmt::Write;

/// The number of batches for all archives without a number, so that 10,000 small archives are not 10,000 files.
const BUCKETS: u8 = 64;

/// How many of Common Crawl's files make a batch: files of about a gigabyte, or of a megabyte.
fn files_per_batch(subset: Subset) -> u32 {
    match subset {
        Subset::Warc | Subset::CrawlDiagnostics => 50,
        Subset::RobotsTxt => 250,
    }
}

/// Returns the name of an archive's evidence, without an ending.
pub fn evidence_stem(name: &ArchiveName) -> String {
    let file = name.filename().rsplit('/').next().unwrap_or_default();
    let named = |ending, kind| {
        file.strip_suffix(ending)
            .filter(|stem| plain(stem) == *stem)
            .zip(Some(kind))
    };
    let subset = name.subset().map(Subset::as_str);
    let stem =
        named(".warc.gz", subset.unwrap_or_default()).or_else(|| named(".warc.wat.gz", "wat"));
    if let (Some(segment), Some(_), Some(_), Some((stem, kind))) =
        (name.segment(), subset, name.number(), stem)
    {
        return format!("{}-{kind}-{stem}", segment_text(segment));
    }
    let stem = file.strip_suffix(".gz").unwrap_or(file);
    digested(stem.strip_suffix(".warc").unwrap_or(stem), name.filename())
}

/// Returns the name of the batch that an archive belongs to; a batch never spans segments.
pub fn batch_id(name: &ArchiveName) -> String {
    let bucket = || {
        let digest = Sha1::digest(name.filename().as_bytes());
        digest.first().map_or(0, |byte| byte % BUCKETS)
    };
    match (name.segment(), name.subset(), name.number()) {
        (Some(segment), Some(subset), Some(number)) => {
            format!(
                "{}-{}-{:04}",
                segment_text(segment),
                subset.as_str(),
                number / files_per_batch(subset)
            )
        }
        (Some(segment), _, _) => format!("{}-other-{:02}", segment_text(segment), bucket()),
        (None, _, _) => format!("other-{:02}", bucket()),
    }
}

/// Returns the name of a Common Crawl archive, given that of its evidence, if no archive of another segment or batch can have
/// it; the part before the segment is made up. Names with a digest, or of a segment with a hyphen, give `None`.
pub fn archive_of_stem(stem: &str) -> Option<ArchiveName> {
    let (segment, rest) = stem.split_once('-')?;
    let (kind, file) = rest.split_once('-')?;
    let times_and_number = file.strip_prefix("CC-MAIN-")?;
    let lengths = times_and_number.split('-').map(|part| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(part.len())
    });
    if !lengths.eq([Some(14), Some(14), Some(5)]) {
        return None;
    }
    let ending = if kind == "wat" {
        ".warc.wat.gz"
    } else {
        ".warc.gz"
    };
    let name = ArchiveName::new(&format!(
        "crawl-data/any/segments/{segment}/{kind}/{file}{ending}"
    ));
    (evidence_stem(&name) == stem).then_some(name)
}

/// A text that a person recognises, as the beginning of a file's name, and digits that distinguish `whole` from others.
fn digested(text: &str, whole: &str) -> String {
    const SHOWN_CHARACTERS: usize = 80;
    let plain = plain(text);
    // Engines and our own lists skip names that begin with a dot; some engines also skip those with an underscore.
    let mut name: String = plain
        .trim_start_matches(['.', '_'])
        .chars()
        .take(SHOWN_CHARACTERS)
        .collect();
    name.push('-');
    for byte in Sha1::digest(whole.as_bytes()).iter().take(5) {
        // Writing to a String does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// A segment as it is in names of files.
fn segment_text(segment: &str) -> Cow<'_, str> {
    if plain(segment) == segment && !segment.starts_with(['.', '_']) {
        Cow::Borrowed(segment)
    } else {
        Cow::Owned(digested(segment, segment))
    }
}

/// Replaces every character that a file name should not have.
fn plain(text: &str) -> String {
    let keep =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    text.chars()
        .map(|character| if keep(character) { character } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{archive_of_stem, batch_id, evidence_stem};
    use crate::archive::ArchiveName;
    use std::collections::BTreeSet;

    fn common_crawl(subset: &str, number: u32) -> ArchiveName {
        ArchiveName::new(&format!(
            "crawl-data/CC-MAIN-2026-34/segments/17.1/{subset}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz"
        ))
    }

    #[test]
    fn local_common_crawls_files_make_batches_by_number() {
        for (subset, number, batch) in [
            ("warc", 49, "17.1-warc-0000"),
            ("warc", 50, "17.1-warc-0001"),
            ("robotstxt", 249, "17.1-robotstxt-0000"),
            ("crawldiagnostics", 100, "17.1-crawldiagnostics-0002"),
        ] {
            assert_eq!(batch_id(&common_crawl(subset, number)), batch);
        }
        assert_eq!(
            evidence_stem(&common_crawl("warc", 3)),
            "17.1-warc-CC-MAIN-20260810060000-20260810090000-00003"
        );
        let unnumbered = ArchiveName::new("crawl-data/C/segments/17.1/warc/x.warc.gz");
        assert!(batch_id(&unnumbered).starts_with("17.1-other-"));
    }

    #[test]
    fn local_many_small_archives_share_batches_and_no_two_share_evidence() {
        let names: Vec<ArchiveName> = (0..1000)
            .map(|number| ArchiveName::new(&format!("{number}/a b.warc")))
            .collect();
        let batches: BTreeSet<String> = names.iter().map(batch_id).collect();
        let stems: BTreeSet<String> = names.iter().map(evidence_stem).collect();
        assert_eq!((batches.len(), stems.len()), (64, 1000));
        assert!(
            stems
                .iter()
                .all(|stem| stem.starts_with("a_b-") && stem.len() == 14)
        );
        for hidden in [
            ".x.warc",
            "_x.warc.gz",
            "(.x.warc",
            "crawl-data/C/segments/.x/warc/a.warc",
        ] {
            let name = ArchiveName::new(hidden);
            assert!(evidence_stem(&name).starts_with(['x', 'a']), "{hidden}");
            assert!(batch_id(&name).starts_with(['x', 'o']), "{hidden}");
        }
        let [plain, gzipped] = ["x.warc", "x.warc.gz"].map(ArchiveName::new);
        assert_ne!(evidence_stem(&plain), evidence_stem(&gzipped));
    }

    #[test]
    fn local_a_name_of_evidence_gives_segment_and_batch_only_where_no_other_archive_has_it() {
        let file = "CC-MAIN-20260810060000-20260810090000-00055";
        for folder in ["warc", "robotstxt", "crawldiagnostics", "wat"] {
            let ending = if folder == "wat" {
                ".warc.wat.gz"
            } else {
                ".warc.gz"
            };
            let name = ArchiveName::new(&format!(
                "crawl-data/C/segments/17.1/{folder}/{file}{ending}"
            ));
            let found = archive_of_stem(&evidence_stem(&name)).expect("Common Crawl's name");
            assert_eq!(
                (found.segment(), batch_id(&found)),
                (Some("17.1"), batch_id(&name)),
                "{folder}"
            );
        }
        for path in [
            "crawl-data/C/segments/17.2/warc/17.1-warc-CC-MAIN-20260810060000-20260810090000-00055.warc",
            "17.1-warc-CC-MAIN-20260810060000-20260810090000-00055.warc.gz",
            "crawl-data/C/segments/17.1-warc/warc/CC-MAIN-20260810060000-20260810090000-00055.warc.gz",
            "crawl-data/C/segments/17.1 x/warc/CC-MAIN-20260810060000-20260810090000-00055.warc.gz",
            "crawl-data/C/segments/17.1/warc/x-00055.warc.gz",
        ] {
            assert!(
                archive_of_stem(&evidence_stem(&ArchiveName::new(path))).is_none(),
                "{path}"
            );
        }
    }
}
