//! What the user names, to inputs: files, folders, globs and lists.
//!
//! A folder gives its `*.warc`, `*.arc` and `*.wat`, each also with `.gz` or `.zst`, and its `*.wacz`, at any depth, as far
//! as they are regular files: a pipe would be waited for. A file that is named is taken whatever it is called, and
//! whatever it is; its format shows in its bytes. An archive is called by its path from `crawl-data/` on where that is in
//! it, else relative to `--base` or the folder given, else by its file's name. In a list, blank lines and lines
//! that begin with `#` are no inputs.

use crate::archive::{ArchiveName, FileSource, Input, StreamSource};
use crate::error::Error;
use crate::web::shown::shown;
use flate2::read::MultiGzDecoder;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A longer line of a list is neither a path nor a URL.
const LONGEST_LINE: usize = 8 << 10;

/// How inputs are named by the user.
pub struct Named<'a> {
    /// Files, folders, globs, `@lists`, `-`.
    pub inputs: &'a [String],
    /// Lists, one path a line, plain or gzipped; `-` is standard input.
    pub lists: &'a [String],
    /// Where the paths of lists start, and what names are relative to.
    pub base: Option<&'a Path>,
    /// What an archive read from standard input is called.
    pub stdin_name: Option<&'a str>,
}

/// What was found by names.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The archives.
    pub inputs: Vec<Input>,
    /// What has an archive's name in a folder or glob, and is no regular file.
    pub skipped: Vec<PathBuf>,
}

/// Finds archives by what the user names.
///
/// # Errors
/// What is named and is not there or cannot be read, an empty list, a folder without archives.
pub fn discover(named: &Named<'_>) -> Result<Discovered, Error> {
    let mut found = Discovered::default();
    for name in named.inputs {
        if name == "-" {
            found.inputs.push(standard_input(named.stdin_name));
        } else if let Some(list) = name.strip_prefix('@') {
            from_list(list, named.base, &mut found.inputs)?;
        } else {
            from_path(name, named.base, &mut found)?;
        }
    }
    for list in named.lists {
        from_list(list, named.base, &mut found.inputs)?;
    }
    Ok(found)
}

fn standard_input(name: Option<&str>) -> Input {
    let name = ArchiveName::new(name.unwrap_or("stdin.warc"));
    Input { name, source: Arc::new(StreamSource::new(Box::new(io::stdin()))) }
}

/// A file, a folder, or, where there is neither of that name, a glob.
fn from_path(name: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let path = Path::new(name);
    if path.is_dir() {
        return from_folder(path, base, found);
    }
    if path.exists() {
        // Whoever writes to a pipe would see it closed.
        if path.is_file() {
            let unreadable = |source| Error::InputUnreadable { location: name.to_owned(), source };
            File::open(path).map_err(unreadable)?;
        }
        found.inputs.push(file_input(path, base));
        return Ok(());
    }
    if name.contains(['*', '?', '[']) {
        return from_glob(name, base, found);
    }
    Err(Error::InputMissing { location: name.to_owned() })
}

fn from_glob(glob: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let location = || glob.to_owned();
    let paths = glob::glob(glob)
        .map_err(|error| Error::BadGlob { location: location(), detail: error.to_string() })?;
    let before = found.inputs.len();
    for path in paths {
        let path =
            path.map_err(|error| Error::InputUnreadable { location: location(), source: error.into() })?;
        if path.is_dir() {
            from_folder(&path, base, found)?;
        } else {
            found.add(path, base);
        }
    }
    if found.inputs.len() == before { Err(Error::NoArchives { location: location() }) } else { Ok(()) }
}

impl Discovered {
    /// Adds a file that was not named itself.
    fn add(&mut self, path: PathBuf, base: Option<&Path>) {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            self.skipped.push(path);
        } else {
            self.inputs.push(file_input(&path, base));
        }
    }
}

fn from_folder(folder: &Path, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let mut paths = Vec::new();
    walk(folder, &mut HashSet::new(), &mut paths)
        .map_err(|source| Error::InputUnreadable { location: folder.display().to_string(), source })?;
    if paths.is_empty() {
        return Err(Error::NoArchives { location: folder.display().to_string() });
    }
    for path in paths {
        found.add(path, base.or(Some(folder)));
    }
    Ok(())
}

