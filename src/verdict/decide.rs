//! The decision about one page: the only place that composes verdicts.
//!
//! Input: a page as received, and what its site's files said at that time. Output: a [`Decision`] with the access by
//! robots.txt, every system's answer, and the labels over all of them. Pure.
//! Example: a page under `Disallow: /` with the header `Content-Usage: train-ai=n` is closed; the header disallows `train_ai`.
//! Left out: which copies of the files were current (`site_index`), and rows and text made of a decision.

use super::labels::{LabelAnswers, Labels};
use super::page_record::PageRecord;
use super::resolver::{CompiledRobots, LINE_LOST, Resolver};
use super::site_captures::CopyOf;
use super::site_copies::{OtherRobotsCopy, SiteCopies};
use super::timeline::{CountsFor, NoesOnly, RobotsState};
use super::{access::AccessAnswer, account::doubtful_fields};
use crate::systems::{
    About, Answer, Compiled, Ground, Label, LabelSet, Opinion, Page, SYSTEMS, Value, Viewpoint,
};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, field::Field, media_type::is_image, path_pattern::UrlPath,
    preference::Preference,
};

pub struct Decision<'a> {
    pub access: AccessAnswer<'a>,
    /// The answer of each system, in the order of `SYSTEMS`.
    pub answers: Vec<SystemAnswer<'a>>,
    pub labels: Labels<'a>,
    /// The carriers and site files that were received and not read whole: those of the record, then others, sorted.
    pub unread: Vec<&'a str>,
    /// The carriers and site files in which something was read, may be a no, and is not understood (ACCT-2), sorted.
    pub doubt: Vec<&'a str>,
    /// The carriers that nobody received.
    pub not_seen: &'a [&'a str],
    /// The labels of which nothing is allowed, because of what was not read or not understood.
    pub in_doubt: LabelSet,
}

/// The answer of one system for a page.
pub struct SystemAnswer<'a> {
    pub about: &'static About,
    /// The values of its columns, in their order.
    pub values: Vec<Value>,
    pub opinions: Vec<Opinion<'a>>,
}

/// A line or field that may be a no and was not understood, or could not be read.
pub struct InDoubt<'a> {
    pub ground: Ground<'a>,
    /// `line_lost`: it was meant as a rule and cannot be read; `may_be_no`: it may be a no to labels.
    pub reason: &'static str,
}

/// The reason of a unit that may be a no to labels.
const MAY_BE_NO: &str = "may_be_no";

/// The name of policy tokens among the systems that decided a label.
const POLICY_TOKEN: &str = "policy_token";

impl Resolver {
    /// Decides about a page, by what its site's files said when it was fetched.
    pub fn decide<'a>(&'a self, page: &'a PageRecord<'a>, site: &'a SiteCopies) -> Decision<'a> {
        let path = page.path.as_ref();
        let robots = site.robots();
        let own = self.access_to(page, site.current.state, robots);
        let own_crawl = own.preference;
        let others = self.other_robots(page, site);
        let access = joined_access(own, &others, site.current.noes_only);
        let subject = page.for_systems(access.preference);
        let copies = PageCopies {
            subject,
            site,
            own_crawl,
            others: &others,
        };
        let is_image = is_image(page.media_type, page.url.as_ref().map(PageUrl::path));
        let mut labels = LabelAnswers::default();
        let mut unread = site.unread.clone();
        let answer = |(place, by_robots): (usize, &'a dyn Compiled)| {
            let about = SYSTEMS.get(place)?.about();
            let mut answer = Answer::default();
            site.compiled(place).unwrap_or(by_robots).answer(
                &copies.subject,
                &self.viewpoint,
                &mut answer,
            );
            self.add_copies(&mut answer, (place, by_robots), &copies);
            unread.append(&mut answer.unread);
            let Answer {
                values, opinions, ..
            } = answer;
            for opinion in &opinions {
                labels.add(about, opinion, is_image, &self.viewpoint);
            }
            Some(SystemAnswer {
                about,
                values,
                opinions,
            })
        };
        let answers = self
            .systems(robots)
            .iter()
            .map(Box::as_ref)
            .enumerate()
            .filter_map(answer);
        let mut answers: Vec<SystemAnswer<'_>> = answers.collect();
        self.add_policy_tokens(&mut labels, (robots, &others), path);
        let doubtful = self.doubtful(page, site, (own_crawl, &others));
        let gaps = [page.unread, page.not_seen, &unread, &site.lines_lost]
            .iter()
            .any(|gap| !gap.is_empty());
        let in_doubt = doubtful
            .iter()
            .fold(LabelSet::ALL.only_if(gaps), |all, (_, labels)| {
                all.with(*labels)
            });
        let doubt = doubtful
            .into_iter()
            .map(|(carrier, _)| carrier)
            .chain(site.lines_lost.iter().copied());
        let mut doubt: Vec<&str> = doubt.collect();
        doubt.sort_unstable();
        doubt.dedup();
        unread.sort_unstable();
        unread.dedup();
        unread.retain(|carrier| !page.unread.contains(carrier));
        let unread: Vec<&str> = page.unread.iter().copied().chain(unread).collect();
        let of_site = site
            .unread
            .iter()
            .chain(&site.unread_without_labels)
            .chain(&site.lines_lost);
        let of_page = page.unread.iter().chain(page.not_seen);
        let missing: Vec<&str> = of_page.chain(of_site).copied().collect();
        for answer in &mut answers {
            answer.withhold_yes(&missing);
        }
        let labels = labels.decide(in_doubt, &site.noes_only);
        Decision {
            access,
            answers,
            labels,
            unread,
            doubt,
            not_seen: page.not_seen,
            in_doubt,
        }
    }

