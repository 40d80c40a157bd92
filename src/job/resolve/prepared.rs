//! What a resolve finds out before it writes anything: the evidence, the existing tables, and whether both agree.
//!
//! Example: `resolve A -o OUT --overwrite` is refused here if the tables of OUT are of A and B. Nothing is written or removed
//! before [`Prepared::claim`].

use super::{Missing, ResolveOptions, failure, refuse_damaged_evidence};
use crate::error::Error;
use crate::runs::{
    ArchiveGroup, BatchName, Duplicate, Existing, GroupsFound, Identity, IfNoEvidence,
    KnownEvidence, MANIFESTS, RESOLVED, Remembered, RunFile, Segment, TableManifests, all_archives,
    groups_of, is_there, join_originals, segment_unknown,
};
use crate::store::{Store, is_same_place};
use crate::tables::Footer;
use crate::tables::archives::Outcome;
use std::collections::{BTreeSet, HashSet};

/// What is known before the work.
pub struct Prepared<'e> {
    /// All groups, whose site files count for those that are worked on.
    pub all: Vec<ArchiveGroup<'e>>,
    /// The groups to work on, by their places.
    chosen: Vec<usize>,
    pub duplicates: Vec<Duplicate>,
    pub known: KnownEvidence,
    pub made: TableManifests,
    pub footer: Footer,
    /// The files of tables to remove before others are made.
    pub removed: Vec<String>,
    /// The crawls without evidence, whose tables stay while all others are made again.
    pub kept: BTreeSet<String>,
    is_other_version: bool,
    identity: Identity,
    /// What is remembered of the manifests, if tables are beside their evidence.
    remembered: Option<Remembered>,
}

/// Finds out what exists, and refuses anything that would lose data.
pub fn prepare<'e>(
    evidence: &[&'e dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
) -> Result<Prepared<'e>, Error> {
    let failed = |source| failure(source, store);
    // In this order: another process may add evidence meanwhile.
    let done = store.list(RESOLVED).map_err(failed)?;
    let (
        GroupsFound {
            groups: all,
            duplicates,
            ..
        },
        remembered,
    ) = all_evidence(evidence, store, options)?;
    let known = KnownEvidence::new(&all);
    let segments: BTreeSet<Segment> = all.iter().map(ArchiveGroup::key).collect();
    refuse_unknown_segments(&segments, options)?;
    let chosen = wanted(&all, options);
    let groups: Vec<&ArchiveGroup<'_>> = chosen.iter().map(|(_, group)| *group).collect();
    refuse_incomplete_segments(&groups, &segments, options)?;
    refuse_damaged_evidence(&groups)?;
    join_originals(&all_archives(&all), None).map_err(failed)?;
    let made =
        TableManifests::read(store, &at_hand(&done, &known, &groups, options)).map_err(failed)?;
    let footer = options.tables.footer();
    let given = evidence.iter().map(|evidence| evidence.location());
    let elsewhere = given.clone().filter(|at| *at != store.location()).collect();
    let mut identity = options.tables.identity(&footer, elsewhere);
    let earlier = Identity::read(store, RunFile::Resolve).ok().flatten();
    let beside = earlier.iter().flat_map(Identity::places);
    let beside =
        beside.filter(|(named, at)| !identity.has_place(named, *at) && is_there(named, *at));
    let beside: Vec<String> = beside.map(|(named, _)| named.to_owned()).collect();
    let mut removed = match options.existing {
        Existing::Continue => Vec::new(),
        Existing::Replace => RunFile::Resolve.files(store).map_err(failed)?,
    };
    let is_same = |earlier: &Identity| beside.is_empty() && identity.is_other_version_of(earlier);
    let keeps = options.missing == Missing::Refuse && earlier.as_ref().is_some_and(is_same);
    let kept: Vec<String> = removed
        .extract_if(.., |file| keeps && known.keeps(file))
        .collect();
    let kept: BTreeSet<String> = kept
        .iter()
        .filter_map(|file| BatchName::of_file(file))
        .map(|batch| batch.crawl)
        .collect();
    if options.missing == Missing::Refuse {
        made.refuse_fewer(store, &known, IfNoEvidence::Stays)?;
        let tables = store.location();
        let given = given.collect::<Vec<_>>();
        TableManifests::refuse_removal(&removed, &known, &tables, (&given, &beside))?;
    }
    let is_other_version = earlier
        .as_ref()
        .is_some_and(|earlier| identity.difference(earlier).is_some());
    let stays = options.existing == Existing::Continue || !kept.is_empty();
    if let Some(earlier) = earlier.filter(|_| stays && made.has_absent_crawl(&known)) {
        identity.name_folders_of(&earlier);
    }
    let chosen = chosen.iter().map(|(place, _)| *place).collect();
    Ok(Prepared {
        all,
        chosen,
        duplicates,
        known,
        made,
        footer,
        removed,
        kept,
        is_other_version,
        identity,
        remembered,
    })
}

/// Returns all evidence, and what is remembered of the manifests in the folder of the tables.
fn all_evidence<'e>(
    evidence: &[&'e dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
) -> Result<(GroupsFound<'e>, Option<Remembered>), Error> {
    let mut found = groups_of(evidence.iter().copied(), None, options.comparison)?;
    let beside = evidence
        .iter()
        .position(|evidence| is_same_place(*evidence, store));
    let remembered = beside.map(|at| found.remembered.swap_remove(at));
    if beside.is_none()
        && !store
            .list(MANIFESTS)
            .map_err(|source| failure(source, store))?
            .is_empty()
    {
        let difference = "the folder has evidence of its own, which was not given".to_owned();
        return Err(RunFile::Resolve.other(store, MANIFESTS, difference));
    }
    Ok((found, remembered))
}

