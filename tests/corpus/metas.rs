//! The metas of every archived page, as the reader keeps them and as our scanner reads them,
//! against the tree that html5ever builds of the same text.

use crate::corpus;
use crate::head_tree::{Agreement, Found, compare, in_tree, none_is_lost, scanned, scanned_as};
use crawlprefs::archive::{Archive, Event, Record};
use crawlprefs::evidence::body::{Completeness, decode};
use crawlprefs::evidence::charset::scannable;
use crawlprefs::evidence::fields::BodyFields;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::evidence::noise::is_noise;
use crawlprefs::evidence::{Capture, Depth, Reading, RecordReader, RecordType};
use crawlprefs::web::body_text::ReadAs;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Carrier;
use crawlprefs::web::media_type::is_html;
use encoding_rs::Encoding;
use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The most bytes of a body that the reader decodes.
const BODY_BYTES: usize = 1 << 20;

/// What was compared.
#[derive(Default)]
struct Tally {
    pages: usize,
    pages_with_metas: usize,
    /// Pages longer than what the reader decodes; both sides see their beginning.
    cut: usize,
    /// Pages of another encoding than UTF-8 or with damage.
    not_utf8: usize,
    /// Those of them that declare an encoding other than UTF-8.
    legacy: usize,
    /// Ours: a character reference becomes UTF-8, also in a page of another encoding.
    references_as_utf8: usize,
    robots: usize,
    /// Metas that are not on the noise list.
    kept: usize,
    all: Agreement,
    unexplained: Vec<String>,
}

/// A page of status 200: its text as our scanner gets it.
struct Page {
    html: Vec<u8>,
    content_type: Vec<u8>,
    completeness: Completeness,
}

impl Page {
    fn of(record: &Record<'_>) -> Option<Self> {
        let head = HttpHead::parse(record.block).filter(|head| head.status == Some(200))?;
        let fields = BodyFields::from_head(&head);
        let content_type = fields.content_types.first();
        let content_type = content_type.filter(|value| is_html(value))?.to_vec();
        let payload = decode(
            &fields,
            record.block.get(head.body_start..)?,
            BODY_BYTES,
            ReadAs::Page,
        );
        if payload.completeness == Completeness::Undecodable {
            return None;
        }
        let html = scannable(&payload.bytes, Some(&content_type))?.into_owned();
        Some(Self {
            html,
            content_type,
            completeness: payload.completeness,
        })
    }

    /// Returns the encoding that the first "charset=" of its Content-Type or beginning names.
    fn declared_encoding(&self) -> Option<&'static Encoding> {
        let beginning = self.html.get(..1024).unwrap_or(&self.html);
        let text =
            String::from_utf8_lossy(&[&self.content_type, beginning].concat()).to_ascii_lowercase();
        let (_, label) = text.split_once("charset=")?;
        let label = label.trim_start_matches(['"', '\'']);
        let ends = |c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c);
        Encoding::for_label(label.split(ends).next()?.as_bytes())
    }
}

fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            archives(&path, found);
        } else if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            found.push(path);
        }
    }
}

fn is_meta(carrier: Carrier) -> bool {
    matches!(carrier, Carrier::Meta | Carrier::HttpEquiv)
}

/// Returns the metas that the reader kept.
fn kept(evidence: &Capture<'_>) -> Vec<Found> {
    let metas = evidence
        .fields
        .iter()
        .filter(|field| is_meta(field.carrier));
    metas
        .map(|meta| {
            (
                meta.carrier,
                meta.name.to_owned(),
                String::from_utf8_lossy(meta.value).into_owned(),
            )
        })
        .collect()
}

/// Puts names in lower case and drops noise, as the reader does.
fn without_noise(metas: &[Found]) -> Vec<Found> {
    let lower = metas
        .iter()
        .map(|(key, name, content)| (*key, name.to_ascii_lowercase(), content.clone()));
    lower
        .filter(|(key, name, _)| is_meta(*key) && !is_noise(*key, name.trim_ascii()))
        .collect()
}

