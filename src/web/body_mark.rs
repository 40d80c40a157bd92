//! Why the body of a capture is not whole, and how it was decoded.
//!
//! Document: RULES READ-1, READ-3 and READ-5. Example: a robots.txt of a record with `WARC-Truncated: length` is `truncated`;
//! the same bytes on another host may be whole. Left out: the consequences for access and labels, which `verdict` decides.

use super::names::names;

names! {
    /// A remarkable property of the body of one capture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum BodyMark {
        /// WARC-Truncated says that it is cut off.
        Truncated => "truncated",
        /// It is one segment of several (WARC-Segment-Number).
        Segment => "segment",
        /// Status 206, and Content-Range covers a part only.
        PartialContent => "partial_content",
        /// It has fewer bytes than its Content-Length.
        Short => "short",
        /// It is empty despite a coding or `chunked`.
        Empty => "empty",
        /// Its record, its chunks or its coding are damaged, or end too early.
        Damaged => "damaged",
        /// It is longer than the part that the evidence keeps.
        OverLimit => "over_limit",
        /// A coding that no field names was undone.
        CodingUndeclared => "coding_undeclared",
        /// A coding cannot be undone, and nothing of the body is kept.
        Undecodable => "undecodable",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BodyMarks(u16);

impl BodyMark {
    /// Returns whether bytes of the body are missing, so that the missing part may say no (READ-5).
    pub fn is_cut(self) -> bool {
        !matches!(self, Self::CodingUndeclared | Self::Undecodable)
    }
}

impl BodyMarks {
    pub fn add(&mut self, mark: BodyMark) {
        self.0 |= 1 << mark as u16;
    }

    /// Adds the marks of another reading of the same body.
    pub fn add_all(&mut self, others: Self) {
        self.0 |= others.0;
    }

    pub fn has(self, mark: BodyMark) -> bool {
        self.0 & 1 << mark as u16 != 0
    }

    pub fn are_cut(self) -> bool {
        self.iter().any(BodyMark::is_cut)
    }

    /// Returns them in the order of the documentation.
    pub fn iter(self) -> impl Iterator<Item = BodyMark> {
        BodyMark::ALL
            .into_iter()
            .filter(move |mark| self.has(*mark))
    }
}

impl FromIterator<BodyMark> for BodyMarks {
    fn from_iter<I: IntoIterator<Item = BodyMark>>(marks: I) -> Self {
        let mut all = Self::default();
        marks.into_iter().for_each(|mark| all.add(mark));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_read_5_each_mark_has_its_name_and_only_some_are_cuts() {
        for mark in BodyMark::ALL {
            let marks: BodyMarks = [mark].into_iter().collect();
            assert_eq!(BodyMark::named(mark.as_str()), Some(mark));
            assert!(marks.iter().eq([mark]));
            assert_eq!(marks.are_cut(), mark.is_cut());
        }
        let decoded: Vec<&str> = BodyMark::ALL
            .into_iter()
            .filter(|mark| !mark.is_cut())
            .map(BodyMark::as_str)
            .collect();
        assert_eq!(decoded, ["coding_undeclared", "undecodable"]);
        let both: BodyMarks = [BodyMark::Undecodable, BodyMark::Truncated]
            .into_iter()
            .collect();
        assert!(both.iter().eq([BodyMark::Truncated, BodyMark::Undecodable]));
        assert!(!BodyMarks::default().are_cut());
    }
}
