//! What several targets need: how an input is split, and what is read of it first.

use crawlprefs::archive::{Archive, ArchiveName, Event, FileSource, Input, Record};
use crawlprefs::evidence::html_head::head_fields;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::evidence::{Depth, Fields, Reading, RecordReader};
use crawlprefs::job::{ResolveOptions, ScanOptions, Silent, Summary, run, scan};
use crawlprefs::judge::files::{
    DocumentNames, DocumentsFile, FilesOptions, FilesTally, Outputs, judge_files,
};
use crawlprefs::judge::{Added, Document, Documents, Judge, JudgeOptions, Policy, Taken};
use crawlprefs::robots::RobotsTxt;
use crawlprefs::store::{FolderStore, StoreFile};
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::app_directives::Applications;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

#[path = "../support/memory.rs"]
mod memory;
mod strangers;
#[path = "../support/units.rs"]
mod units;
#[path = "../support/warc.rs"]
mod warc;

use memory::Memory;
pub use strangers::{index_options, with_changed};
pub use units::{assert_units_of_file, assert_units_of_record};

/// Splits an input at its first line feed.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// Returns the path that a line writes, with its query.
pub fn path(line: &[u8]) -> UrlPath {
    let mut parts = line.splitn(2, |byte| *byte == b'?');
    UrlPath::new(parts.next().unwrap_or_default(), parts.next())
}

/// Returns the crawler `ExampleBot`, which the seeds name, with the vocabulary in which most of them are.
pub fn viewpoint() -> Viewpoint {
    Viewpoint {
        token: ProductToken::new("ExampleBot").expect("a token"),
        token_match: TokenMatch::Exact,
        vocabulary: Vocabulary::named("03").expect("a draft"),
        applications: Applications::from_lines(b"examplesearch ExampleBot\nother GPTBot\n")
            .expect("a file"),
    }
}

/// Reads a whole robots.txt.
pub fn robots(file: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(file)
}

/// Takes the fields and metas of a response, and returns what follows its head.
pub fn response<'a>(block: &'a [u8], fields: &mut Fields) -> &'a [u8] {
    let Some(head) = HttpHead::parse(block) else {
        return block;
    };
    for field in head.fields() {
        fields.push(Carrier::Header, field.name, &field.value);
    }
    let body = &block[head.body_start..];
    head_fields(body, &mut |carrier, name, value| {
        fields.push(carrier, name, value);
        ControlFlow::Continue(())
    });
    body
}

