//! An index that is written row by row, so that its digests are right and its rows may be wrong.

use arrow_array::builder::{ListBuilder, PrimitiveBuilder};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, Int32Array, ListArray, RecordBatch};
use arrow_buffer::OffsetBuffer;
use crawlprefs::archive::CrawlId;
use crawlprefs::sites::{
    ArchivePart, BodyPart, FetchGroup, FetchPart, HostKey, IndexManifest, IndexedCrawl,
};
use crawlprefs::store::{FolderStore, Store};
use crawlprefs::tables::Rows;
use crawlprefs::tables::Table;
use crawlprefs::tables::site_index::{
    BODIES, BodyGroup, BodyGroups, EncodedGroup, FETCHES, GroupEncoder, INDEX_ARCHIVES,
    INDEX_FORMAT, IndexPartWriter, IndexedArchive, Seen, SiteFetch, SiteHost, append_body,
    append_fetch, archive_rows,
};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::host::surt_host_name;
use crawlprefs::web::url::Scheme;
use sha1::{Digest, Sha1};
use std::path::Path;
use std::sync::Arc;

/// The rows of an index: of `a.example` and `b.example` in one row group, of `c.example` in another one.
pub struct Parts {
    fetches: Vec<RecordBatch>,
    pub bodies: RecordBatch,
    /// Where the first row group of `fetches` says that its bodies are.
    pub about: Option<String>,
}

/// An answer of a host's robots.txt.
pub fn fetch(host: &str, status: u16, redirect: Option<&str>) -> SiteFetch<(u64, u32)> {
    SiteFetch {
        host: SiteHost {
            surt: surt_host_name(host).into(),
            name: host.into(),
        },
        scheme: Scheme::Https,
        port: None,
        kind: CaptureKind::Robots,
        url: None,
        status: Some(status),
        redirect: redirect.map(Box::from),
        body: None,
        is_cut: false,
        is_undecodable: false,
        is_resource: false,
        validator: None,
    }
}

fn content(number: u64) -> Vec<u8> {
    format!(
        "User-agent: *\nDisallow: /{}\n",
        "#".repeat(usize::try_from(number).expect("small"))
    )
    .into_bytes()
}

/// Bodies of some numbers, one of which may have other bytes than its digest says.
pub fn bodies(numbers: &[u64], other: Option<(u64, Vec<u8>)>) -> RecordBatch {
    let mut rows = Rows::new(&BODIES);
    for number in numbers {
        let own = content(*number);
        let digest: [u8; 20] = Sha1::digest(&own).into();
        let other = other
            .as_ref()
            .filter(|(wrong, _)| wrong == number)
            .map(|(_, other)| other);
        append_body(rows.row(), *number, &digest, other.unwrap_or(&own));
    }
    rows.finish().expect("bodies")
}

/// A column of lists.
pub fn list<T: ArrowPrimitiveType>(rows: Vec<Vec<T::Native>>) -> ArrayRef {
    let mut lists = ListBuilder::new(PrimitiveBuilder::<T>::new());
    for row in rows {
        lists.append_value(row.into_iter().map(Some));
    }
    Arc::new(lists.finish())
}

fn closed(host: &str, number: u64) -> SiteFetch<(u64, u32)> {
    let bytes = u32::try_from(content(number).len()).expect("short");
    SiteFetch {
        body: Some((number, bytes)),
        ..fetch(host, 200, None)
    }
}

/// A column of two lists, the second of which has so many elements.
pub fn long_list(elements: usize) -> ArrayRef {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![0; elements]));
    let field = Arc::new(arrow_schema::Field::new(
        "element",
        arrow_schema::DataType::Int32,
        true,
    ));
    Arc::new(ListArray::new(
        field,
        OffsetBuffer::from_lengths([0, elements]),
        numbers,
        None,
    ))
}

fn group(fetches: &[SiteFetch<(u64, u32)>]) -> RecordBatch {
    let mut rows = Rows::new(&FETCHES);
    for fetch in fetches {
        let seen = Seen {
            at_us: Some(1_786_000_000_000_000),
            archive: 0,
            row: None,
        };
        append_fetch(&mut rows, fetch, fetch.body, &[seen]);
    }
    rows.finish().expect("rows")
}

impl Parts {
    pub fn good() -> Self {
        let fetches = vec![
            group(&[closed("a.example", 0), closed("b.example", 1)]),
            group(&[closed("c.example", 2)]),
        ];
        Self {
            fetches,
            bodies: bodies(&[0, 1, 2], None),
            about: None,
        }
    }

