//! `evidence/failures`: what is wrong with an archive, and where.

use super::{Rows, Table};
use crate::archive::{ArchiveName, Damage};
use crate::web::column::Column;

const COLUMNS: &[Column] = &[
    Column::text("warc_filename", "archive, see captures"),
    Column::int64(
        "warc_record_offset",
        "bytes from the start of the archive to the record, member or place concerned",
    ),
    Column::text(
        "kind",
        "what is wrong: gzip_data, gzip_checksum, gzip_cut, not_gzip, padding, not_a_record, head_cut, head_too_long, content_length, block_short, misaligned, inside_block, read, envelope (of a WAT's record), no_target_uri, date, url; more: counts the rest, where an archive has more than 10,000",
    ),
    Column::text("detail", "what was found"),
    Column::boolean(
        "record_lost",
        "whether a record is missing from captures and from the counts by type because of it",
    ),
];

/// `evidence/failures`
pub static FAILURES: Table = Table {
    name: "failures",
    folder: "evidence/failures",
    row: "damaged or unreadable place",
    columns: || vec![COLUMNS],
};

/// Appends a row for damage of `archive`.
pub fn append(rows: &mut Rows, archive: &ArchiveName, damage: &Damage) {
    let cells = rows.row();
    cells.text("warc_filename", archive.filename());
    cells.int64("warc_record_offset", damage.offset);
    cells.text("kind", damage.kind.as_str());
    cells.text("detail", &damage.detail);
    cells.boolean("record_lost", damage.record_lost);
}
