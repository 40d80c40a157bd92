//! Archives that the evidence has under two names: one of them counts.
//!
//! Example: `crawlprefs scan archives` reads `archives/site/a.warc` as `site/a.warc`, and a later `crawlprefs scan archives/site`
//! reads the same file as `a.warc`: each page would be two rows. The fingerprint of an archive has its length and its ends; what
//! is between them is compared by its captures. Ours: of two names the better evidence counts, then the first name.
//! Left out: one file in two crawls, each of which is counted by itself; and copies that are compressed in another way.

use super::archive_evidence::ArchiveEvidence;
use super::same_archive::has_all_of;
use crate::tables::captures::CAPTURES;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// An archive that the evidence also has under another name, and that does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Duplicate {
    pub crawl: String,
    /// The name that does not count.
    pub archive: String,
    /// The name of the same archive that counts.
    pub same_as: String,
}

/// Drops the captures of archives that are the same as others of their crawl and segment, and returns these archives.
pub fn leave_out_duplicates(archives: &mut [ArchiveEvidence<'_>]) -> Vec<Duplicate> {
    let mut alike = BTreeMap::<_, Vec<usize>>::new();
    for (place, ArchiveEvidence { manifest, .. }) in archives.iter().enumerate() {
        if let Some(fingerprint) = manifest
            .fingerprint
            .as_ref()
            .filter(|_| !manifest.captures.is_empty())
        {
            let key = (
                manifest.crawl.to_string(),
                fingerprint.bytes,
                &fingerprint.first,
                &fingerprint.last,
            );
            alike.entry(key).or_default().push(place);
        }
    }
    let alike: Vec<Vec<usize>> = alike
        .into_values()
        .filter(|places| places.len() > 1)
        .collect();
    let mut found = Vec::new();
    for mut places in alike {
        places.sort_by_key(|place| archives.get(*place).map(|archive| Reverse(archive.rank())));
        let mut counted = Vec::<usize>::new();
        for place in places {
            let Some(archive) = archives.get(place) else {
                continue;
            };
            let mut others = counted.iter().filter_map(|other| archives.get(*other));
            let Some(same) = others.find(|other| is_same(other, archive)) else {
                counted.push(place);
                continue;
            };
            let same_as = same.manifest.warc_filename.clone();
            found.extend(
                archives
                    .get_mut(place)
                    .map(|archive| archive.leave_out(same_as)),
            );
        }
    }
    found.sort();
    found
}

/// Returns whether an archive has as many captures as a better one, which has all of its. What cannot be read is the same as
/// nothing; whoever uses it finds that it is damaged.
fn is_same(better: &ArchiveEvidence<'_>, archive: &ArchiveEvidence<'_>) -> bool {
    let rows =
        |archive: &ArchiveEvidence<'_>| archive.manifest.part(&CAPTURES).map(|part| part.rows);
    rows(better) == rows(archive) && has_all_of(better, archive).unwrap_or(false)
}

impl ArchiveEvidence<'_> {
    /// Makes it count for nothing, because it is the same as another archive, which its row in `archives` names.
    fn leave_out(&mut self, same_as: String) -> Duplicate {
        let manifest = &mut self.manifest;
        manifest.captures.clear();
        manifest.row.detail = Some(format!(
            "the same archive as {same_as}, which counts in its place"
        ));
        Duplicate {
            crawl: manifest.crawl.to_string(),
            archive: manifest.warc_filename.clone(),
            same_as,
        }
    }
}