/// Returns the values as they came, without outer blanks, and those of one field joined as one line.
pub fn written(fields: &[Field<'_>]) -> HashSet<Vec<u8>> {
    let mut lines: HashMap<_, Vec<&[u8]>> = HashMap::new();
    for field in fields {
        lines
            .entry((field.carrier.as_str(), field.name))
            .or_default()
            .push(trimmed(field.value));
    }
    let joined = lines.values().map(|lines| lines.join(&b", "[..]));
    let alone = fields
        .iter()
        .flat_map(|field| [field.value, trimmed(field.value)]);
    joined.chain(alone.map(<[u8]>::to_vec)).collect()
}

/// Returns whether a text is a part of another one, at its own place.
pub fn is_in(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Reads an archive to its end, and holds that no record is gone without a trace: records read = captures + records of no
/// interest + records lost.
pub fn read_archive(bytes: &[u8], record: &mut dyn FnMut(&Record<'_>)) {
    let Ok(mut archive) = Archive::open(bytes).expect("a slice can be read") else {
        return;
    };
    let mut reader = RecordReader::new(Depth::Full);
    let (mut captures, mut no_interest, mut lost) = (0, 0, 0);
    while let Some(event) = archive.next().expect("a slice can be read") {
        match event {
            Event::Record(found) => {
                match reader.read(&found, None) {
                    Reading::Capture(_) => captures += 1,
                    Reading::NoInterest => no_interest += 1,
                    Reading::Lost(damage) => lost += u64::from(damage.record_lost),
                }
                record(&found);
            }
            Event::Damage(damage) => lost += u64::from(damage.record_lost),
        }
    }
    assert_eq!(archive.records(), captures + no_interest + lost);
}

/// Scans bytes as an archive.
pub fn scanned(bytes: &[u8]) -> Summary {
    with_file(bytes, |file| {
        let source = Arc::new(FileSource::new(file.to_owned()));
        let input = Input {
            name: ArchiveName::new("a.warc.gz"),
            source,
        };
        let folder = file.with_extension("evidence");
        let options = ScanOptions {
            jobs: NonZeroUsize::MIN,
            ..ScanOptions::new(vec![input])
        };
        let summary = scan(&options, &FolderStore::new(folder.clone()), &Silent).expect("evidence");
        std::fs::remove_dir_all(&folder).expect("it is there");
        summary
    })
}

/// Holds that steps of work are few for an input: a number for each byte, and some for what is inflated.
pub fn assert_few(steps: u64, input_bytes: usize) {
    const STEPS_A_BYTE: u64 = 20_000;
    const STEPS: u64 = 20_000_000;
    let most = STEPS + STEPS_A_BYTE * input_bytes as u64;
    assert!(
        steps <= most,
        "{steps} steps for {input_bytes} bytes, at most {most}"
    );
}

/// A small archive: a robots.txt that closes `/private`, and two pages.
const ARCHIVE: &[(&str, &str)] = &[
    (
        "https://a.example/robots.txt",
        "Content-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n",
    ),
    (
        "https://a.example/",
        "Content-Type: text/html\r\n\r\n<html></html>",
    ),
    (
        "https://a.example/private/x",
        "Content-Type: text/html\r\n\r\n<html></html>",
    ),
];

/// Returns that archive.
pub fn archive() -> Input {
    let mut bytes = Vec::new();
    for (url, fields) in ARCHIVE {
        let block = format!("HTTP/1.1 200 OK\r\n{fields}");
        bytes.extend(warc::response(url, "06:00:00", "", block.as_bytes()));
    }
    Input {
        name: ArchiveName::new("a.warc"),
        source: Arc::new(Memory(bytes)),
    }
}

/// Returns how documents are judged by tables or an index.
pub fn judge_options() -> JudgeOptions {
    JudgeOptions {
        jobs: NonZeroUsize::MIN,
        memory_bytes: Some(64 << 20),
        applications: Some(viewpoint().applications),
        ..JudgeOptions::default()
    }
}

/// The tables of a small archive, which documents are judged by.
pub static TABLES: LazyLock<Judge> = LazyLock::new(|| {
    let input = archive();
    let folder = std::env::temp_dir().join(format!("crawlprefs-fuzz-{}", std::process::id()));
    let store = FolderStore::new(folder.clone());
    let options = ResolveOptions::new(viewpoint());
    run(&ScanOptions::new(vec![input]), &options, &store, &Silent).expect("tables");
    let judge = Judge::open(Arc::new(store), Vec::new(), judge_options()).expect("tables");
    // Records and site files are kept in memory from now on.
    let mut documents = Documents::default();
    documents.push(&Document {
        url: Some(b"https://a.example/"),
        id: Some("x"),
        ..Document::default()
    });
    judge.judge(&[documents]).expect("verdicts");
    std::fs::remove_dir_all(&folder).expect("it is there");
    judge
});

/// Calls a function with a file of these bytes, which is gone afterwards.
pub fn with_file<T>(bytes: &[u8], call: impl FnOnce(&Path) -> T) -> T {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!(
        "crawlprefs-fuzz-{}-{number}.in",
        std::process::id()
    ));
    std::fs::write(&file, bytes).expect("it can be written");
    let called = call(&file);
    std::fs::remove_file(&file).expect("it is there");
    called
}

/// Calls a function with an empty folder, which is gone afterwards.
pub fn with_folder(call: impl FnOnce(&Path)) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!(
        "crawlprefs-fuzz-{}-{number}.folder",
        std::process::id()
    ));
    std::fs::create_dir(&folder).expect("it can be made");
    call(&folder);
    std::fs::remove_dir_all(&folder).expect("it is there");
}

/// Splits an input into files, each behind a line `== NAME`.
pub fn files_of(input: &[u8]) -> Vec<(String, &[u8])> {
    const MARK: &[u8] = b"\n== ";
    let first = usize::from(input.starts_with(&MARK[1..])) * (MARK.len() - 1);
    let starts = (first > 0).then_some(first).into_iter();
    let starts: Vec<usize> = starts
        .chain(memchr::memmem::find_iter(input, MARK).map(|at| at + MARK.len()))
        .collect();
    let ends = starts
        .iter()
        .skip(1)
        .map(|start| start - MARK.len())
        .chain([input.len()]);
    let file = |(start, end): (&usize, usize)| {
        let (name, content) = first_line(input.get(*start..end).unwrap_or_default());
        (String::from_utf8_lossy(name).into_owned(), content)
    };
    starts.iter().zip(ends).map(file).collect()
}

/// An output in memory.
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoreFile for Output {
    fn commit(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Returns how documents are judged.
pub fn files_options(policy: Option<Policy>) -> FilesOptions {
    FilesOptions {
        names: DocumentNames::default(),
        added: Added::new("prefs_", Taken::Replaced).expect("a prefix"),
        urls_are_newest: true,
        existing: crawlprefs::runs::Existing::Continue,
        missing: crawlprefs::plan::Missing::Refuse,
        policy,
        format: None,
        diff: None,
        mask: None,
        sample: None,
        call: crawlprefs::judge::files::JudgeCall::default(),
        progress: Arc::default(),
    }
}

/// Judges a file of documents; returns what came of it, and what came out.
pub fn judged(documents: &[u8], policy: Option<Policy>) -> (FilesTally, Vec<u8>) {
    let out = Arc::new(Mutex::new(Vec::new()));
    let mut tally = FilesTally::default();
    with_file(documents, |file| {
        let files = [DocumentsFile {
            name: "documents".to_owned(),
            path: file.to_owned(),
        }];
        let stream = || Ok(Box::new(Output(Arc::clone(&out))) as Box<dyn StoreFile>);
        tally = judge_files(
            &TABLES,
            &files,
            &Outputs::Stream(&stream),
            &files_options(policy),
        )
        .expect("the outputs can be written");
    });
    let out = std::mem::take(&mut *out.lock().unwrap_or_else(PoisonError::into_inner));
    (tally, out)
}
