//! A file as the two studies read it with which classes are compared.
//!
//! Ours: both cut a file into lines, cut off comments and white space, and give groups the names of their
//! user-agent lines; what else they do is each one's own (`dpi`, `imc`). Example: `User-agent: A # b` names
//! `a` for both.
//! Left out: everything that RFC 9309 would say of a line.

use super::dpi::DpiFile;
use super::imc::ImcFile;
use crate::signals::robots_txt::RobotsTxt;
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
    lines: Vec<(&'a [u8], u32)>,
    classes: BTreeMap<Vec<u32>, C>,
    /// Kept for the next answer.
    buffer: Vec<u32>,
}

impl<C> Default for Names<'_, C> {
    fn default() -> Self {
        Self { lines: Vec::new(), classes: BTreeMap::new(), buffer: Vec::new() }
    }
}

impl<'a, C: Copy> Names<'a, C> {
    pub(super) fn add(&mut self, name: &'a [u8], group: usize) {
        self.lines.push((name, u32::try_from(group).unwrap_or(u32::MAX)));
    }

    fn sort(&mut self) {
        let lower = |name: &'a [u8]| name.iter().map(u8::to_ascii_lowercase);
        self.lines.sort_by(|(one, _), (other, _)| lower(one).cmp(lower(other)));
    }

    /// Returns the class of a name in lower case: `decide` tells that of its groups, or of everyone's where
    /// it has none, and is asked once for the same groups.
    pub(super) fn class(&mut self, name: &[u8], decide: impl FnOnce(&[u32]) -> C) -> C {
        let mut groups = std::mem::take(&mut self.buffer);
        groups.clear();
        self.add_own_groups(name, &mut groups);
        if groups.is_empty() {
            self.add_own_groups(b"*", &mut groups);
        }
        let known = self.classes.get(&groups).copied();
        let class = known.unwrap_or_else(|| decide(&groups));
        if known.is_none() {
            self.classes.insert(groups.clone(), class);
        }
        self.buffer = groups;
        class
    }

    fn add_own_groups(&self, name: &[u8], groups: &mut Vec<u32>) {
        let first = self.lines.partition_point(|(known, _)| order_without_case(known, name).is_lt());
        let same = self.lines.iter().skip(first).take_while(|(known, _)| known.eq_ignore_ascii_case(name));
        groups.extend(same.map(|(_, group)| *group));
        groups.dedup();
    }
}