impl Tally {
    fn record(&mut self, record: &Record<'_>, reader: &mut RecordReader, file: &Path) {
        let Some(page) = Page::of(record) else { return };
        let Reading::Capture(evidence) = reader.read(record, None) else {
            return;
        };
        if evidence.record_type != RecordType::Response || evidence.kind != CaptureKind::Page {
            return;
        }
        let mut outcomes = vec![self.page(&page)];
        let text = String::from_utf8_lossy(&page.html);
        let tree = without_noise(&in_tree(&text));
        self.kept += tree.len();
        outcomes.push(compare(&kept(&evidence), &tree).map(drop));
        outcomes.push(none_is_lost(&text).map(drop));
        if let Cow::Owned(_) = text {
            self.not_utf8 += 1;
            outcomes.push(self.page_of_another_encoding(&page));
        }
        let place = format!("{} {}", file.display(), evidence.target.as_str());
        let unexplained = outcomes.into_iter().filter_map(Result::err);
        self.unexplained
            .extend(unexplained.map(|why| format!("{place}: {why}")));
    }

    /// Compares all metas; what is not UTF-8 is U+FFFD on both sides.
    fn page(&mut self, page: &Page) -> Result<(), String> {
        let tree = in_tree(&String::from_utf8_lossy(&page.html));
        self.pages += 1;
        self.pages_with_metas += usize::from(!tree.is_empty());
        self.cut += usize::from(page.completeness != Completeness::Whole);
        self.robots += tree
            .iter()
            .filter(|(_, name, _)| name.eq_ignore_ascii_case("robots"))
            .count();
        self.all.add(&compare(&scanned(&page.html), &tree)?);
        Ok(())
    }

    /// Compares what was read of the bytes and then decoded with the tree of the decoded page.
    fn page_of_another_encoding(&mut self, page: &Page) -> Result<(), String> {
        let Some(encoding) = page.declared_encoding() else {
            return Ok(());
        };
        let decoded = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
        let tree = in_tree(&decoded(&page.html));
        self.legacy += usize::from(encoding != encoding_rs::UTF_8);
        if compare(&scanned_as(&page.html, &decoded), &tree).is_ok() {
            return Ok(());
        }
        let utf8_or_decoded =
            |bytes: &[u8]| str::from_utf8(bytes).map_or_else(|_| decoded(bytes), str::to_owned);
        self.references_as_utf8 += 1;
        compare(&scanned_as(&page.html, &utf8_or_decoded), &tree).map(drop)
    }

    fn file(&mut self, path: &Path) {
        let source = File::open(path).expect("an archive");
        let Ok(mut archive) = Archive::open(source).expect("a file can be read") else {
            return;
        };
        let mut reader = RecordReader::new(Depth::Full);
        while let Some(event) = archive.next().expect("a file can be read") {
            match event {
                Event::Record(record) => self.record(&record, &mut reader, path),
                Event::Damage(_) => {}
            }
        }
    }

    /// Compares all pages of a folder's archives; none may differ without a reason.
    fn of(folder: &Path) -> Self {
        let mut paths = Vec::new();
        archives(folder, &mut paths);
        let mut tally = Self::default();
        for path in paths {
            tally.file(&path);
        }
        println!(
            "{} pages, {} with metas, {} cut, {} not UTF-8, {} in another encoding",
            tally.pages, tally.pages_with_metas, tally.cut, tally.not_utf8, tally.legacy
        );
        println!(
            "{} metas, {} not noise, {} of robots; differences {:?}, {} pages with references as UTF-8",
            tally.all.metas,
            tally.kept,
            tally.robots,
            tally.all.differences,
            tally.references_as_utf8
        );
        assert!(tally.unexplained.is_empty(), "{:#?}", tally.unexplained);
        tally
    }
}

#[test]
fn local_the_metas_of_a_segment_are_those_of_html5evers_tree() {
    let Some(folder) = corpus("segment") else {
        return;
    };
    let tally = Tally::of(&folder);
    assert!(tally.pages > 6_000 && tally.robots > 600);
    assert!(tally.all.differences.is_empty());
}

#[test]
fn wild_the_metas_of_many_writers_archives_are_those_of_html5evers_tree() {
    let Some(folder) = corpus("warc") else { return };
    let tally = Tally::of(&folder);
    assert!(tally.pages > 400 && tally.all.metas > 1_500 && tally.robots > 90);
    assert!(tally.legacy > 50);
    assert!(tally.all.differences.is_empty());
    // Two copies of one page in GBK whose keywords are written as references.
    assert!(tally.references_as_utf8 <= 2);
}
