//! The decision about one page: the only place that composes verdicts.
//!
//! Input: a page as received, and what its site's files said at that time. Output: a [`Decision`] with the access by
//! robots.txt, every system's answer, and the labels over all of them. Pure.
//! Example: a page under `Disallow: /` with the header `Content-Usage: train-ai=n` is closed; the header disallows `train_ai`.
//! Left out: which copies of the files were current (`site_index`), and rows and text made of a decision.

use super::labels::{LabelAnswers, Labels};
use super::resolver::{LINE_LOST, Resolver};
use super::{access::Access, access::Disallowed, account::doubtful_fields, site_index::SiteCopies};
use crate::systems::{
    About, Answer, Compiled, Ground, Label, LabelSet, Opinion, Page, SYSTEMS, Value, Viewpoint,
};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, field::Field, media_type::is_image, path_pattern::UrlPath,
    preference::Preference, timestamp::Timestamp,
};

/// A page as received.
pub struct PageRecord<'a> {
    url: Option<PageUrl<'a>>,
    path: Option<UrlPath>,
    /// Its media type in lower case, if the response has one.
    pub media_type: Option<&'a str>,
    /// When it was fetched, if known.
    pub fetched_at: Option<Timestamp>,
    pub fields: &'a [Field<'a>],
    /// The carriers that could not be read in full.
    pub unread: &'a [&'a str],
}

/// The decision about a page.
pub struct Decision<'a> {
    pub access: Access<'a>,
    /// The answer of each system, in the order of `SYSTEMS`.
    pub answers: Vec<SystemAnswer<'a>>,
    pub labels: Labels<'a>,
    /// The carriers and site files that were not read whole: those of the record, then others, sorted.
    pub unread: Vec<&'a str>,
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

/// The unseen carriers of a page that is known only by its URL: none of its labels is allow (LABEL-3).
pub const UNSEEN: [&str; 2] = ["header", "meta"];

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

impl<'a> PageRecord<'a> {
    /// Takes a page; its URL is `None` if it cannot be read.
    pub fn new(
        url: Option<PageUrl<'a>>,
        media_type: Option<&'a str>,
        fields: &'a [Field<'a>],
        unread: &'a [&'a str],
    ) -> Self {
        let path = |url: &PageUrl<'_>| UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
        Self { path: url.as_ref().map(path), url, media_type, fetched_at: None, fields, unread }
    }

    fn host(&self) -> Option<&str> {
        self.url.as_ref().map(PageUrl::origin_host)
    }

    /// Returns it as systems see it; `crawl` is the access by robots.txt.
    pub fn for_systems(&self, crawl: Preference) -> Page<'_> {
        let (media_type, fetched_at, fields) = (self.media_type, self.fetched_at, self.fields);
        let (scheme, host) = self.url.as_ref().map(|url| (url.scheme(), url.origin_host())).unzip();
        Page { scheme, host, path: self.path.as_ref(), media_type, fetched_at, crawl, fields }
    }
}

impl Resolver {
    /// Decides about a page, by what its site's files said when it was fetched.
    pub fn decide<'a>(&'a self, page: &'a PageRecord<'a>, site: &'a SiteCopies) -> Decision<'a> {
        let path = page.path.as_ref();
        let robots = site.robots().next();
        let mut access = self.access(site.current.state, robots, path);
        for rival in site.robots().skip(1) {
            access.take_noes(self.access(site.current.state, Some(rival), path));
        }
        close_by_url(&mut access, site, page.host(), path);
        let subject = page.for_systems(access.preference);
        let is_image = is_image(page.media_type, page.url.as_ref().map(PageUrl::path));
        let mut labels = LabelAnswers::default();
        let mut unread = site.unread.clone();
        let answer = |(place, by_robots): (usize, &'a dyn Compiled)| {
            let about = SYSTEMS.get(place)?.about();
            let mut answer = Answer::default();
            site.compiled(place).unwrap_or(by_robots).answer(&subject, &self.viewpoint, &mut answer);
            let of_site = Page { fields: &[], ..subject };
            if let Some(noes) = robots.and_then(|robots| robots.noes.get(place)) {
                add_noes(&mut answer, (0, noes.as_ref()), &of_site, &self.viewpoint);
            }
            for rival in site.rivals(place) {
                add_noes(&mut answer, rival, &of_site, &self.viewpoint);
            }
            unread.append(&mut answer.unread);
            let Answer { values, opinions, .. } = answer;
            for opinion in &opinions {
                labels.add(about, opinion, is_image, &self.viewpoint);
            }
            Some(SystemAnswer { about, values, opinions })
        };
        let answers = self.systems(robots).iter().map(Box::as_ref).enumerate().filter_map(answer);
        let mut answers: Vec<SystemAnswer<'_>> = answers.collect();
        self.add_policy_tokens(&mut labels, site, path);
        let doubtful = self.doubtful(page, site, access.preference);
        let gaps = !page.unread.is_empty() || !unread.is_empty();
        let in_doubt =
            doubtful.iter().fold(LabelSet::ALL.only_if(gaps), |all, (_, labels)| all.with(*labels));
        unread.extend(doubtful.into_iter().map(|(carrier, _)| carrier));
        unread.sort_unstable();
        unread.dedup();
        unread.retain(|carrier| !page.unread.contains(carrier));
        let unread: Vec<&str> = page.unread.iter().copied().chain(unread).collect();
        let of_site = site.unread.iter().chain(&site.unread_without_labels);
        let missing: Vec<&str> = page.unread.iter().chain(of_site).copied().collect();
        for answer in &mut answers {
            answer.withhold_yes(&missing);
        }
        Decision { access, answers, labels: labels.decide(in_doubt), unread, in_doubt }
    }