    /// Adds to a system's answer the noes of other lines and of other copies of the files, and withholds the yeses of a copy that
    /// proves none.
    fn add_copies<'a>(
        &'a self,
        answer: &mut Answer<'a>,
        (place, by_robots): (usize, &'a dyn Compiled),
        copies: &PageCopies<'_, 'a>,
    ) {
        let PageCopies {
            subject,
            site,
            others,
            ..
        } = copies;
        let own_crawl = copies.own_crawl;
        // LABEL-2: a file's lines do not apply where this file closes the page, whatever other copies say.
        let of_site = |crawl| Page {
            fields: &[],
            crawl,
            ..*subject
        };
        let is_closed_by_others =
            subject.crawl == Preference::Disallow && own_crawl != Preference::Disallow;
        if is_closed_by_others {
            add_noes(answer, (0, by_robots), &of_site(own_crawl), &self.viewpoint);
        }
        if let Some(noes) = site.robots().and_then(|robots| robots.noes.get(place)) {
            add_noes(
                answer,
                (0, noes.as_ref()),
                &of_site(own_crawl),
                &self.viewpoint,
            );
        }
        for other in *others {
            if let Some(noes) = other.robots.and_then(|robots| robots.systems.get(place)) {
                let noes = (other.copy, noes.as_ref());
                add_noes(answer, noes, &of_site(other.crawl), &self.viewpoint);
            }
        }
        let about = SYSTEMS.get(place).map(|system| system.about());
        if about.is_some_and(|about| site.noes_only.iter().any(|kind| reads(about, kind))) {
            let mut without_files = Answer::default();
            if let Some(bare) = self.systems(None).get(place) {
                bare.answer(subject, &self.viewpoint, &mut without_files);
            }
            withhold_yes_beyond(&mut answer.values, &without_files.values);
        }
        for copy in site.other_copies(place) {
            add_noes(answer, copy, &of_site(subject.crawl), &self.viewpoint);
        }
    }

