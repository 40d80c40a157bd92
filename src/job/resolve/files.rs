//! The distinct bodies of a group's site files, in the order and the chunks in which their rows are made.
//!
//! Also the facts of each body as a whole, found while its rows are made, and needed once for each origin. Example: a managed
//! robots.txt that a thousand origins share is read once. Most bodies close the same tokens of the agents table, kept once.

use super::Work;
use crate::robots::{ParseLimit, RobotsTxt};
use crate::runs::{ArchiveGroup, Bodies, StoredBody};
use crate::systems::{FileBody, SYSTEMS, Source};
use crate::verdict::account::{AccountedStatement, each_statement, near_misses};
use crate::verdict::site::{AgentFacts, ClosedTokens, SiteFacts, agents};
use crate::verdict::{Legibility, Resolver, SiteBodies, SiteBody};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::{io, iter};

/// Bodies that one worker takes at once, unless their text is long. Fixed, as the rows of a chunk are handed on together.
const CHUNK: usize = 256;
/// Bytes of text that one worker takes at once: some statements are in much longer rows.
const CHUNK_BYTES: usize = 1 << 19;
/// Bytes of rows that are held before they are written.
const HELD_BYTES: usize = 16 << 20;

/// The readable body of a site file of a group.
pub struct File<'f> {
    pub number: u32,
    pub segment: Option<&'f str>,
    pub body: &'f StoredBody,
    pub bytes: Cow<'f, [u8]>,
}

impl File<'_> {
    pub fn robots(self) -> RobotsTxt {
        RobotsTxt::parse_text(self.bytes, self.body.extent, ParseLimit::default())
    }
}

/// Gives each body of a chunk to `add`, which returns the bytes of the rows that it has made so far, until these are more than
/// [`HELD_BYTES`]; returns the bodies that are left. A body that is not text is given by its number alone.
pub fn each_body(
    group: &ArchiveGroup<'_>,
    bodies: &Bodies,
    mut chunk: Vec<u32>,
    work: &Work<'_>,
    mut add: impl FnMut(u32, Option<File<'_>>) -> io::Result<usize>,
) -> io::Result<Option<Vec<u32>>> {
    let mut done = 0;
    for number in chunk.iter().copied() {
        work.go_on()?;
        let body = bodies
            .get(number)
            .filter(|body| body.legibility == Legibility::READABLE);
        let segment = group.segment.as_deref();
        let file = |body| {
            Ok::<_, io::Error>(File {
                number,
                segment,
                body,
                bytes: bodies.read(number)?,
            })
        };
        let byte_count = add(number, body.map(file).transpose()?)?;
        done += 1;
        if byte_count > HELD_BYTES {
            break;
        }
    }
    let left = chunk.split_off(done);
    Ok((!left.is_empty()).then_some(left))
}

/// Returns the numbers of some bodies of a group in chunks: those of robots.txt, then the others.
pub fn chunks(
    bodies: &Bodies,
    are_wanted: impl Fn(u32) -> bool + Copy + Send,
) -> impl Iterator<Item = io::Result<Vec<u32>>> + Send {
    let is_robots = |(_, body): &(u32, &StoredBody)| body.key.kind == CaptureKind::Robots;
    let others = bodies.own().filter(move |body| !is_robots(body));
    let all = bodies.own().filter(is_robots).chain(others);
    let mut rest = all
        .filter(move |(number, _)| are_wanted(*number))
        .peekable();
    iter::from_fn(move || {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while chunk.len() < CHUNK
            && let Some((number, body)) =
                rest.next_if(|(_, body)| bytes == 0 || bytes + body.bytes as usize <= CHUNK_BYTES)
        {
            chunk.push(number);
            bytes += body.bytes as usize;
        }
        (!chunk.is_empty()).then_some(Ok(chunk))
    })
}

/// Returns the facts of a robots.txt that a capture has in full or in part.
pub fn facts<'b>(
    bodies: &'b Bodies,
    SiteBody { number, extent }: SiteBody,
    work: &Work<'_>,
) -> io::Result<Option<Cow<'b, SiteFacts>>> {
    let Some(body) = bodies.get(number) else {
        return Ok(None);
    };
    if let Some(facts) = body.known_facts().filter(|_| body.extent == extent) {
        return Ok(Some(Cow::Borrowed(facts)));
    }
    let robots = RobotsTxt::parse_text(bodies.read(number)?, extent, ParseLimit::default());
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::evaluate(
        &robots,
        &named,
        &work.vendor_texts.find(&robots),
        work.resolver,
    );
    Ok(Some(if body.extent == extent {
        Cow::Borrowed(body.keep_facts(facts))
    } else {
        Cow::Owned(facts.beside_rival(body.has_rival))
    }))
}

