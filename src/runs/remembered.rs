//! What a folder remembers of manifests and archives, so that later calls need fewer requests:
//! `_known/crawl=<id>/<segment>.json`, `other.json` for evidence whose name has no segment.
//!
//! Example: the manifests of the 900 archives of a segment in one object, each with the tag that it had when it was read. A
//! reader lists the manifests, and takes the text of those with the same name, length and tag now; it reads every other one by
//! itself. So the object may be old, cut, or removed at any time: it never hides a manifest that was changed or removed. It also
//! says when an archive behind a URL was last compared. On a disk, listings have no tags.

use super::fingerprint::Fingerprint;
use super::identity::{KNOWN, MANIFESTS, in_crawl};
use super::memory::many_requests;
use super::names::archive_of_stem;
use crate::store::{ObjectVersion, Stopped, Store};
use data_encoding::BASE32;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Longer manifests are read by themselves: they list many failures. One without any has some 2 KiB.
const MANIFEST_BYTES: usize = 64 << 10;

/// When an archive was compared with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastComparison {
    pub fingerprint: Fingerprint,
    pub at_unix_ms: i64,
    /// SHA-1 (base32) of its location: elsewhere, the same name may belong to other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location_sha1: Option<String>,
    /// Its version then, if the server gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RememberedText {
    tag: String,
    /// SHA-1 (base32) of the text.
    sha1: String,
    text: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct RememberedArchive {
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    manifest: Option<RememberedText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<LastComparison>,
}

/// By the manifests' names.
type OfSegment = BTreeMap<String, RememberedArchive>;

/// What is remembered of some segments.
#[derive(Default)]
pub struct Remembered {
    segments: BTreeMap<String, OfSegment>,
    /// The manifests with something new.
    changed: BTreeSet<String>,
}

impl Remembered {
    pub fn read<'n>(
        store: &dyn Store,
        manifests: impl Iterator<Item = &'n str>,
    ) -> io::Result<Self> {
        let files: BTreeSet<String> = manifests.filter_map(file_of).collect();
        let pool = many_requests(store, files.len())?;
        let read = |file: String| {
            // Another call may be writing it.
            let bytes = match store.read(&file) {
                Err(error) if Stopped::is_cause(&error) => return Err(error),
                read => read.ok().flatten().unwrap_or_default(),
            };
            Ok((file, serde_json::from_slice(&bytes).unwrap_or_default()))
        };
        let segments =
            pool.install(|| files.into_par_iter().map(read).collect::<io::Result<_>>())?;
        Ok(Self {
            segments,
            changed: BTreeSet::new(),
        })
    }

    fn of(&self, manifest: &str) -> Option<&RememberedArchive> {
        self.segments.get(&file_of(manifest)?)?.get(manifest)
    }

    fn change(&mut self, manifest: &str, change: impl FnOnce(&mut RememberedArchive)) {
        if let Some(file) = file_of(manifest) {
            change(
                self.segments
                    .entry(file)
                    .or_default()
                    .entry(manifest.to_owned())
                    .or_default(),
            );
            self.changed.insert(manifest.to_owned());
        }
    }

    /// Returns the bytes of a manifest, if this version of it is remembered.
    pub fn manifest(&self, now: &ObjectVersion) -> Option<&[u8]> {
        let RememberedText { tag, sha1, text } = self.of(&now.name)?.manifest.as_ref()?;
        let is_same = now.tag.as_ref() == Some(tag) && now.bytes == text.len() as u64;
        (is_same && *sha1 == sha1_text(text)).then_some(text.as_bytes())
    }

    /// Remembers a manifest, if its version is known.
    pub fn add_manifest(&mut self, manifest: &str, tag: Option<String>, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| text.len() <= MANIFEST_BYTES);
        if let Some((tag, text)) = tag.zip(text) {
            let remembered = RememberedText {
                tag,
                sha1: sha1_text(text),
                text: text.to_owned(),
            };
            self.change(manifest, |archive| archive.manifest = Some(remembered));
        }
    }

    pub fn compared(&self, manifest: &str) -> Option<&LastComparison> {
        self.of(manifest)?.compared.as_ref()
    }

    /// Remembers that an archive was compared with its evidence, or read.
    pub fn add_compared(&mut self, manifest: &str, compared: LastComparison) {
        self.change(manifest, |archive| archive.compared = Some(compared));
    }

    /// Writes what is new, beside what other calls wrote meanwhile. If two calls write at once, findings of one may be lost.
    pub fn write(&mut self, store: &dyn Store) -> io::Result<()> {
        let changed = std::mem::take(&mut self.changed);
        let mut now = Self::read(store, changed.iter().map(String::as_str))?;
        for manifest in changed {
            if let Some(archive) = self.of(&manifest).cloned() {
                now.change(&manifest, |now| *now = archive);
            }
        }
        for (file, segment) in &now.segments {
            store.put(
                file,
                &serde_json::to_vec(segment).map_err(io::Error::other)?,
            )?;
        }
        Ok(())
    }
}