/// Collects the archives below a folder; each folder once, however links lead there.
fn walk(folder: &Path, seen: &mut HashSet<PathBuf>, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    if !seen.insert(folder.canonicalize()?) {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, seen, paths)?;
        } else if is_archive_name(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

fn is_archive_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let text = [".gz", ".zst"].iter().find_map(|codec| name.strip_suffix(codec)).unwrap_or(&name);
    let is_archive = [".warc", ".arc", ".wat"].iter().any(|ending| text.ends_with(ending));
    (is_archive || name.strip_suffix(".wacz").is_some()) && !name.starts_with('.')
}

/// Reads a list. What it names is not looked at: a missing archive is a row in `archives`.
fn from_list(list: &str, base: Option<&Path>, inputs: &mut Vec<Input>) -> Result<(), Error> {
    let location = || if list == "-" { "standard input".to_owned() } else { list.to_owned() };
    let bytes = read_list(list).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::InputMissing { location: location() },
        _ => Error::InputUnreadable { location: location(), source },
    })?;
    let before = inputs.len();
    let lines = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).split(|byte| *byte == b'\n');
    for (line, text) in (1..).zip(lines.map(<[u8]>::trim_ascii)) {
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let path =
            listed_path(text).map_err(|detail| Error::BadLine { location: location(), line, detail })?;
        let path = base.map_or_else(|| path.clone(), |base| base.join(&path));
        inputs.push(file_input(&path, base));
    }
    if inputs.len() == before { Err(Error::EmptyList { location: location() }) } else { Ok(()) }
}

fn read_list(list: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if list == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        File::open(list)?.read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text)?;
        bytes = text;
    }
    Ok(bytes)
}

/// Returns the path in a line of a list, or what was found there instead.
fn listed_path(line: &[u8]) -> Result<PathBuf, String> {
    let control = |byte: &&u8| byte.is_ascii_control();
    if line.len() > LONGEST_LINE {
        return Err(format!("found {} bytes", line.len()));
    }
    if let Some(byte) = line.iter().find(control) {
        return Err(format!("found byte 0x{byte:02X}"));
    }
    let text = std::str::from_utf8(line);
    if text.is_ok_and(|text| text.contains(char::is_control)) {
        return Err("found a control character".to_owned());
    }
    let is_url = line.windows(3).any(|bytes| bytes == b"://");
    match text {
        Ok(text) if !is_url || !text.contains(' ') => Ok(PathBuf::from(text)),
        Ok(_) => Err("found a URL with a blank".to_owned()),
        Err(_) if is_url => Err("found a URL that is not UTF-8".to_owned()),
        Err(_) => foreign_path(line),
    }
}

/// Returns a path that is not UTF-8, where the system has such paths.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // elsewhere it fails
fn foreign_path(line: &[u8]) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(line)))
}

#[cfg(not(unix))]
fn foreign_path(_: &[u8]) -> Result<PathBuf, String> {
    Err("found a line that is not UTF-8".to_owned())
}

fn file_input(path: &Path, base: Option<&Path>) -> Input {
    let name = ArchiveName::new(&name_of(path, base));
    Input { name, source: Arc::new(FileSource::new(path.to_owned())) }
}

/// Names an archive by its path.
fn name_of(path: &Path, base: Option<&Path>) -> String {
    let full = absolute(path);
    let text = with_slashes(&full);
    if text.contains("/crawl-data/") {
        return text;
    }
    let below = base.and_then(|base| full.strip_prefix(absolute(base)).ok().map(with_slashes));
    below.filter(|name| !name.is_empty()).unwrap_or_else(|| text_of(full.file_name().unwrap_or_default()))
}

/// Returns the path from the root, `.` and `..` resolved by their names alone.
fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    plain
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<String> = path.components().map(|part| text_of(part.as_os_str())).collect();
    let text = parts.join("/");
    text.strip_prefix("//").map_or(text.clone(), |rest| format!("/{rest}"))
}

/// Returns a name as text, in which bytes that are no UTF-8 differ as they do in the name.
fn text_of(name: &OsStr) -> String {
    shown(name.as_encoded_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use std::path::Path;

    #[test]
    fn local_archives_are_called_by_crawl_data_base_or_file_name() {
        for (path, base, name) in [
            ("/d/a/b.warc", Some("/d"), "a/b.warc"),
            ("/d/a/b.warc", Some("/d/x/.."), "a/b.warc"),
            ("/d/a/b.warc", Some("/other"), "b.warc"),
            ("/d/a/b.warc", None, "b.warc"),
        ] {
            assert_eq!(name_of(Path::new(path), base.map(Path::new)), name, "{path} {base:?}");
        }
        let name = name_of(Path::new("/d/crawl-data/C/x.warc"), Some(Path::new("/d/crawl-data")));
        assert_eq!(name, "/d/crawl-data/C/x.warc");
    }
}
