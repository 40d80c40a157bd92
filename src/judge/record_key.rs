//! Keys of records: an id, or an archive and the place in it.

use crate::web::path_pattern::UrlPath;
use crate::web::url::PageUrl;
use sha1::{Digest, Sha1};

/// The key of a record: 16 bytes of a digest of an id, of a place, or of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey([u8; 16]);

impl RecordKey {
    /// Returns the key of a record id: bare, or with brackets and `urn:uuid:`, in any case.
    pub fn of_id(id: &str) -> Option<Self> {
        let id = id.trim();
        let id = id
            .strip_prefix('<')
            .and_then(|id| id.strip_suffix('>'))
            .unwrap_or(id);
        let scheme = "urn:uuid:";
        let has_scheme = id
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        let bare = if has_scheme {
            id.get(scheme.len()..).unwrap_or_default()
        } else {
            id
        };
        (!bare.is_empty()).then(|| Self::of(&[b"id", bare.to_ascii_lowercase().as_bytes()]))
    }

    /// Returns the id of a document's record among several texts of it, each with whether its name says that it is of a WARC: such
    /// a one, else the first that looks like a record id, else the first.
    pub fn id_among<T: AsRef<str>>(ids: impl Iterator<Item = (bool, T)>) -> Option<T> {
        let ids = ids.filter(|(_, id)| Self::of_id(id.as_ref()).is_some());
        // Of equal ones, the first.
        let id = ids.min_by_key(|(is_of_warc, id)| {
            if *is_of_warc {
                0
            } else {
                unlikeness(id.as_ref())
            }
        });
        id.map(|(_, id)| id)
    }

    /// Returns the key of a place: the last part of the archive's name, and the offset.
    pub fn of_place(filename: &str, offset: i64) -> Self {
        let name = path_from_end(filename).next().unwrap_or_default();
        Self::of(&[b"place", name.as_bytes(), &offset.to_le_bytes()])
    }

    /// Returns the key of a page: the same for the spellings of one URL, as origins and paths are compared (KNOW-6).
    pub fn of_page(url: &PageUrl<'_>) -> Self {
        let path = UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
        Self::of(&[b"page", url.origin().as_str().as_bytes(), path.as_bytes()])
    }

    /// Returns the key of a URL in the form of `pages`; the fragment does not count, because it is not part of what was fetched.
    pub fn of_url(url: &str) -> Self {
        Self::of(&[b"url", url.split('#').next().unwrap_or_default().as_bytes()])
    }

    fn of(parts: &[&[u8]]) -> Self {
        let mut digest = Sha1::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Self(digest.finalize().first_chunk().copied().unwrap_or_default())
    }
}

/// Returns how unlike a record id an id is: 1 with brackets or `urn:uuid:`, 2 for a bare UUID, 3 for all else.
fn unlikeness(id: &str) -> u8 {
    let id = id.trim();
    let has_scheme = id
        .get(.."urn:uuid:".len())
        .is_some_and(|start| start.eq_ignore_ascii_case("urn:uuid:"));
    let is_uuid = id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    match (has_scheme || id.starts_with('<'), is_uuid) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 3,
    }
}

/// Returns the parts of an archive's path, the last one first; of a path with `crawl-data/`, those from there on.
fn path_from_end(name: &str) -> impl Iterator<Item = &str> {
    let in_crawl = name.find("crawl-data/").and_then(|at| name.get(at..));
    in_crawl
        .unwrap_or(name)
        .rsplit('/')
        .filter(|part| !part.is_empty() && *part != ".")
}

/// Returns whether two names may belong to one archive: they agree as far as both have folders. Collections share file names.
pub fn is_same_archive(one: &str, other: &str) -> bool {
    path_from_end(one)
        .zip(path_from_end(other))
        .all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::{RecordKey, is_same_archive};

    #[test]
    fn local_an_id_is_the_same_in_each_of_its_spellings() {
        let key = RecordKey::of_id("<urn:uuid:5a1bBc>");
        for id in [
            "urn:uuid:5a1bbc",
            "5A1BBC",
            " <URN:UUID:5a1bbc> ",
            "<5a1bbc>",
        ] {
            assert_eq!(RecordKey::of_id(id), key, "{id}");
        }
        for id in ["5a1bbd", "urn:uuid5a1bbc", "<5a1bbc"] {
            assert_ne!(RecordKey::of_id(id), key, "{id}");
        }
        for id in ["", " ", "<>", "<urn:uuid:>"] {
            assert_eq!(RecordKey::of_id(id), None, "{id}");
        }
    }

    #[test]
    fn local_of_several_ids_the_records_own_counts() {
        let [urn, other] = ["<urn:uuid:5a1bbc>", "urn:uuid:7"];
        let bare = "5a1bbc00-0000-4000-8000-000000000001";
        for (ids, found) in [
            (&[(false, "doc-1"), (true, urn)][..], Some(urn)),
            (&[(true, urn), (false, other)], Some(urn)),
            (&[(true, "7"), (false, urn)], Some("7")),
            (&[(true, " "), (false, "doc-1"), (false, bare)], Some(bare)),
            (&[(false, bare), (false, urn)], Some(urn)),
            (&[(false, urn), (false, other)], Some(urn)),
            (&[(false, "doc-1"), (false, "doc-2")], Some("doc-1")),
            (&[(false, "")], None),
            (&[], None),
        ] {
            assert_eq!(RecordKey::id_among(ids.iter().copied()), found, "{ids:?}");
        }
    }

    #[test]
    fn local_two_names_are_of_one_archive_as_far_as_both_have_folders() {
        let name = "crawl-data/CC-MAIN-2026-34/segments/1/warc/a.warc.gz";
        let in_bucket = format!("s3://commoncrawl/{name}");
        for (one, other, is_same) in [
            (name, in_bucket.as_str(), true),
            (name, "a.warc.gz", true),
            ("/mnt/ia/a.warc.gz", "ia/a.warc.gz", true),
            ("./a.warc.gz", "a.warc.gz", true),
            ("/mnt/ia/a.warc.gz", "crawl/a.warc.gz", false),
            (
                name,
                "crawl-data/CC-MAIN-2026-35/segments/1/warc/a.warc.gz",
                false,
            ),
            ("a.warc.gz", "b.warc.gz", false),
        ] {
            assert_eq!(is_same_archive(one, other), is_same, "{one} {other}");
            let keys = [one, other].map(|name| RecordKey::of_place(name, 7));
            assert!(!is_same || keys[0] == keys[1], "{one} {other}");
            assert_ne!(RecordKey::of_place(one, 8), keys[0]);
        }
    }
}
