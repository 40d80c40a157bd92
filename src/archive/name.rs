//! The name of an archive, and what can be read from it.
//!
//! Common Crawl's names carry the crawl, the segment, the subset and the file's number:
//! `crawl-data/CC-MAIN-2026-34/segments/1786091384908.68/robotstxt/CC-MAIN-20260810060000-20260810090000-00003.warc.gz`.
//! The columns `warc_filename`, `warc_segment` and `subset` of its columnar index hold the same.

use super::crawl_id::CrawlId;
use crate::web::names::names;
use std::fmt;

names! {
    /// The subsets of a Common Crawl segment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Subset {
        /// Pages that were fetched.
        Warc => "warc",
        /// Answers to requests for robots.txt, including redirects.
        RobotsTxt => "robotstxt",
        /// Redirects, errors and pages that had not changed.
        CrawlDiagnostics => "crawldiagnostics",
    }
}

/// The name of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArchiveName {
    filename: String,
    crawl: Option<CrawlId>,
    segment: Option<String>,
    subset: Option<Subset>,
    number: Option<u32>,
}

impl ArchiveName {
    /// Reads a name: a path with `/` separators. The part before `crawl-data/` is cut off.
    pub fn new(path: &str) -> Self {
        let from = path
            .rfind("/crawl-data/")
            .filter(|_| !path.starts_with("crawl-data/"));
        let path = from.map_or(path, |at| &path[at + 1..]);
        let mut name = Self {
            filename: path.to_owned(),
            ..Self::default()
        };
        let parts: Vec<&str> = path.split('/').collect();
        // Supplemental crawls are in other folders.
        if let [before @ .., crawl, "segments", segment, folder, file] = parts.as_slice()
            && (before == ["crawl-data"] || crawl.starts_with("CC-SUPPLEMENTAL-"))
        {
            (name.crawl, name.segment) = (CrawlId::new(crawl), Some((*segment).to_owned()));
            // The folder `wat` describes the pages of `warc`.
            name.subset = Subset::named(if *folder == "wat" { "warc" } else { folder });
            name.number = file_number(file);
        } else if let ["crawl-data", crawl, ..] = parts.as_slice() {
            name.crawl = CrawlId::new(crawl);
        }
        name
    }

    /// Returns the name of the archive that this describes, if it is a WAT: `/warc/` for `/wat/`, the ending without `.wat`.
    pub fn described(&self) -> Self {
        let (folders, file) = self
            .filename
            .split_at(self.filename.rfind('/').map_or(0, |at| at + 1));
        let folders = folders
            .strip_suffix("/wat/")
            .map_or(folders.to_owned(), |above| format!("{above}/warc/"));
        let suffix = [".gz", ".zst"]
            .into_iter()
            .find(|suffix| file.ends_with(suffix))
            .unwrap_or_default();
        let stem = file.strip_suffix(suffix).unwrap_or(file);
        let stem = stem.strip_suffix(".wat").unwrap_or(stem);
        let (stem, format) = match stem.strip_suffix(".arc") {
            Some(stem) => (stem, "arc"),
            None => (stem.strip_suffix(".warc").unwrap_or(stem), "warc"),
        };
        Self::new(&format!("{folders}{stem}.{format}{suffix}"))
    }

    /// Returns the column `warc_filename`.
    pub fn filename(&self) -> &str {
        &self.filename
    }

    /// Returns the crawl in the name, such as `CC-MAIN-2026-34`.
    pub fn crawl(&self) -> Option<&str> {
        self.crawl.as_deref()
    }

    /// Returns the crawl in the name.
    pub fn crawl_id(&self) -> Option<&CrawlId> {
        self.crawl.as_ref()
    }

    /// Returns the column `warc_segment`.
    pub fn segment(&self) -> Option<&str> {
        self.segment.as_deref()
    }

    /// Returns the column `subset`.
    pub fn subset(&self) -> Option<Subset> {
        self.subset
    }

    /// Returns the number in the name of a Common Crawl file.
    pub fn number(&self) -> Option<u32> {
        self.number
    }
}

