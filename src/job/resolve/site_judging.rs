//! One row of `sites`: what an origin's files say for `/` at a time.
//!
//! An origin is judged as a page `/` without headers and metas that was fetched at that time, so its robots.txt, redirects and
//! other files count as they do for pages. Bodies may be those of evidence or of a site index. Left out: which origins have a
//! row, and as of when (`origins`, `as_of`).

use super::files::FactsByBody;
use super::tally::SiteTally;
use crate::robots::TokenSet;
use crate::runs::Bodies;
use crate::systems::Label;
use crate::tables::agent_sets::SetNumbers;
use crate::tables::origins::{OriginHost, OriginRow};
use crate::tables::sites::{OriginSites, SiteRow};
use crate::verdict::site::ClosedTokens;
use crate::verdict::timeline::{CountsFor, NoesOnly};
use crate::verdict::{
    AccessAnswer, CopyLimits, CurrentFiles, Disallowed, FilesOfSites, PageRecord, Resolver,
    RobotsState, SiteBodies, SiteBody, is_end_read,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;
use crate::web::url::PageUrl;
use std::borrow::{Borrow, Cow};
use std::io;

/// The viewpoint that sites are judged from.
pub struct SiteView<'v> {
    resolver: &'v Resolver,
    limits: CopyLimits,
    viewpoint: String,
    /// What is closed if robots.txt was unreachable, and if it was unavailable.
    unreachable: ClosedTokens,
    open: ClosedTokens,
    set_numbers: SetNumbers,
}

impl<'v> SiteView<'v> {
    pub fn new(resolver: &'v Resolver, limits: CopyLimits, viewpoint: String) -> Self {
        let unreachable = ClosedTokens::unreachable(resolver);
        let open = ClosedTokens::default();
        Self {
            resolver,
            limits,
            viewpoint,
            unreachable,
            open,
            set_numbers: SetNumbers::default(),
        }
    }
}

/// What origins are judged from.
pub struct SiteJudging<'j, B> {
    pub segment: Option<&'j str>,
    /// Whether all of the segment was read.
    pub segment_whole: Option<bool>,
    pub said: &'j FactsByBody,
    pub index: &'j FilesOfSites<B>,
    pub view: &'j SiteView<'j>,
}

impl<B: SiteBodies<Error = io::Error> + Borrow<Bodies>> SiteJudging<'_, B> {
    /// Appends the row of an origin, as of its newest capture.
    pub fn append(
        &self,
        rows: &mut OriginSites,
        tally: &mut SiteTally,
        name: &str,
        captures: &OriginRow,
    ) -> io::Result<()> {
        let root = format!("{name}/");
        let Ok(url) = PageUrl::new(root.as_bytes()) else {
            return Ok(());
        };
        let origin = url.origin();
        let host = OriginHost::from_url(&url);
        let resolver = self.view.resolver;
        let at = captures.newest;
        let files = self.index.files(Some(&origin), at, self.view.limits);
        let current = files.robots;
        let is_too_old = files.robots.noes_only == Some(NoesOnly::TooOld);
        let (labels, mut closed) = self.verdict(url.clone(), files)?;
        if is_too_old {
            // KNOW-5 is about yeses: to whom the file closes the site stays, and `robots_fetch_time` says how old it is.
            let limits = CopyLimits::of_slack(self.view.limits.slack);
            let files = self.index.files(Some(&origin), at, limits);
            (_, closed) = self.verdict(url, files)?;
        }
        let numbers = self.index.current_bodies(&origin, at);
        let keys = numbers
            .iter()
            .filter_map(|number| self.bodies().get(*number))
            .map(|body| body.key);
        let files: Vec<(CaptureKind, String)> = keys.map(|key| (key.kind, key.digest())).collect();
        let [systems, systems_valid] = &self.said.systems(&numbers);
        let file_origin = self.index.timeline().file_origin(&origin, at);
        let row = SiteRow {
            segment: self.segment,
            segment_whole: self.segment_whole,
            origin: name,
            host: &host,
            captures,
            file_origin: current.body.map(|_| file_origin.as_str()),
            current: &current,
            versions: at.map_or(0, |at| self.index.timeline().version_count(&origin, at)),
            closed: closed.as_deref(),
            labels,
            files,
            systems,
            systems_valid,
            viewpoint: &self.view.viewpoint,
        };
        tally.add(SiteTally {
            sites: 1,
            known: u64::from(row.closed.is_some()),
        });
        rows.append(&self.view.set_numbers, resolver, row);
        Ok(())
    }

    /// The labels of a site's root, by [`Label::ALL`], and to which tokens the site is closed. Most files state nothing: then
    /// no label follows from them, and nothing needs to be compiled.
    fn verdict(
        &self,
        root: PageUrl<'_>,
        files: CurrentFiles,
    ) -> io::Result<([Preference; 5], Option<Cow<'_, ClosedTokens>>)> {
        let resolver = self.view.resolver;
        let state = files.robots.state;
        let sent = files.robots.body;
        let others = files
            .other_robots
            .iter()
            .filter(|one| one.counts_for == CountsFor::AccessAndLabels);
        let robots = sent.into_iter().chain(others.filter_map(|one| one.body));
        let robots: Vec<u32> = robots.map(|body| body.number).collect();
        let is_one_copy = files.other_robots.is_empty() && files.robots.noes_only.is_none();
        if is_one_copy && self.said.state_nothing(files.bodies(), resolver) {
            let bytes = |body: &SiteBody| {
                self.bodies()
                    .get(body.number)
                    .map(|body| body.bytes as usize)
            };
            let is_read =
                |body: &SiteBody| bytes(body).is_some_and(|bytes| is_end_read(bytes, body.extent));
            let disallowed =
                match sent.filter(|sent| state == RobotsState::Parsed && bytes(sent).is_some()) {
                    Some(sent) if is_read(&sent) => Disallowed::Some(TokenSet::default()),
                    Some(_) => Disallowed::default(),
                    None => AccessAnswer::without_file(state).disallowed,
                };
            return Ok(([Preference::Unknown; 5], self.closed(&disallowed, &robots)));
        }
        let page = PageRecord::new(Some(root), None, &[], &[]);
        let copies = self.index.compile(files, resolver)?;
        let decision = resolver.decide(&page, &copies);
        let labels = Label::ALL.map(|label| decision.labels.of(label));
        Ok((labels, self.closed(&decision.access.disallowed, &robots)))
    }

    fn bodies(&self) -> &Bodies {
        self.index.bodies().borrow()
    }

    /// To which tokens a site is closed, by the answer for `/`.
    fn closed(&self, disallowed: &Disallowed, robots: &[u32]) -> Option<Cow<'_, ClosedTokens>> {
        match disallowed {
            Disallowed::AtLeast(_) => None,
            Disallowed::All => Some(Cow::Borrowed(&self.view.unreachable)),
            Disallowed::Some(_) => {
                let mut bodies = robots.iter().filter_map(|body| self.said.closed(*body));
                let mut closed = Cow::Borrowed(bodies.next().unwrap_or(&self.view.open));
                bodies.for_each(|other| closed.to_mut().add_all(other));
                Some(closed)
            }
        }
    }
}
