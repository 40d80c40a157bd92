//! Groups of batches whose robots.txt captures and pages belong together.

use super::Scope;
use crate::archive::ArchiveName;
use crate::job::batch::{LOCAL_CRAWL, Segment};
use crate::job::manifest::Manifest;
use crate::store::Store;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::io;

/// Batches of one segment, or all that have none.
pub struct Group {
    /// The crawl of its site tables; always `local` where it has no segment, for it may span crawls.
    pub crawl: String,
    /// The segment.
    pub segment: Option<String>,
    /// The batches of the evidence.
    pub manifests: Vec<Manifest>,
    /// What tells this evidence from other: a changed batch changes it.
    pub fingerprint: String,
}

impl Group {
    /// Lets its fingerprint change with other evidence, too.
    pub fn depend_on<'g>(&mut self, others: impl Iterator<Item = &'g Self>) {
        let mut digest = Sha1::new();
        digest.update(&self.fingerprint);
        let mut any = false;
        for other in others {
            digest.update(&other.fingerprint);
            any = true;
        }
        if any {
            self.fingerprint = BASE32.encode(&digest.finalize());
        }
    }

    /// Returns the segment that it is of.
    pub fn key(&self) -> Segment {
        self.segment.clone().map(|segment| (self.crawl.clone(), segment))
    }
}

/// Returns the groups of an evidence, in the order of their names.
pub fn groups(evidence: &dyn Store, scope: Scope) -> io::Result<Vec<Group>> {
    let mut groups = BTreeMap::<(Option<String>, Option<String>), (Vec<Manifest>, Sha1)>::new();
    for name in evidence.list(Manifest::FOLDER)? {
        let bytes = evidence.read(&name)?.unwrap_or_default();
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        let segment = match scope {
            Scope::Segment => segment(&manifest),
            Scope::All => None,
        };
        let crawl = segment.is_some().then(|| manifest.crawl.clone());
        let (manifests, digest) = groups.entry((crawl, segment)).or_default();
        digest.update(&bytes);
        manifests.push(manifest);
    }
    let group =
        |((crawl, segment), (manifests, digest)): ((Option<String>, _), (Vec<Manifest>, Sha1))| Group {
            crawl: crawl.unwrap_or_else(|| LOCAL_CRAWL.to_owned()),
            segment,
            fingerprint: BASE32.encode(&digest.finalize()),
            manifests,
        };
    Ok(groups.into_iter().map(group).collect())
}

/// Returns the segment of a batch, which is that of each of its inputs.
fn segment(manifest: &Manifest) -> Option<String> {
    let first = manifest.inputs.first()?;
    ArchiveName::new(&first.warc_filename).segment().map(str::to_owned)
}