    /// Adds what the groups of policy tokens state; only the noes of another file of the same second count.
    fn add_policy_tokens<'a>(
        &'a self,
        labels: &mut LabelAnswers<'a>,
        site: &'a SiteCopies,
        path: Option<&'a UrlPath>,
    ) {
        let Some(path) = path else { return };
        for (copy, robots) in site.robots().enumerate() {
            let spoken = self.policy_tokens(robots, path);
            let counts = |preference| copy == 0 || preference == Preference::Disallow;
            for (spoken_for, preference, line) in spoken.filter(|(_, preference, _)| counts(*preference)) {
                let ground = Ground { copy, ..Ground::line("robots", line) };
                // LABEL-8: a no to training is a no to training of generative AI.
                let speaks = |label| spoken_for.contains(&label);
                let part = preference == Preference::Disallow
                    && speaks(Label::TrainAi)
                    && !speaks(Label::TrainGenai);
                for label in spoken_for.iter().copied().chain(part.then_some(Label::TrainGenai)) {
                    labels.add_answer(label, preference, POLICY_TOKEN, std::slice::from_ref(&ground));
                }
            }
        }
    }

    /// Returns the lines and fields that are in doubt for a page (KNOW-10); `crawl` is the access to it.
    pub fn in_doubt<'a>(
        &self,
        page: &'a PageRecord<'a>,
        site: &'a SiteCopies,
        crawl: Preference,
    ) -> Vec<InDoubt<'a>> {
        let (host, path) = (page.host(), page.path.as_ref());
        let line = |kind: CaptureKind, copy, line, reason| InDoubt {
            ground: Ground::line_of_copy(kind, copy, line),
            reason,
        };
        let mut found: Vec<InDoubt<'a>> = Vec::new();
        for (copy, robots) in site.robots().enumerate() {
            let lost = robots.lost_lines().iter();
            found.extend(lost.map(|number| line(CaptureKind::Robots, copy, *number, LINE_LOST)));
            let lines = robots.doubts().into_iter().flat_map(|doubts| doubts.lines(host, path, crawl));
            found.extend(lines.map(|number| line(CaptureKind::Robots, copy, number, MAY_BE_NO)));
        }
        for (kind, doubts) in site.doubts() {
            let places = doubts.places(path).filter(|(_, number)| *number > 0);
            found.extend(places.map(|(copy, number)| line(kind, copy, number, MAY_BE_NO)));
        }
        let fields = doubtful_fields(page.fields, &self.viewpoint).into_iter();
        let field =
            |(field, _): (Field<'a>, LabelSet)| InDoubt { ground: Ground::field(&field), reason: MAY_BE_NO };
        found.extend(fields.map(field));
        found
    }

    /// ACCT-2: the carriers and files of a page with content that may be a no and was not understood, and the labels to which.
    fn doubtful(
        &self,
        page: &PageRecord<'_>,
        site: &SiteCopies,
        crawl: Preference,
    ) -> Vec<(&'static str, LabelSet)> {
        let (host, path) = (page.host(), page.path.as_ref());
        let fields = doubtful_fields(page.fields, &self.viewpoint).into_iter();
        let fields = fields.map(|(field, labels)| (field.carrier.unread_name(), labels));
        let robots = site.robots().filter_map(|robots| robots.doubts());
        let robots = robots.map(|doubts| (CaptureKind::Robots.as_str(), doubts.hold(host, path, crawl)));
        let others = site.doubts().map(|(kind, doubts)| (kind.as_str(), doubts.hold(path)));
        fields.chain(robots).chain(others).filter(|(_, labels)| !labels.is_empty()).collect()
    }
}

/// ACCT-9: a disallow line with a URL of the page's own host may close the page.
fn close_by_url(access: &mut Access<'_>, site: &SiteCopies, host: Option<&str>, path: Option<&UrlPath>) {
    let mut doubts = site.robots().filter_map(|robots| robots.doubts());
    if access.preference == Preference::Allow && doubts.any(|doubts| doubts.closes(host, path)) {
        let disallowed = match std::mem::take(&mut access.disallowed) {
            Disallowed::Some(tokens) => Disallowed::AtLeast(tokens),
            other => other,
        };
        *access = Access { matched: access.matched, disallowed, ..Access::unknown(LINE_LOST) };
    }
}

/// Adds the noes of a system from other lines (ACCT-5) or another copy of a file (FRAME-9) to its opinions and columns.
fn add_noes<'a>(
    answer: &mut Answer<'a>,
    (copy, noes): (usize, &'a dyn Compiled),
    page: &Page<'a>,
    viewpoint: &'a Viewpoint,
) {
    let no = Value::Word(Preference::Disallow.as_str());
    let mut other = Answer::default();
    noes.answer(page, viewpoint, &mut other);
    for mut opinion in other.opinions.into_iter().filter(|one| one.preference == Preference::Disallow) {
        opinion.grounds.iter_mut().for_each(|ground| ground.copy += copy);
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
        let is_read = |carrier: &&str| match *carrier {
            "robots" | "header" => !about.lines.names.is_empty(),
            // FRAME-11
            "archive" => true,
            carrier => about.site_file.is_some_and(|kind| kind.as_str() == carrier),
        };
        if unread.iter().any(is_read) {
            for value in self.values.iter_mut().filter(|value| matches!(value, Value::Word("allow"))) {
                *value = Value::Word(Preference::Unknown.as_str());
            }
        }
    }
}

impl Decision<'_> {
    /// Returns the values of all systems' columns, in the order of `pages`.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.answers.iter().flat_map(|answer| &answer.values)
    }
}
