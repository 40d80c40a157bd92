//! `bodies`: the distinct bodies of a range of hosts, in the order of the first host that has each.
//!
//! The footer of a row group of `fetches` lists the row groups of `bodies` that its rows need. Example: `128 31 0 40960 52210
//! 9f86d081884c7d659a2feaa0c55ad015`: the bodies 128 to 158 are in part 0, from byte 40,960 on.

use super::super::Table;
use super::super::slice::slice;
use super::part::GroupRange;
use crate::web::column::Column;
use arrow_array::{BinaryArray, Int64Array, StringArray};
use arrow_buffer::Buffer;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::io;

cells! {
    pub COLUMNS = fn append_body(cells, number: u64, digest: &[u8; 20], content: &[u8]) {
        int64("body", number): "number of the body, from 0 on over all parts",
        text("body_digest", BASE32.encode(digest)):
            "SHA-1 (base32) of the column content, key to robots and the like",
        binary("content", content): "body, dechunked and decoded, at most 1 MiB",
    }
}

/// Shared bytes that are not copied; a slice of them keeps all of them in memory.
pub type SharedBytes = Buffer;

pub static BODIES: Table = Table::new("bodies", "distinct body of a range of hosts", || {
    vec![COLUMNS]
});

slice! {
    pub struct Bodies {
        body: Int64Array = "body",
        body_digest: StringArray = "body_digest",
        body_content: BinaryArray = "content",
    }
}

impl Bodies {
    pub fn number(&self, row: usize) -> u64 {
        u64::try_from(self.body(row)).unwrap_or(u64::MAX)
    }

    pub fn digest(&self, row: usize) -> io::Result<[u8; 20]> {
        let mut digest = [0; 20];
        let text = self.body_digest(row).as_bytes();
        let is_digest = BASE32.decode_len(text.len()) == Ok(digest.len())
            && BASE32.decode_mut(text, &mut digest).is_ok();
        if is_digest {
            Ok(digest)
        } else {
            Err(io::Error::other("body_digest is no SHA-1 in base32"))
        }
    }

    /// Returns a row's body after comparing it with its digest: an answer must never get the body of another.
    pub fn content(&self, row: usize) -> io::Result<&[u8]> {
        let content = self.body_content(row);
        if *Sha1::digest(content) == self.digest(row)? {
            return Ok(content);
        }
        let detail = format!(
            "body {} does not have the digest that is beside it",
            self.number(row)
        );
        Err(io::Error::other(detail))
    }

    /// Returns a row's body without copying it; it keeps all rows in memory.
    pub fn shared(&self, row: usize) -> SharedBytes {
        let offsets = self.body_content.value_offsets();
        let offset = |row: usize| {
            offsets
                .get(row)
                .and_then(|offset| usize::try_from(*offset).ok())
        };
        let start = offset(row).unwrap_or_default();
        let end = offset(row + 1).unwrap_or(start);
        self.body_content
            .values()
            .slice_with_length(start, end - start)
    }

    pub fn bytes(&self) -> usize {
        self.body_content.values().len()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyGroup {
    pub rows: u64,
    pub part: usize,
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

    /// Returns the list of some row groups, by the numbers of their first bodies.
    pub fn list(&self, firsts: impl IntoIterator<Item = u64>) -> String {
        let line = |first| {
            let BodyGroup {
                rows,
                part,
                range:
                    GroupRange {
                        start,
                        bytes,
                        sha256,
                    },
            } = self.0.get(&first)?;
            Some(format!("{first} {rows} {part} {start} {bytes} {sha256}\n"))
        };
        firsts.into_iter().filter_map(line).collect()
    }

    pub fn add(&mut self, list: &str) -> io::Result<()> {
        for line in list.lines() {
            let (first, group) = group(line).ok_or_else(|| {
                io::Error::other(format!("no row group of bodies: `{}`", line.escape_debug()))
            })?;
            self.insert(first, group)?;
        }
        Ok(())
    }

    /// Adds a row group. It must not share bodies with another one.
    pub fn insert(&mut self, first: u64, group: BodyGroup) -> io::Result<()> {
        let end = first.checked_add(group.rows);
        let before = self.0.range(..first).next_back();
        let is_behind =
            before.is_none_or(|(before, other)| before.saturating_add(other.rows) <= first);
        let next = self.0.range(first..).next();
        let is_known = next.is_some_and(|known| known == (&first, &group));
        let is_before = end.is_some_and(|end| next.is_none_or(|(next, _)| end <= *next));
        if !(is_known || is_behind && is_before) {
            return Err(io::Error::other(format!(
                "two row groups of bodies have body {first}"
            )));
        }
        self.0.insert(first, group);
        Ok(())
    }
}

fn group(line: &str) -> Option<(u64, BodyGroup)> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    let (first, rows, part, start, bytes) = (number()?, number()?, number()?, number()?, number()?);
    let range = GroupRange {
        start,
        bytes,
        sha256: words.next()?.to_owned(),
    };
    Some((
        first,
        BodyGroup {
            rows,
            part: usize::try_from(part).ok()?,
            range,
        },
    ))
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
        assert_eq!(
            groups
                .group_of(158)
                .map(|(first, group)| (first, group.range.start)),
            Some((128, 40960))
        );
        assert_eq!(
            groups
                .group_of(160)
                .map(|(first, group)| (first, group.part)),
            Some((159, 1))
        );
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