/// Returns the SHA-1 of a text (base32).
pub fn sha1_text(text: &str) -> String {
    BASE32.encode(&Sha1::digest(text))
}

fn file_of(manifest: &str) -> Option<String> {
    let (crawl, stem) = in_crawl(manifest, MANIFESTS)?;
    let name = archive_of_stem(stem.strip_suffix(".json")?);
    let segment = name
        .as_ref()
        .and_then(|name| name.segment())
        .unwrap_or("other");
    Some(format!("{KNOWN}/crawl={crawl}/{segment}.json"))
}

#[cfg(test)]
mod tests {
    use super::{LastComparison, Remembered};
    use crate::runs::Fingerprint;
    use crate::store::{FolderStore, ObjectVersion, Store};

    const OF_SEGMENT: &str =
        "_manifest/crawl=C/17.1-warc-CC-MAIN-20260810060000-20260810090000-00003.json";
    const SECOND: &str =
        "_manifest/crawl=C/17.1-warc-CC-MAIN-20260810060000-20260810090000-00004.json";
    const OTHER: &str = "_manifest/crawl=C/a-0123456789.json";

    fn version(name: &str, bytes: u64, tag: Option<&str>) -> ObjectVersion {
        ObjectVersion {
            name: name.to_owned(),
            bytes,
            tag: tag.map(str::to_owned),
        }
    }