impl fmt::Display for ArchiveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.filename)
    }
}

/// Reads the five digits or more behind the two dates in a file's name; until 2017 a host's name follows them.
fn file_number(file: &str) -> Option<u32> {
    let stem = file.split('.').next()?;
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = stem
        .split('-')
        .skip_while(|part| !(part.len() == 14 && is_number(part)));
    parts
        .find(|part| (5..10).contains(&part.len()) && is_number(part))?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::{ArchiveName, Subset};

    #[test]
    fn wild_common_crawl_names_say_crawl_segment_subset_and_number() {
        let name = ArchiveName::new(
            "/data/x/crawl-data/CC-MAIN-2026-34/segments/1786091384908.68/robotstxt/CC-MAIN-20260810060000-20260810090000-00003.warc.gz",
        );
        assert!(name.filename().starts_with("crawl-data/CC-MAIN-2026-34/"));
        assert_eq!(
            (name.crawl(), name.segment()),
            (Some("CC-MAIN-2026-34"), Some("1786091384908.68"))
        );
        assert_eq!(
            (name.subset(), name.number()),
            (Some(Subset::RobotsTxt), Some(3))
        );
    }

    #[test]
    fn wild_names_until_2017_end_in_a_host() {
        let name = ArchiveName::new(
            "crawl-data/CC-MAIN-2017-13/segments/1490218186353.38/warc/CC-MAIN-20170322212946-00421-ip-10-233-31-227.ec2.internal.warc.gz",
        );
        assert_eq!(
            (name.subset(), name.number()),
            (Some(Subset::Warc), Some(421))
        );
    }

    #[test]
    fn local_a_wat_has_the_name_of_its_warc() {
        for (wat, warc) in [
            (
                "crawl-data/CC-MAIN-2026-34/segments/1.2/wat/CC-MAIN-20260810060000-20260810090000-00003.warc.wat.gz",
                "crawl-data/CC-MAIN-2026-34/segments/1.2/warc/CC-MAIN-20260810060000-20260810090000-00003.warc.gz",
            ),
            ("x/wat/a.warc.wat.gz", "x/warc/a.warc.gz"),
            ("a.wat", "a.warc"),
            ("a.arc.wat.gz", "a.arc.gz"),
            ("b/a.wat.gz", "b/a.warc.gz"),
            ("/a.warc.wat.gz", "/a.warc.gz"),
            ("a.warc.gz", "a.warc.gz"),
        ] {
            assert_eq!(ArchiveName::new(wat).described(), ArchiveName::new(warc));
        }
        let name = ArchiveName::new(
            "crawl-data/C/segments/1.2/wat/CC-MAIN-20260810060000-20260810090000-00003.warc.wat.gz",
        );
        assert_eq!(
            (name.subset(), name.number()),
            (Some(Subset::Warc), Some(3))
        );
    }

    #[test]
    fn wild_supplemental_crawls_lie_outside_crawl_data() {
        let name = ArchiveName::new(
            "contrib/CC-SUPPLEMENTAL-2026-22/segments/1.2/warc/CC-SUPPLEMENTAL-20260810060000-20260810090000-00003.warc.gz",
        );
        assert_eq!(
            (name.crawl(), name.segment()),
            (Some("CC-SUPPLEMENTAL-2026-22"), Some("1.2"))
        );
        assert_eq!(
            (name.subset(), name.number()),
            (Some(Subset::Warc), Some(3))
        );
        assert!(name.filename().starts_with("contrib/"));
    }

    #[test]
    fn local_other_names_say_nothing() {
        let name = ArchiveName::new("site/a.warc.gz");
        assert_eq!(name.filename(), "site/a.warc.gz");
        assert_eq!(
            (name.crawl(), name.segment(), name.number()),
            (None, None, None)
        );
        let news =
            ArchiveName::new("crawl-data/CC-NEWS/2026/05/CC-NEWS-20260501000000-00001.warc.gz");
        assert_eq!(
            (news.crawl(), news.segment(), news.number()),
            (Some("CC-NEWS"), None, None)
        );
    }
}
