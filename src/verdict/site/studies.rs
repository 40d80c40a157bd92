//! A file as the two studies read it with which classes are compared.
//!
//! Ours: both cut a file into lines, cut off comments and white space, and give groups the names of their
//! user-agent lines; what else they do is each one's own (`dpi`, `imc`). Example: `User-agent: A # b` names
//! `a` for both.
//! Left out: everything that RFC 9309 would say of a line.

use super::dpi::DpiFile;
use super::imc::ImcFile;
use crate::robots::RobotsTxt;
use crate::web::product_token::order_without_case;
use std::collections::BTreeMap;

/// Reads a file as both studies did.
#[must_use]
pub fn read(robots: &RobotsTxt) -> (DpiFile<'_>, ImcFile<'_>) {
    let file = robots.bytes();
    let most = robots.records().len();
    let (mut dpi, mut imc) = (DpiFile::with_capacity(most), ImcFile::with_capacity(file, most));
    if robots.bad_line_count() == 0 {
        // No line is lost to us that may say something to them, and our records are cut as their lines are.
        for record in robots.records() {
            dpi.add(record.text);
            imc.add_record(&record);
        }
    } else {
        for (_, line) in robots.lines() {
            let end = memchr::memchr(b'#', line).unwrap_or(line.len());
            let text = line.get(..end).unwrap_or(line).trim_ascii();
            dpi.add(text);
            imc.add(text);
        }
    }
    dpi.names.sort();
    imc.names.sort();
    (dpi, imc)
}

/// The groups of each name, by their places in a file, and the classes of groups together.
pub(super) struct Names<'a, C> {
    lines: Vec<NameLine<'a>>,
    classes: ByGroups<C>,
    /// Kept for the next answer.
    buffer: Vec<u32>,
}

struct NameLine<'a> {
    /// Distinguishes most names.
    start: u64,
    name: &'a [u8],
    group: u32,
}

impl<C> Default for Names<'_, C> {
    fn default() -> Self {
        Self { lines: Vec::new(), classes: ByGroups::default(), buffer: Vec::new() }
    }
}

impl<'a, C: Copy> Names<'a, C> {
    pub(super) fn add(&mut self, name: &'a [u8], group: usize) {
        let group = u32::try_from(group).unwrap_or(u32::MAX);
        self.lines.push(NameLine { start: start(name), name, group });
    }

    fn sort(&mut self) {
        let lower = |name: &'a [u8]| name.iter().map(u8::to_ascii_lowercase);
        let order = |one: &NameLine<'a>, other: &NameLine<'a>| {
            one.start.cmp(&other.start).then_with(|| lower(one.name).cmp(lower(other.name)))
        };
        self.lines.sort_by(order);
    }

    /// Returns the class of a name in lower case: `decide` returns that of its groups, or of everyone's where
    /// it has none, and is asked once for the same groups.
    pub(super) fn class(&mut self, name: &[u8], decide: impl FnOnce(&[u32]) -> C) -> C {
        let mut groups = std::mem::take(&mut self.buffer);
        groups.clear();
        self.add_own_groups(name, &mut groups);
        if groups.is_empty() {
            self.add_own_groups(b"*", &mut groups);
        }
        let class = self.classes.get_or_insert_with(&groups, || decide(&groups));
        self.buffer = groups;
        class
    }

    fn add_own_groups(&self, name: &[u8], groups: &mut Vec<u32>) {
        let start = start(name);
        let order =
            |line: &NameLine<'_>| line.start.cmp(&start).then_with(|| order_without_case(line.name, name));
        let first = self.lines.partition_point(|line| order(line).is_lt());
        let same = self.lines.iter().skip(first).take_while(|line| order(line).is_eq());
        groups.extend(same.map(|line| line.group));
        groups.dedup();
    }
}

/// Returns the first eight octets of a name in lower case, as a number in the order of names.
fn start(name: &[u8]) -> u64 {
    let mut start = [0; 8];
    for (octet, of_name) in start.iter_mut().zip(name) {
        *octet = of_name.to_ascii_lowercase();
    }
    u64::from_be_bytes(start)
}

/// What is known of the groups that hold for an agent together; for most it is one.
pub(super) struct ByGroups<T> {
    of_one: Vec<Option<T>>,
    of_more: BTreeMap<Vec<u32>, T>,
}

impl<T> Default for ByGroups<T> {
    fn default() -> Self {
        Self { of_one: Vec::new(), of_more: BTreeMap::new() }
    }
}

impl<T: Copy> ByGroups<T> {
    pub(super) fn get_or_insert_with(&mut self, groups: &[u32], find: impl FnOnce() -> T) -> T {
        if let [group] = groups {
            let place = *group as usize;
            if self.of_one.len() <= place {
                self.of_one.resize(place + 1, None);
            }
            return match self.of_one.get_mut(place) {
                Some(known) => *known.get_or_insert_with(find),
                None => find(),
            };
        }
        if let Some(known) = self.of_more.get(groups) {
            return *known;
        }
        let found = find();
        self.of_more.insert(groups.to_vec(), found);
        found
    }
}