    /// Returns the answer of one robots.txt for a page. ACCT-9: a disallow line with a URL of the page's own host may close it.
    fn access_to<'a>(
        &self,
        page: &PageRecord<'_>,
        state: RobotsState,
        robots: Option<&'a CompiledRobots>,
    ) -> AccessAnswer<'a> {
        let (host, path) = (page.host(), page.path.as_ref());
        let mut access = self.access(state, robots, path);
        let is_open = access.preference == Preference::Allow;
        if is_open && robots.is_some_and(|robots| robots.closes_by_url(host, path)) {
            access.withhold_yes(LINE_LOST);
        }
        if robots.is_some_and(|robots| robots.closes_to_anybody_by_url(host, path)) {
            access.forget_others();
        }
        access
    }

    /// Returns the other copies of robots.txt with their answers for a page.
    fn other_robots<'a>(
        &self,
        page: &PageRecord<'_>,
        site: &'a SiteCopies,
    ) -> Vec<OtherAnswer<'a>> {
        let first = usize::from(site.robots().is_some());
        let copies = site.other_robots().iter().scan(first, |next, other| {
            let copy = *next;
            *next += usize::from(other.robots().is_some());
            Some((copy, other))
        });
        let answer = |(copy, other): (usize, &'a OtherRobotsCopy)| {
            let robots = other.robots();
            let access = self.access_to(page, other.state, robots);
            let (counts_for, of) = (other.counts_for, other.of);
            OtherAnswer {
                copy,
                counts_for,
                of,
                robots,
                crawl: access.preference,
                access,
            }
        };
        copies.map(answer).collect()
    }

    /// Adds what the groups of policy tokens state; only the noes of another copy of the file count.
    fn add_policy_tokens<'a>(
        &'a self,
        labels: &mut LabelAnswers<'a>,
        (current, others): (Option<&'a CompiledRobots>, &[OtherAnswer<'a>]),
        path: Option<&'a UrlPath>,
    ) {
        let Some(path) = path else { return };
        let others = others
            .iter()
            .filter_map(|other| Some((other.copy, other.robots?, false)));
        for (copy, robots, is_current) in current
            .map(|robots| (0, robots, true))
            .into_iter()
            .chain(others)
        {
            let spoken = self.policy_tokens(robots, path);
            let counts = |preference| is_current || preference == Preference::Disallow;
            for (spoken_for, preference, line) in
                spoken.filter(|(_, preference, _)| counts(*preference))
            {
                let ground = Ground {
                    copy,
                    ..Ground::line("robots", line)
                };
                // LABEL-8: a no to training is a no to training of generative AI.
                let speaks = |label| spoken_for.contains(&label);
                let part = preference == Preference::Disallow
                    && speaks(Label::TrainAi)
                    && !speaks(Label::TrainGenai);
                for label in spoken_for
                    .iter()
                    .copied()
                    .chain(part.then_some(Label::TrainGenai))
                {
                    labels.add_answer(
                        label,
                        preference,
                        POLICY_TOKEN,
                        std::slice::from_ref(&ground),
                    );
                }
            }
        }
    }

    /// Returns the lines and fields that are in doubt for a page (KNOW-10).
    pub fn in_doubt<'a>(&self, page: &'a PageRecord<'a>, site: &'a SiteCopies) -> Vec<InDoubt<'a>> {
        let (host, path) = (page.host(), page.path.as_ref());
        let line = |kind: CaptureKind, copy, line, reason| InDoubt {
            ground: Ground::line_of_copy(kind, copy, line),
            reason,
        };
        let mut found: Vec<InDoubt<'a>> = Vec::new();
        let own_crawl = self
            .access_to(page, site.current.state, site.robots())
            .preference;
        let others = self.other_robots(page, site);
        for (copy, robots, crawl) in robots_copies(site, own_crawl, &others) {
            let holds = !self
                .held_by_lost_lines(robots, (host, path), crawl)
                .is_empty();
            let lost = if holds {
                robots.binding_lines()
            } else {
                robots.lost_lines()
            }
            .iter();
            found.extend(lost.map(|number| line(CaptureKind::Robots, copy, *number, LINE_LOST)));
            let lines = robots
                .doubts()
                .into_iter()
                .flat_map(|doubts| doubts.lines(host, path, crawl));
            found.extend(lines.map(|number| line(CaptureKind::Robots, copy, number, MAY_BE_NO)));
        }
        for (kind, doubts) in site.doubts() {
            let places = doubts.places(path).filter(|(_, number)| *number > 0);
            found.extend(places.map(|(copy, number)| line(kind, copy, number, MAY_BE_NO)));
        }
        let fields = doubtful_fields(page.fields, &self.viewpoint).into_iter();
        let field = |(field, _): (Field<'a>, LabelSet)| InDoubt {
            ground: Ground::field(&field),
            reason: MAY_BE_NO,
        };
        found.extend(fields.map(field));
        found
    }

    /// ACCT-2: the carriers and files of a page with content that may be a no and was not understood, and the labels to which.
    fn doubtful(
        &self,
        page: &PageRecord<'_>,
        site: &SiteCopies,
        (own_crawl, others): (Preference, &[OtherAnswer<'_>]),
    ) -> Vec<(&'static str, LabelSet)> {
        let (host, path) = (page.host(), page.path.as_ref());
        let fields = doubtful_fields(page.fields, &self.viewpoint).into_iter();
        let fields = fields.map(|(field, labels)| (field.carrier.unread_name(), labels));
        let robots = robots_copies(site, own_crawl, others).map(|(_, robots, crawl)| {
            let held = robots
                .doubts()
                .map_or(LabelSet::EMPTY, |doubts| doubts.hold(host, path, crawl));
            let lost = self.held_by_lost_lines(robots, (host, path), crawl);
            (CaptureKind::Robots.as_str(), held.with(lost))
        });
        let others = site
            .doubts()
            .map(|(kind, doubts)| (kind.as_str(), doubts.hold(path)));
        fields
            .chain(robots)
            .chain(others)
            .filter(|(_, labels)| !labels.is_empty())
            .collect()
    }
}

/// A page as systems see it, and the copies of its site's files.
struct PageCopies<'p, 'a> {
    subject: Page<'a>,
    site: &'a SiteCopies,
    /// The answer of the robots.txt that counts, alone.
    own_crawl: Preference,
    others: &'p [OtherAnswer<'a>],
}

