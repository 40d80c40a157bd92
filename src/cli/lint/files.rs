//! The files that `lint` is given: by their names, by their places in a site's root, or as flags.

use super::header_field;
use crate::cli::args::{LintArgs, LintKind, site_file_names};
use crawlprefs::evidence::html_head::head_fields;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Carrier;
use crawlprefs::web::lines::split_line;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The longest file that is read, in bytes: twenty times the length that RFC 9309 2.5 asks a parser to read, and what most HTML
/// pages are below.
const MOST_BYTES: u64 = 10 << 20;
/// The most files of a folder; any number of this size.
const MOST_FILES: usize = 10_000;

pub struct LintedFile {
    /// The path as given, or the flag.
    pub name: String,
    /// Where it can be written.
    pub path: Option<PathBuf>,
    pub bytes: Vec<u8>,
    pub content: Content,
}

pub enum Content {
    SiteFile(CaptureKind),
    /// Header fields, or the metas of a page.
    Fields(Vec<FileField>),
}

pub struct FileField {
    pub carrier: Carrier,
    /// In lower case.
    pub name: String,
    pub value: Vec<u8>,
    /// The line that has it, from 1.
    pub line: u32,
}

impl LintedFile {
    /// Returns the lines of the file, without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let is_there = !rest.is_empty();
            let (line, following) = split_line(rest);
            rest = following;
            is_there.then_some(line)
        })
    }
}

/// Reads the files, folders and fields of the flags.
pub fn read(args: &LintArgs) -> Result<Vec<LintedFile>, String> {
    let mut found = Vec::new();
    for path in &args.files {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let read = io::stdin()
                .lock()
                .take(MOST_BYTES + 1)
                .read_to_end(&mut bytes);
            read.map_err(|error| format!("standard input: {error}"))?;
            let kind = args.kind.unwrap_or(LintKind::SiteFile(CaptureKind::Robots));
            found.push(file_of("standard input".to_owned(), None, bytes, kind)?);
        } else if path.is_dir() {
            let before = found.len();
            read_folder(path, path, args.kind, &mut found)?;
            if found.len() == before {
                let expected = "expected robots.txt or another file of a site in it, at its place";
                return Err(format!("{}: {expected}", path.display()));
            }
        } else {
            let kind = args.kind.or_else(|| kind_of(path)).ok_or_else(|| {
                let names = site_file_names();
                let expected = "*.html or *.headers; say what it is with --as";
                format!("{}: expected {names}, {expected}", path.display())
            })?;
            found.push(read_file(path, kind)?);
        }
    }
    found.extend(of_flags(
        "--header",
        &args.header,
        header_field,
        "'Name: value'",
    )?);
    let meta = |text: &str| {
        let (name, content) = text.split_once('=')?;
        Some((
            Carrier::Meta,
            name.trim().to_ascii_lowercase(),
            content.as_bytes().to_vec(),
        ))
    };
    found.extend(of_flags("--meta", &args.meta, meta, "name=content")?);
    Ok(found)
}

/// Returns the fields of a flag as one file, with a line for each.
fn of_flags(
    flag: &str,
    given: &[String],
    parse: impl Fn(&str) -> Option<(Carrier, String, Vec<u8>)>,
    expected: &str,
) -> Result<Option<LintedFile>, String> {
    let mut fields = Vec::new();
    for (line, text) in (1..).zip(given) {
        let (carrier, name, value) =
            parse(text).ok_or_else(|| format!("{flag} {text}: expected {expected}"))?;
        fields.push(FileField {
            carrier,
            name,
            value,
            line,
        });
    }
    let name = flag.to_owned();
    let bytes = given.join("\n").into_bytes();
    let is_given = !fields.is_empty();
    Ok(is_given.then_some(LintedFile {
        name,
        path: None,
        bytes,
        content: Content::Fields(fields),
    }))
}

