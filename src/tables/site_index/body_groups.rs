//! Where bodies are: the row groups of `bodies` that rows of a row group of `fetches` need, which its own footer lists.
//!
//! Example: `128 31 0 40960 52210 9f86d081884c7d659a2feaa0c55ad015`: the bodies 128 to 158 are in part 0, from byte 40,960 on.

use super::part::GroupRange;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;

/// A row group of `bodies`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyGroup {
    /// How many bodies it has.
    pub rows: u64,
    /// The number of its part.
    pub part: usize,
    /// Where it is there.
    pub range: GroupRange,
}

/// Row groups of `bodies`, by the number of their first body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyGroups(pub BTreeMap<u64, BodyGroup>);

impl BodyGroups {
    /// Returns the row group with a body, and the number of its first one.
    pub fn group_of(&self, number: u64) -> Option<(u64, &BodyGroup)> {
        let (first, group) = self.0.range(..=number).next_back()?;
        (number - first < group.rows).then_some((*first, group))
    }

    /// Returns the list of some, by the numbers of their first bodies.
    pub fn list(&self, firsts: impl IntoIterator<Item = u64>) -> String {
        let mut text = String::new();
        for (first, group) in firsts.into_iter().filter_map(|first| Some((first, self.0.get(&first)?))) {
            let BodyGroup { rows, part, range: GroupRange { start, bytes, sha256 } } = group;
            // Writing to a String does not fail.
            let _ = writeln!(text, "{first} {rows} {part} {start} {bytes} {sha256}");
        }
        text
    }

    /// Adds those of a list.
    pub fn add(&mut self, list: &str) -> io::Result<()> {
        for line in list.lines() {
            let (first, group) = group(line).ok_or_else(|| {
                io::Error::other(format!("no row group of bodies: `{}`", line.escape_debug()))
            })?;
            self.insert(first, group)?;
        }
        Ok(())
    }

    /// Adds a row group, which has no body that another one has.
    pub fn insert(&mut self, first: u64, group: BodyGroup) -> io::Result<()> {
        let end = first.checked_add(group.rows);
        let before = self.0.range(..first).next_back();
        let is_behind = before.is_none_or(|(before, other)| before.saturating_add(other.rows) <= first);
        let next = self.0.range(first..).next();
        let is_known = next.is_some_and(|known| known == (&first, &group));
        let is_before = end.is_some_and(|end| next.is_none_or(|(next, _)| end <= *next));
        if !(is_known || is_behind && is_before) {
            return Err(io::Error::other(format!("two row groups of bodies have body {first}")));
        }
        self.0.insert(first, group);
        Ok(())
    }
}

fn group(line: &str) -> Option<(u64, BodyGroup)> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    let (first, rows, part, start, bytes) = (number()?, number()?, number()?, number()?, number()?);
    let range = GroupRange { start, bytes, sha256: words.next()?.to_owned() };
    Some((first, BodyGroup { rows, part: usize::try_from(part).ok()?, range }))
}

#[cfg(test)]
mod tests {
    use super::BodyGroups;

    #[test]
    fn local_lists_of_row_groups_are_read_back() {
        let text = "128 31 0 40960 52210 9f86\n159 2 1 4 17 a0c5\n";
        let mut groups = BodyGroups::default();
        groups.add(text).expect("a list");
        assert_eq!(groups.list([128, 159]), text);
        assert_eq!(groups.group_of(158).map(|(first, group)| (first, group.range.start)), Some((128, 40960)));
        assert_eq!(groups.group_of(160).map(|(first, group)| (first, group.part)), Some((159, 1)));
        assert!(groups.group_of(127).is_none() && groups.group_of(161).is_none());
        groups.add(text).expect("the same again");
        let wrong = [
            "128 31 0 40960 52210",
            "x 31 0 1 2 3",
            "-1 1 1 1 1 a",
            // Another place of the same bodies, and bodies of two.
            "128 31 0 40961 52210 9f86",
            "158 1 0 1 2 3",
            "100 29 0 1 2 3",
            "18446744073709551615 1 0 1 2 3",
        ];
        for wrong in wrong {
            assert!(groups.add(wrong).is_err(), "{wrong}");
        }
    }
}