    #[test]
    fn local_a_manifest_is_remembered_for_its_name_length_and_tag_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let read = || Remembered::read(&store, [OF_SEGMENT, OTHER].into_iter()).unwrap();
        let mut remembered = read();
        remembered.add_manifest(OF_SEGMENT, Some("t".to_owned()), b"{}");
        remembered.add_manifest(OTHER, None, b"{}");
        remembered.write(&store).unwrap();
        assert_eq!(store.list("").unwrap(), ["_known/crawl=C/17.1.json"]);
        assert_eq!(
            read().manifest(&version(OF_SEGMENT, 2, Some("t"))),
            Some(&b"{}"[..])
        );
        for other in [
            version(OF_SEGMENT, 3, Some("t")),
            version(OF_SEGMENT, 2, Some("u")),
            version(OF_SEGMENT, 2, None),
            version(OTHER, 2, None),
        ] {
            assert_eq!(read().manifest(&other), None, "{other:?}");
        }
    }

    #[test]
    fn local_what_is_damaged_is_forgotten_and_what_is_added_is_kept_beside_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let read = || Remembered::read(&store, [OF_SEGMENT, OTHER].into_iter()).unwrap();
        let fingerprint = Fingerprint {
            bytes: 7,
            first: String::new(),
            last: String::new(),
        };
        let compared = LastComparison {
            fingerprint,
            at_unix_ms: 1,
            location_sha1: None,
            version: None,
        };
        let mut remembered = read();
        remembered.add_manifest(OF_SEGMENT, Some("t".to_owned()), b"{}");
        remembered.write(&store).unwrap();
        let mut remembered = read();
        remembered.add_compared(OF_SEGMENT, compared.clone());
        remembered.write(&store).unwrap();
        assert_eq!(read().compared(OF_SEGMENT), Some(&compared));
        assert!(
            read()
                .manifest(&version(OF_SEGMENT, 2, Some("t")))
                .is_some()
        );
        let file = folder.path().join("_known/crawl=C/17.1.json");
        let written = std::fs::read(&file).unwrap();
        for length in [0, 1, written.len() / 2, written.len() - 1] {
            std::fs::write(&file, &written[..length]).unwrap();
            assert_eq!(read().compared(OF_SEGMENT), None, "{length}");
        }
    }
    #[test]
    fn local_what_two_calls_find_out_at_once_is_kept_or_lost_and_never_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let read = || Remembered::read(&store, [OF_SEGMENT, SECOND].into_iter()).unwrap();
        let (mut one, mut other) = (read(), read());
        one.add_manifest(OF_SEGMENT, Some("t".to_owned()), b"{}");
        other.add_manifest(SECOND, Some("u".to_owned()), b"[]");
        other.add_manifest(OF_SEGMENT, Some("v".to_owned()), b"{ }");
        one.write(&store).unwrap();
        other.write(&store).unwrap();
        assert_eq!(
            read().manifest(&version(SECOND, 2, Some("u"))),
            Some(&b"[]"[..])
        );
        // The later one counts: a call that has the version of the other one reads it.
        assert_eq!(
            read().manifest(&version(OF_SEGMENT, 3, Some("v"))),
            Some(&b"{ }"[..])
        );
        for (bytes, tag) in [(2, "t"), (3, "t"), (2, "v")] {
            assert_eq!(
                read().manifest(&version(OF_SEGMENT, bytes, Some(tag))),
                None
            );
        }
        // Both write the same file at the same moment.
        std::thread::scope(|scope| {
            for (tag, text) in [("a", "1"), ("b", "22")] {
                let store = FolderStore::new(folder.path().to_owned());
                scope.spawn(move || {
                    for _ in 0..100 {
                        let mut call = Remembered::read(&store, [OF_SEGMENT].into_iter()).unwrap();
                        call.add_manifest(OF_SEGMENT, Some(tag.to_owned()), text.as_bytes());
                        call.write(&store).unwrap();
                    }
                });
            }
        });
        let found = [("a", "1"), ("b", "22")].map(|(tag, text)| {
            let found = read();
            let found = found.manifest(&version(OF_SEGMENT, text.len() as u64, Some(tag)));
            found.map(|found| found == text.as_bytes())
        });
        assert!(
            matches!(found, [Some(true), None] | [None, Some(true)]),
            "{found:?}"
        );
    }

    #[test]
    fn local_what_is_remembered_of_another_crawl_counts_for_no_manifest_of_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let other_crawl = OF_SEGMENT.replace("crawl=C", "crawl=D");
        let mut remembered = Remembered::read(&store, [OF_SEGMENT].into_iter()).unwrap();
        remembered.add_manifest(OF_SEGMENT, Some("t".to_owned()), b"{}");
        remembered.write(&store).unwrap();
        let of = |crawl: &str| {
            folder
                .path()
                .join(format!("_known/crawl={crawl}/17.1.json"))
        };
        std::fs::create_dir_all(of("D").parent().unwrap()).unwrap();
        std::fs::copy(of("C"), of("D")).unwrap();
        let copied = Remembered::read(&store, [other_crawl.as_str()].into_iter()).unwrap();
        assert_eq!(copied.manifest(&version(&other_crawl, 2, Some("t"))), None);
        assert_eq!(copied.manifest(&version(OF_SEGMENT, 2, Some("t"))), None);
    }
}
