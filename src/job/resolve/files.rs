//! The distinct bodies of a group's site files, in the order and the chunks in which their rows are made.

use super::Work;
use crate::robots::{ParseLimit, RobotsTxt};
use crate::runs::{Bodies, Body};
use crate::tables::columns::BodyKey;
use crate::verdict::site::SiteFacts;
use crate::verdict::{Legibility, SiteBodies, SiteBody};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use std::borrow::Cow;
use std::io;
use std::iter;

/// Bodies that one worker takes at once, unless their text is long. As the rows of a chunk are handed on
/// together, chunks are cut at fixed numbers.
const CHUNK: usize = 256;
/// Text that one worker takes at once, in bytes: some statements are in rows that are much longer.
const CHUNK_BYTES: usize = 1 << 19;
/// Rows that are held before they are written, in bytes.
const HELD_BYTES: usize = 16 << 20;

/// The site files of a group.
#[derive(Clone, Copy)]
pub struct Files<'f> {
    /// Its segment.
    pub segment: Option<&'f str>,
    /// The bodies.
    pub bodies: &'f Bodies,
}

/// A body of a site file, and its digest.
pub struct File<'f> {
    /// Its number.
    pub number: u32,
    /// What it is.
    pub body: &'f Body,
    digest: String,
}

impl<'f> Files<'f> {
    /// Returns a body with what can be read of it; `None` where that is nothing.
    pub fn read(&self, number: u32) -> io::Result<Option<(File<'f>, Cow<'f, [u8]>)>> {
        let body = self.bodies.get(number).filter(|body| body.legibility == Legibility::Readable);
        let Some(body) = body else { return Ok(None) };
        Ok(Some((File { number, body, digest: body.key.digest() }, self.bodies.read(number)?)))
    }

    /// Returns a body's key in the tables.
    pub fn key<'k>(&'k self, file: &'k File<'_>) -> BodyKey<'k> {
        BodyKey { segment: self.segment, digest: &file.digest }
    }
}

/// Rows that are made of bodies.
pub trait RowsOfBodies {
    /// The rows, once they are made.
    type Made;

    /// Adds those of a body.
    fn add_body(&mut self, number: u32) -> io::Result<()>;

    /// Returns the bytes of the rows so far.
    fn byte_count(&self) -> usize;

    /// Returns the rows.
    fn finish(self) -> io::Result<Self::Made>;
}

/// Returns the rows of a chunk's bodies, until these take [`HELD_BYTES`], and the bodies that are left.
pub fn rows_of_bodies<R: RowsOfBodies>(
    mut rows: R,
    mut chunk: Vec<u32>,
    work: &Work<'_>,
) -> io::Result<(R::Made, Option<Vec<u32>>)> {
    let mut done = 0;
    for number in &chunk {
        work.go_on()?;
        rows.add_body(*number)?;
        done += 1;
        if rows.byte_count() > HELD_BYTES {
            break;
        }
    }
    let left = chunk.split_off(done);
    Ok((rows.finish()?, (!left.is_empty()).then_some(left)))
}

/// Returns the numbers of some bodies in chunks: those of robots.txt, then the others.
pub fn chunks(
    bodies: &Bodies,
    are_wanted: impl Fn(u32) -> bool + Copy + Send,
) -> impl Iterator<Item = io::Result<Vec<u32>>> + Send {
    let is_robots = |(_, body): &(u32, &Body)| body.key.kind == CaptureKind::Robots;
    let others = bodies.iter().filter(move |body| !is_robots(body));
    let all = bodies.iter().filter(is_robots).chain(others);
    let mut rest = all.filter(move |(number, _)| are_wanted(*number)).peekable();
    iter::from_fn(move || {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
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

/// Returns what was found out about a robots.txt that a capture has wholly or in part.
pub fn facts<'b>(
    bodies: &'b Bodies,
    SiteBody { number, extent }: SiteBody,
    work: &Work<'_>,
) -> io::Result<Option<Cow<'b, SiteFacts>>> {
    let Some(body) = bodies.get(number) else { return Ok(None) };
    if let Some(facts) = body.known_facts().filter(|_| body.extent == extent) {
        return Ok(Some(Cow::Borrowed(facts)));
    }
    let robots = RobotsTxt::parse_text(bodies.read(number)?, extent, ParseLimit::default());
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::of(&robots, &named, &work.vendor_texts.find(&robots), work.resolver);
    let is_of_body = body.extent == extent;
    Ok(Some(if is_of_body {
        Cow::Borrowed(body.keep_facts(facts))
    } else {
        Cow::Owned(facts.beside_rival(body.has_rival))
    }))
}