/// Another copy of robots.txt and its answer for a page.
struct OtherAnswer<'a> {
    /// Its number among the bodies of robots.txt.
    copy: usize,
    counts_for: CountsFor,
    of: CopyOf,
    robots: Option<&'a CompiledRobots>,
    crawl: Preference,
    access: AccessAnswer<'a>,
}

/// Returns every robots.txt that counts, with the number of its copy and its answer for a page.
fn robots_copies<'a>(
    site: &'a SiteCopies,
    own_crawl: Preference,
    others: &[OtherAnswer<'a>],
) -> impl Iterator<Item = (usize, &'a CompiledRobots, Preference)> {
    let own = site.robots().map(|robots| (0, robots, own_crawl));
    own.into_iter().chain(
        others
            .iter()
            .filter_map(|other| Some((other.copy, other.robots?, other.crawl))),
    )
}

/// Returns the access by the copy that counts, with the noes of the others.
fn joined_access<'a>(
    mut access: AccessAnswer<'a>,
    others: &[OtherAnswer<'a>],
    noes_only: Option<NoesOnly>,
) -> AccessAnswer<'a> {
    if let Some(why) = noes_only {
        access.withhold_yes(why.as_str());
    }
    for other in others
        .iter()
        .filter(|other| other.counts_for == CountsFor::AccessAndLabels)
    {
        access.take_noes(&other.access, other.of.as_str());
    }
    access
}

/// Adds the noes of a system from other lines (ACCT-5) or another copy of a file (FRAME-9, KNOW-3) to its opinions and columns.
fn add_noes<'a>(
    answer: &mut Answer<'a>,
    (copy, noes): (usize, &'a dyn Compiled),
    page: &Page<'a>,
    viewpoint: &'a Viewpoint,
) {
    let no = Value::Word(Preference::Disallow.as_str());
    let mut other = Answer::default();
    noes.answer(page, viewpoint, &mut other);
    for mut opinion in other
        .opinions
        .into_iter()
        .filter(|one| one.preference == Preference::Disallow)
    {
        opinion
            .grounds
            .iter_mut()
            .for_each(|ground| ground.copy += copy);
        answer.opinions.push(opinion);
    }
    for (value, other) in answer.values.iter_mut().zip(other.values) {
        if other == no {
            *value = other;
        }
    }
}

impl SystemAnswer<'_> {
    /// LABEL-3, for a system's own columns: they allow nothing if a carrier that the system reads may contain its no.
    fn withhold_yes(&mut self, unread: &[&str]) {
        let about = self.about;
        if unread.iter().any(|carrier| reads(about, carrier)) {
            withhold_yes_beyond(&mut self.values, &[]);
        }
    }
}

/// Returns whether a system reads a carrier or a site file, by its name.
fn reads(about: &About, carrier: &str) -> bool {
    match carrier {
        "robots" | "header" => !about.lines.names.is_empty(),
        // FRAME-11
        "archive" => true,
        carrier => about.site_file.is_some_and(|kind| kind.as_str() == carrier),
    }
}

/// Makes values that allow unknown, except where the same value of `others` allows, too.
fn withhold_yes_beyond(values: &mut [Value], others: &[Value]) {
    let is_yes = |value: &Value| matches!(value, Value::Word("allow"));
    for (place, value) in values.iter_mut().enumerate() {
        if is_yes(value) && !others.get(place).is_some_and(is_yes) {
            *value = Value::Word(Preference::Unknown.as_str());
        }
    }
}

impl Decision<'_> {
    /// Returns the values of all systems' columns, in the order of `pages`.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.answers.iter().flat_map(|answer| &answer.values)
    }
}