/// Returns the groups of this call's segments and share, with their places.
fn wanted<'g, 'e>(
    all: &'g [ArchiveGroup<'e>],
    options: &ResolveOptions,
) -> Vec<(usize, &'g ArchiveGroup<'e>)> {
    let wanted = all
        .iter()
        .enumerate()
        .filter(|(_, group)| {
            options
                .segments
                .as_ref()
                .is_none_or(|wanted| wanted.contains(&group.key()))
        })
        .collect();
    let segment_name = |(crawl, segment)| format!("{crawl}/{segment}");
    let name = |(_, group): &(usize, &ArchiveGroup<'_>)| {
        group.key().map_or_else(String::new, segment_name)
    };
    options.share.of(wanted, name)
}

impl<'e> Prepared<'e> {
    /// Returns the groups to work on.
    pub fn groups(&self) -> impl Iterator<Item = &ArchiveGroup<'e>> {
        self.chosen.iter().filter_map(|place| self.all.get(*place))
    }

    /// Returns the places of the groups to work on.
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Claims the output, and removes what is to be removed from it.
    pub fn claim(&mut self, store: &dyn Store, options: &ResolveOptions) -> Result<(), Error> {
        let stays = |file: &str| !self.kept.is_empty() && self.known.keeps(file);
        if !self.kept.is_empty() && self.is_other_version {
            // Before the folder says that it is of this version: a call that is killed in between is refused and repeated.
            self.made
                .outdate_kept(store, &self.known)
                .map_err(|source| failure(source, store))?;
        }
        match options.existing {
            Existing::Replace => self.identity.replace(store, RunFile::Resolve, stays)?,
            Existing::Continue => self.identity.claim(store, RunFile::Resolve)?,
        }
        if let Some(remembered) = self.remembered.take().as_mut() {
            // If that fails, the next call reads the manifests again.
            let _ = remembered.write(store);
        }
        if options.missing == Missing::Drop {
            self.made
                .remove_unknown(store, &self.known)
                .map_err(|source| failure(source, store))?;
        }
        Ok(())
    }

    /// Returns which tables stay while all others are made again, and how to remove them.
    pub fn kept_words(&self, store: &dyn Store) -> Option<String> {
        let crawls = self
            .kept
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let location = store.location();
        (!crawls.is_empty()).then(|| {
            format!(
                "{location}: the tables of {crawls} stay as they were made, as there is no evidence of them now; a call with \
                 --overwrite --drop-missing removes them"
            )
        })
    }

    /// Checks whether [`Self::claim`] would be refused because of another viewpoint.
    pub fn check(&self, store: &dyn Store, options: &ResolveOptions) -> Result<(), Error> {
        match options.existing {
            Existing::Replace => Ok(()),
            Existing::Continue => self.identity.is_there(store, RunFile::Resolve).map(drop),
        }
    }
}

/// Refuses segments without evidence. Archives without a segment have no name that can be wrong.
fn refuse_unknown_segments(
    segments: &BTreeSet<Segment>,
    options: &ResolveOptions,
) -> Result<(), Error> {
    let mut unknown = options
        .segments
        .iter()
        .flatten()
        .filter(|wanted| wanted.is_some() && !segments.contains(wanted));
    unknown
        .next()
        .map_or(Ok(()), |unknown| Err(segment_unknown(unknown, segments)))
}

/// Refuses to make tables of segments with a required archive that is not read to its end. The share of a segment without
/// evidence is not known.
fn refuse_incomplete_segments(
    groups: &[&ArchiveGroup<'_>],
    segments: &BTreeSet<Segment>,
    options: &ResolveOptions,
) -> Result<(), Error> {
    let archives = groups
        .iter()
        .flat_map(|group| &group.archives)
        .map(|archive| &archive.manifest);
    let read = archives.filter(|manifest| manifest.row.outcome == Outcome::Read);
    let read: HashSet<_> = read
        .map(|manifest| (&*manifest.crawl, &*manifest.warc_filename))
        .collect();
    let at_hand: BTreeSet<Segment> = groups.iter().map(|group| group.key()).collect();
    let is_wanted = |segment: &Segment| {
        options
            .segments
            .as_ref()
            .is_none_or(|wanted| wanted.contains(segment))
    };
    let is_due = |segment: Segment| {
        at_hand.contains(&segment)
            || (options.share.is_whole() && !segments.contains(&segment) && is_wanted(&segment))
    };
    let due = options
        .required
        .iter()
        .filter(|archive| is_due(archive.segment()));
    let due = due.map(|archive| (&*archive.crawl, archive.input.name.filename()));
    let mut missing = due.filter(|archive| !read.contains(archive));
    let Some((_, example)) = missing.next() else {
        return Ok(());
    };
    Err(Error::SegmentIncomplete {
        archives: missing.count() + 1,
        example: example.to_owned(),
    })
}

/// The manifests of the tables that this call may make again or remove, and of unknown batches.
fn at_hand<'d>(
    done: &'d [String],
    known: &KnownEvidence,
    groups: &[&ArchiveGroup<'_>],
    options: &ResolveOptions,
) -> Vec<&'d String> {
    let batches = groups
        .iter()
        .flat_map(|group| group.batches())
        .map(|batch| batch.name.manifest_file());
    let of_groups: BTreeSet<String> = batches.collect();
    let all = options.existing == Existing::Replace || options.missing == Missing::Drop;
    done.iter()
        .filter(|file| all || of_groups.contains(*file) || !known.has(file))
        .collect()
}
