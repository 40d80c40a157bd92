//! `evidence/captures`: one row per HTTP response or revisit record.

mod by_host;
mod reader;

pub use by_host::ByHost;
pub use reader::{CaptureKeys, Captures, FETCH_COLUMNS, KEY_COLUMNS, REQUEST_COLUMNS};

pub use super::columns::Names;
use super::columns::{URL, WHAT, WHERE, append_url, append_what, append_where};
use super::{Rows, Table};
use crate::evidence::Capture;
use crate::web::body_mark::BodyMark;
use crate::web::column::Column;
use data_encoding::BASE32;

/// The fields of the column `fields`.
pub const SIGNAL: &[Column] = &[
    Column::text(
        "carrier",
        "header, meta (by name), http_equiv (meta by http-equiv), property (meta by property or itemprop), after_head (meta behind a head that ended early), link (a licence's) or script (of RSL)",
    ),
    Column::text("name", "name in lower case; for a link or script, its type"),
    Column::binary(
        "value",
        "value as received, without outer blanks, lines of a folded header joined by a blank, character references of a meta decoded; at most 64 KiB",
    ),
];

const OWN: &[Column] = &[
    Column::text("kind", "page, or the site file that the path names: robots, automation, tdmrep, ai_txt, trust_txt; robots_hop: anything else in a robotstxt subset, where redirects of robots.txt lead"),
    Column::text("body_digest", "SHA-1 (base32) of the decoded body, key to site_files; NULL for pages and where the body could not be read").or_null(),
    Column::texts("body_marks", "why the body is not whole: truncated (WARC-Truncated), segment (WARC-Segment-Number), partial_content (status 206), short (of its Content-Length), empty (in spite of a coding), damaged (the record, its chunks or its coding), over_limit (longer than 1 MiB); how it was decoded: coding_undeclared (a coding that no field names was undone), undecodable (a coding could not be undone, and nothing of it is kept)"),
    Column::text("depth", "how much of the record was read: full; heads: only the HTTP and HTML heads of pages, the rest was skipped unchecked; no_meta: all except the HTML head of pages; heads_no_meta: only the HTTP head of pages"),
    Column::texts("unread", "carriers that could not be read in full: header, meta (also link and script), body"),
    Column::structs("signals", SIGNAL, "all header fields, and from the HTML head all named metas, links to licences and RSL scripts, in order, without those on the noise list (its version is in the footer); at most 4,096 and 512 KiB: if there are more, unread has their carrier"),
    Column::text("content_languages", LANGUAGES).or_null(),
];

/// What the column `content_languages` is, here and in `pages`.
pub const LANGUAGES: &str = "languages of the page as the crawler found them (languages-cld2 of the metadata record behind it, as Common Crawl writes it): ISO 639-3, the most covered first, joined by commas; NULL where the archive does not say";

/// `evidence/captures`
pub static CAPTURES: Table = Table {
    name: "captures",
    folder: "evidence/captures",
    row: "HTTP response or revisit record",
    columns: || vec![WHERE, URL, WHAT, OWN],
};

/// Appends the row of a capture of the archive with these names, but for its languages, which are behind it in the archive.
pub fn append(rows: &mut Rows, names: &Names, capture: &Capture<'_>) {
    let cells = rows.row();
    append_where(cells, names, capture.place, capture.format);
    append_url(cells, &capture.target);
    append_what(cells, capture);
    cells.text("kind", capture.kind.as_str());
    cells.text_or_null("body_digest", capture.body.as_ref().map(|body| BASE32.encode(&body.digest)));
    cells.texts("body_marks", capture.body_marks.iter().map(BodyMark::as_str));
    cells.text("depth", capture.depth.as_str());
    cells.texts("unread", capture.unread.names());
    cells.structs("signals", capture.fields.iter(), |cells, field| {
        cells.text("carrier", field.carrier.as_str());
        cells.text("name", field.name);
        cells.binary("value", field.value);
    });
}

/// Ends the row that was appended last with its languages.
pub fn append_languages(rows: &mut Rows, languages: Option<&str>) {
    rows.row_begun().text_or_null("content_languages", languages);
}