    /// Has other rows in the first row group of `fetches`.
    pub fn rows(&mut self, fetches: Vec<SiteFetch<(u64, u32)>>) {
        self.fetches[0] = group(&fetches);
    }

    /// Has another column in the first row group of `fetches`.
    pub fn replace(&mut self, name: &str, values: ArrayRef) {
        let rows = &self.fetches[0];
        let schema = rows.schema();
        let fields = schema
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .enumerate();
        let place = schema.index_of(name).expect("a column");
        let typed = fields.map(|(at, field)| {
            if at == place {
                field
                    .with_data_type(values.data_type().clone())
                    .with_nullable(true)
            } else {
                field
            }
        });
        let schema = Arc::new(arrow_schema::Schema::new(typed.collect::<Vec<_>>()));
        let mut columns = rows.columns().to_vec();
        columns[place] = values;
        self.fetches[0] = RecordBatch::try_new(schema, columns).expect("rows");
    }

    /// Writes the index.
    pub fn write(self, folder: &Path) {
        let store = FolderStore::new(folder.to_owned());
        let archive = IndexedArchive {
            crawl: crawl(),
            warc_filename: "a.warc.gz".to_owned(),
            outcome: "read".to_owned(),
            records: 4,
            records_lost: 0,
            fingerprint: Some("1 A B".to_owned()),
        };
        let (mut archives, rows) = (part(&INDEX_ARCHIVES), archive_rows(0, &[archive]));
        let place = archives.append(encoded(&INDEX_ARCHIVES, &rows.expect("archives")), None);
        let archives = ArchivePart {
            part: archives.commit(&store).expect("archives"),
            groups: vec![place.expect("archives")],
        };
        let mut part_of_bodies = part(&BODIES);
        let range = part_of_bodies
            .append(encoded(&BODIES, &self.bodies), None)
            .expect("bodies");
        let bodies = BodyPart {
            part: part_of_bodies.commit(&store).expect("bodies"),
            first_body: 0,
        };
        let places = BodyGroups(
            [(
                0,
                BodyGroup {
                    rows: 3,
                    part: 0,
                    range,
                },
            )]
            .into(),
        );
        let mut fetches = part(&FETCHES);
        let (mut groups, mut abouts) = (Vec::new(), self.about.into_iter());
        for (rows, host) in self.fetches.iter().zip(["a", "c"]) {
            let about = abouts.next().unwrap_or_else(|| places.list([0]));
            let range = fetches
                .append(encoded(&FETCHES, rows), Some(about))
                .expect("fetches");
            groups.push(FetchGroup {
                first: key(host),
                is_continued: false,
                range,
            });
        }
        let fetches = FetchPart {
            part: fetches.commit(&store).expect("fetches"),
            groups,
            last: key("c"),
        };
        let crawl = IndexedCrawl {
            crawl: crawl(),
            archives_read: 1,
            ..IndexedCrawl::default()
        };
        let manifest = IndexManifest {
            tool: "crawlprefs".to_owned(),
            format: INDEX_FORMAT.to_owned(),
            crawls: vec![crawl],
            hosts: 3,
            captures: 3,
            archives,
            fetches: vec![fetches],
            bodies: vec![bodies],
            differing: std::collections::BTreeSet::new(),
        };
        store
            .put("_index.json", &serde_json::to_vec(&manifest).expect("JSON"))
            .expect("the index");
    }
}

fn crawl() -> CrawlId {
    CrawlId::new("CC-MAIN-2026-34").expect("a name")
}

/// A host in the order of `fetches`.
fn key(name: &str) -> HostKey {
    (format!("example,{name}"), format!("{name}.example"))
}

/// Returns the name of the only part in a folder of an index.
pub fn part_name(index: &Path, folder: &str) -> String {
    let parts = std::fs::read_dir(index.join(folder)).expect("a folder");
    let names: Vec<_> = parts
        .map(|part| part.expect("a part").file_name())
        .collect();
    assert_eq!(names.len(), 1);
    format!("{folder}{}", names[0].to_string_lossy())
}

fn part(table: &'static Table) -> IndexPartWriter {
    IndexPartWriter::new(table).expect("a part")
}

fn encoded(table: &'static Table, rows: &RecordBatch) -> EncodedGroup {
    GroupEncoder::new(table)
        .and_then(|encoder| encoder.encode(rows))
        .expect("a row group")
}
