//! Captures of one archive in two pieces of evidence, compared row by row.
//!
//! Example: a copy of an archive that lost records has captures that the whole copy has, too. One that the whole copy lacks, or has
//! without a header field, was read of another file. Left out: what is not received but how it was read, as `depth`.

use crate::evidence::noise::is_noise;
use crate::tables::slice::{IfRead, Instants, ListOf, OrNull, slice};
use crate::web::body_mark::BodyMark;
use crate::web::field::Carrier;
use arrow_array::{BinaryArray, Int16Array, Int64Array, StringArray};

slice! {
    /// What an archive has at a place, apart from its own name.
    pub struct ComparedCaptures {
        offset: Int64Array = "warc_record_offset",
        skip: Int64Array = "warc_member_skip",
        id: OrNull<StringArray> = "warc_record_id",
        record_type: StringArray = "record_type",
        url: StringArray = "url",
        kind: StringArray = "kind",
        fetched_at: Instants = "fetch_time",
        status: OrNull<Int16Array> = "fetch_status",
        redirect: OrNull<StringArray> = "fetch_redirect",
        content_digest: OrNull<StringArray> = "content_digest",
        body_digest: OrNull<StringArray> = "body_digest",
        marks: ListOf<StringArray> = "body_marks",
        carriers: ListOf<StringArray> = "signals.carrier",
        names: ListOf<StringArray> = "signals.name",
        values: ListOf<BinaryArray> = "signals.value",
        // Evidence of earlier versions does not have it.
        inner_offset: IfRead<OrNull<Int64Array>> = "inner_offset",
    }
}

impl ComparedCaptures {
    /// Returns whether a row of other evidence of the archive has all that was received by a row of this one. A body of which this
    /// one has nothing, as its record is damaged, may be there.
    pub fn is_in(&self, row: usize, other: &Self, there: usize) -> bool {
        let place = |of: &Self, row| (of.offset(row), of.skip(row), of.inner_offset(row).flatten());
        place(self, row) == place(other, there)
            && self.answer(row) == other.answer(there)
            && self.record(row) == other.record(there)
            && (self.body_digest(row) == other.body_digest(there) || self.has_lost_body(row))
            && self.has_its_signals(row, other, there)
    }

    fn answer(&self, row: usize) -> impl PartialEq {
        (
            self.url(row),
            self.kind(row),
            self.fetched_at(row),
            self.status(row),
            self.redirect(row),
        )
    }

    fn record(&self, row: usize) -> impl PartialEq {
        (
            self.id(row),
            self.record_type(row),
            self.content_digest(row),
        )
    }

    fn has_lost_body(&self, row: usize) -> bool {
        self.body_digest(row).is_none()
            && self
                .marks(row)
                .any(|mark| mark == BodyMark::Damaged.as_str())
    }

    /// Each of these may count for a no, so all are there; those that this version drops as noise are not compared.
    fn has_its_signals(&self, row: usize, other: &Self, there: usize) -> bool {
        let mut theirs = other.signals(there);
        self.signals(row)
            .all(|signal| theirs.any(|their| their == signal))
    }

    fn signals(&self, row: usize) -> impl Iterator<Item = (&str, &str, &[u8])> {
        let signals = self
            .carriers(row)
            .zip(self.names(row))
            .zip(self.values(row));
        let signals = signals.map(|((carrier, name), value)| (carrier, name, value));
        signals.filter(|(carrier, name, _)| {
            !Carrier::named(carrier).is_some_and(|carrier| is_noise(carrier, name))
        })
    }
}
