//! The names that a file's groups have to a study, and the classes of groups together.

use crate::verdict::site::ByGroups;
use crate::web::product_token::order_without_case;

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

    pub(super) fn sort(&mut self) {
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