/// Returns what a file is by its name.
fn kind_of(path: &Path) -> Option<LintKind> {
    let name = path
        .file_name()
        .and_then(OsStr::to_str)?
        .to_ascii_lowercase();
    let is_named = |kind: &CaptureKind| {
        kind.paths()
            .iter()
            .any(|path| path.rsplit('/').next() == Some(&name))
    };
    if let Some(kind) = CaptureKind::ALL.into_iter().find(is_named) {
        return Some(LintKind::SiteFile(kind));
    }
    match Path::new(&name).extension().and_then(OsStr::to_str) {
        Some("html" | "htm" | "xhtml") => Some(LintKind::Page),
        Some("headers") => Some(LintKind::Header),
        _ if name == "_headers" => Some(LintKind::Header),
        _ if name.ends_with("robots.txt") => Some(LintKind::SiteFile(CaptureKind::Robots)),
        _ => None,
    }
}

/// Reads the files of a site by their places below its root, and all pages.
fn read_folder(
    root: &Path,
    folder: &Path,
    kind: Option<LintKind>,
    found: &mut Vec<LintedFile>,
) -> Result<(), String> {
    let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries
        .collect::<io::Result<Vec<_>>>()
        .map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let file_type = entry.file_type().map_err(unreadable)?;
        // A link may lead out of the site, or in a circle.
        if file_type.is_dir() {
            read_folder(root, &path, kind, found)?;
        } else if file_type.is_file()
            && let Some(of_name) = kind_of(&path)
            && is_at_its_place(root, &path, of_name)
        {
            if found.len() == MOST_FILES {
                return Err(format!(
                    "{}: more than {MOST_FILES} files to read",
                    root.display()
                ));
            }
            found.push(read_file(&path, kind.unwrap_or(of_name))?);
        }
    }
    Ok(())
}

fn is_at_its_place(root: &Path, path: &Path, kind: LintKind) -> bool {
    match kind {
        LintKind::Page | LintKind::Header => true,
        LintKind::SiteFile(kind) => kind
            .paths()
            .iter()
            .any(|place| root.join(place.trim_start_matches('/')) == path),
    }
}

fn read_file(path: &Path, kind: LintKind) -> Result<LintedFile, String> {
    let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", path.display());
    // To open a pipe waits for its writer.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(format!(
            "{}: is no file; give its content on standard input",
            path.display()
        ));
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    file_of(
        path.display().to_string(),
        Some(path.to_owned()),
        bytes,
        kind,
    )
}

fn file_of(
    name: String,
    path: Option<PathBuf>,
    bytes: Vec<u8>,
    kind: LintKind,
) -> Result<LintedFile, String> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{name}: is longer than {MOST_BYTES} bytes"));
    }
    let content = match kind {
        LintKind::SiteFile(kind) => Content::SiteFile(kind),
        LintKind::Page => Content::Fields(metas(&bytes)),
        LintKind::Header => Content::Fields(headers(&bytes)),
    };
    Ok(LintedFile {
        name,
        path,
        bytes,
        content,
    })
}

/// Returns the metas of an HTML head, each with the line that has its value.
fn metas(html: &[u8]) -> Vec<FileField> {
    let mut found = Vec::new();
    let mut from = 0;
    head_fields(html, &mut |carrier, name, value| {
        let rest = html.get(from..).unwrap_or_default();
        // A value with character references is not in the file as it is; its name is, somewhere behind the last one.
        let at = memchr::memmem::find(rest, value).or_else(|| memchr::memmem::find(rest, name));
        from += at.unwrap_or(0);
        let before = html.get(..from).unwrap_or_default();
        let line =
            u32::try_from(1 + memchr::memchr_iter(b'\n', before).count()).unwrap_or(u32::MAX);
        let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
        found.push(FileField {
            carrier,
            name,
            value: value.to_vec(),
            line,
        });
        ControlFlow::Continue(())
    });
    found
}

/// Returns the header fields of a file: a line each, as `curl -I` prints them. Other lines, such as a status line, have none.
fn headers(text: &[u8]) -> Vec<FileField> {
    let text = String::from_utf8_lossy(text).into_owned();
    let lines = (1..).zip(text.lines());
    let fields = lines.filter_map(|(line, text)| {
        let (carrier, name, value) = header_field(text)?;
        Some(FileField {
            carrier,
            name,
            value,
            line,
        })
    });
    fields.collect()
}