/// The facts of one body as a whole.
#[derive(Clone, Debug, Default)]
pub struct BodyFacts {
    /// The systems with statements in it: a bit for each, by its place.
    systems: u64,
    /// Of these, those with a valid statement.
    valid: u64,
    /// Whether it has units about AI that no system knows; these have rows as well (ACCT-6).
    has_unrecognised: bool,
    /// Whether a unit of it may be a no that was not understood, or was meant as a rule and cannot be read (ACCT-2, ACCT-4).
    has_doubt: bool,
    /// What it closes, if it is a robots.txt.
    closed: Option<Arc<ClosedTokens>>,
}

impl BodyFacts {
    pub fn read(kind: CaptureKind, body: FileBody<'_>, resolver: &Resolver) -> Self {
        let mut said = Self::default();
        if kind == CaptureKind::Robots {
            let robots = RobotsTxt::parse_text(body.bytes, body.extent, ParseLimit::default());
            said.add_statements(&Source::Robots(&robots), resolver);
            let named = robots.named_groups(TokenMatch::Exact);
            said.add_robots(&robots, &agents(&robots, &named, &[]), resolver);
        } else {
            said.add_statements(&Source::SiteFile(kind, body), resolver);
        }
        said
    }

    fn add_statements(&mut self, source: &Source<'_>, resolver: &Resolver) {
        each_statement(source, &resolver.viewpoint, &mut |accounted| {
            self.add_statement(accounted);
        });
    }

    /// Adds what a robots.txt closes, by its rules for each agent that it names.
    pub fn add_robots(
        &mut self,
        robots: &RobotsTxt,
        agents: &[AgentFacts<'_>],
        resolver: &Resolver,
    ) {
        self.has_doubt |= !near_misses(robots).is_empty();
        self.closed = Some(Arc::new(ClosedTokens::find(robots, agents, resolver)));
    }

    /// Adds a statement of a system, or of a unit that no system knows.
    pub fn add_statement(&mut self, accounted: &AccountedStatement<'_>) {
        self.has_doubt |= accounted.is_doubt;
        let Some(place) = accounted.system else {
            self.has_unrecognised = true;
            return;
        };
        self.systems |= 1 << place;
        self.valid |= u64::from(accounted.statement.defect.is_none()) << place;
    }
}

/// The facts of bodies, by their numbers.
#[derive(Default)]
pub struct FactsByBody {
    said: HashMap<u32, BodyFacts>,
    closed: HashSet<Arc<ClosedTokens>>,
}

impl FactsByBody {
    pub fn add(&mut self, body: u32, mut said: BodyFacts) {
        if let Some(closed) = said.closed.take() {
            self.closed.insert(Arc::clone(&closed));
            said.closed = self.closed.get(&closed).cloned();
        }
        self.said.insert(body, said);
    }

    pub fn has_statements(&self, body: u32) -> bool {
        self.said
            .get(&body)
            .is_some_and(|said| said.systems != 0 || said.has_unrecognised)
    }

    /// Whether some bodies state nothing, so that no label follows from them.
    pub fn state_nothing(
        &self,
        mut bodies: impl Iterator<Item = u32>,
        resolver: &Resolver,
    ) -> bool {
        bodies.all(|body| {
            self.said.get(&body).is_some_and(|said| {
                let named = said.closed.as_ref().map(|closed| &closed.named);
                !said.has_doubt
                    && said.systems == 0
                    && !named.is_some_and(|named| resolver.has_policy_token(named))
            })
        })
    }

    pub fn closed(&self, body: u32) -> Option<&ClosedTokens> {
        self.said.get(&body)?.closed.as_deref()
    }

    /// Returns the systems with statements, and those with valid statements, in some bodies, in their order.
    pub fn systems(&self, bodies: &[u32]) -> [Vec<&'static str>; 2] {
        let said = bodies.iter().filter_map(|body| self.said.get(body));
        let [systems, valid] = said.fold([0, 0], |[systems, valid], said| {
            [systems | said.systems, valid | said.valid]
        });
        [systems, valid].map(|bits| {
            let stated = SYSTEMS
                .iter()
                .enumerate()
                .filter(|(place, _)| bits >> place & 1 == 1);
            stated.map(|(_, system)| system.about().name).collect()
        })
    }
}
