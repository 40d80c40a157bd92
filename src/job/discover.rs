//! Finds inputs by the names that the user gives: files, folders, globs and lists.
//!
//! A folder gives its archives by their endings, at any depth, if they are regular files: reading a pipe would wait. Symbolic
//! links in it are followed, and no file is read twice. A file that the user names is taken, whatever its content is. An
//! archive's name is its path from `crawl-data/` on, else relative to `--base` or the folder given, else its file's name.
//!
//! A list has one path or URL a line, plain or gzipped, from a file, standard input or a URL. Blank lines and lines that begin
//! with `#` are skipped. A path is below `--base`; in a list from a URL, else below the root of its host or bucket, so that it
//! never names a local file. Listed inputs are not checked: a missing archive is a row in `archives`. A list without a path is
//! refused, but on standard input it means that nothing is to be done.

use super::base::{self, Base, file_input, is_archive_name, is_path_below};
use super::urls;
use crate::archive::{ArchiveName, Input, StreamSource, open_named};
use crate::error::Error;
use crate::store::{Links, NamedBy, Places, RemoteUrl, has_scheme, local_path};
use crate::web::shown::without_credentials;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STANDARD_INPUT: &str = "-";
/// A line longer than this is neither a path nor a URL.
const LONGEST_LINE: usize = 8 << 10;
/// The most text of a list that is read; the list of a whole crawl's archives of one kind has 15 MiB.
const LONGEST_LIST: u64 = 128 << 20;
/// The most inputs of all lists, because all of them are in memory. A whole crawl has 100,000 archives of a kind.
const MOST_INPUTS: usize = 500_000;

/// How the user names inputs.
pub struct Named<'a> {
    /// Files, folders, globs, `@lists`, `-`, URLs.
    pub inputs: &'a [String],
    /// Lists, one path a line, plain or gzipped; `-` is standard input.
    pub lists: &'a [String],
    /// Where the paths of lists start, and what names are relative to: a folder or a URL.
    pub base: Option<&'a Path>,
    /// The name of an archive read from standard input.
    pub stdin_name: Option<&'a str>,
    /// Where URLs lead.
    pub places: &'a Places,
}

/// What was found by names.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Discovered {
    /// The archives.
    pub inputs: Vec<Input>,
    /// What has an archive's name in a folder or glob but is not a regular file.
    pub skipped: Vec<PathBuf>,
}

/// Finds archives by the user's names.
pub fn discover(named: &Named<'_>) -> Result<Discovered, Error> {
    let mut found = Discovered::default();
    let start = Base::new(named.base)?;
    let places = named.places;
    for name in named.inputs {
        if name == STANDARD_INPUT {
            found.inputs.push(standard_input(named.stdin_name));
        } else if let Some(list) = name.strip_prefix('@') {
            from_list(list, &start, places, &mut found.inputs)?;
        } else if let Some(path) = local_path(name) {
            from_path(path, start.folder(), &mut found)?;
        } else if has_scheme(name) && !Path::new(name).exists() {
            found
                .inputs
                .extend(urls::inputs(&base::url(name)?, start.url(), places)?);
        } else {
            from_path(name, start.folder(), &mut found)?;
        }
    }
    for list in named.lists {
        from_list(list, &start, places, &mut found.inputs)?;
    }
    Ok(found)
}

fn standard_input(name: Option<&str>) -> Input {
    let name = ArchiveName::new(name.unwrap_or("stdin.warc"));
    Input {
        name,
        source: Arc::new(StreamSource::new(Box::new(io::stdin()))),
    }
}

/// Adds a file, a folder or, if neither of that name exists, a glob.
fn from_path(name: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let path = Path::new(name);
    if path.is_dir() {
        return from_folder(path, base, found);
    }
    if path.exists() {
        // The writer to a pipe would see it closed.
        if path.is_file() {
            File::open(path).map_err(|source| Error::InputUnreadable {
                location: name.to_owned(),
                source,
            })?;
        }
        found.inputs.push(file_input(path, base));
        return Ok(());
    }
    if name.contains(['*', '?', '[']) {
        return from_glob(name, base, found);
    }
    Err(Error::InputMissing {
        location: name.to_owned(),
    })
}

fn from_glob(glob: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let before = found.inputs.len();
    for path in base::paths(glob)? {
        if path.is_dir() {
            from_folder(&path, base, found)?;
        } else {
            found.add(path, base);
        }
    }
    if found.inputs.len() == before {
        Err(Error::NoArchives {
            location: glob.to_owned(),
        })
    } else {
        Ok(())
    }
}

impl Discovered {
    /// Adds a file that the user did not name itself.
    fn add(&mut self, path: PathBuf, base: Option<&Path>) {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            self.skipped.push(path);
        } else {
            self.inputs.push(file_input(&path, base));
        }
    }
}

fn from_folder(folder: &Path, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let mut paths =
        Links::Followed
            .files_below(folder)
            .map_err(|source| Error::InputUnreadable {
                location: folder.display().to_string(),
                source,
            })?;
    paths.retain(|path| is_archive_name(&path.to_string_lossy()));
    if paths.is_empty() {
        return Err(Error::NoArchives {
            location: folder.display().to_string(),
        });
    }
    for path in paths {
        found.add(path, base.or(Some(folder)));
    }
    Ok(())
}

fn from_list(
    list: &str,
    base: &Base<'_>,
    places: &Places,
    inputs: &mut Vec<Input>,
) -> Result<(), Error> {
    let location = || {
        if list == STANDARD_INPUT {
            "standard input".to_owned()
        } else {
            without_credentials(list)
        }
    };
    let url = if has_scheme(list) && local_path(list).is_none() {
        Some(base::url(list)?)
    } else {
        None
    };
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Error::InputMissing {
            location: location(),
        },
        _ => Error::InputUnreadable {
            location: location(),
            source,
        },
    };
    let mut lines = ListLines::new(open(list, url.as_ref(), places).map_err(unreadable)?);
    let root = url.as_ref().map(|url| Base::Url(url.root()));
    let lister = Lister {
        base: root
            .as_ref()
            .filter(|_| matches!(base, Base::None))
            .unwrap_or(base),
        list: url.as_ref(),
        places,
    };
    let before = inputs.len();
    let mut previous = Vec::new();
    while let Some(text) = lines.next().map_err(unreadable)? {
        if text.is_empty() || text.starts_with(b"#") || text == previous {
            continue;
        }
        if inputs.len() - before >= MOST_INPUTS {
            return Err(Error::ListTooLong {
                location: location(),
                limit: format!("{MOST_INPUTS} inputs"),
            });
        }
        text.clone_into(&mut previous);
        inputs.push(lister.input(&previous).map_err(|detail| Error::BadLine {
            location: location(),
            line: lines.number,
            detail,
        })??);
    }
    if lines.is_cut() {
        return Err(Error::ListTooLong {
            location: location(),
            limit: format!("{LONGEST_LIST} bytes of text"),
        });
    }
    // A pipe has what another command leaves to do, which may be nothing.
    let is_filled = inputs.len() > before || list == STANDARD_INPUT;
    if is_filled {
        Ok(())
    } else {
        Err(Error::EmptyList {
            location: location(),
        })
    }
}

struct Lister<'l> {
    base: &'l Base<'l>,
    list: Option<&'l RemoteUrl>,
    places: &'l Places,
}

impl Lister<'_> {
    fn input(&self, line: &[u8]) -> Result<Result<Input, Error>, String> {
        let path = listed_path(line)?;
        let Some(url) = remote(&path, self.base)? else {
            let folder = self.base.folder();
            if self.list.is_some() && !is_path_below(&path) {
                return Err("found a path that leads out of --base".to_owned());
            }
            let path = folder.map_or_else(|| path.clone(), |folder| folder.join(&path));
            return Ok(Ok(file_input(&path, folder)));
        };
        let base = self.base.url();
        // A host or bucket that the user has not named is asked only as far as the list's own place allows it.
        let foreign = self
            .list
            .filter(|_| base.is_none_or(|base| base.root() != url.root()));
        let named_by = match foreign.filter(|list| url.root() != list.root()) {
            Some(list) => self
                .places
                .may_list(list, &url)
                .map(|()| NamedBy::List(list))?,
            None => NamedBy::User,
        };
        Ok(urls::input(&url, named_by, base, self.places))
    }
}

/// The URL in a line, or that of a path below a URL.
fn remote(path: &Path, base: &Base<'_>) -> Result<Option<RemoteUrl>, String> {
    match (path.to_str(), base) {
        (Some(text), _) if has_scheme(text) => RemoteUrl::new(text).map(Some),
        (Some(text), Base::Url(base)) => base.join(text).map(Some),
        (None, Base::Url(_)) => Err("found a line that is not UTF-8".to_owned()),
        (_, Base::None | Base::Folder(_)) => Ok(None),
    }
}

fn open(list: &str, url: Option<&RemoteUrl>, places: &Places) -> io::Result<Box<dyn BufRead>> {
    let bytes: Box<dyn Read> = match url {
        Some(url) => places.source(url, NamedBy::User)?.open()?,
        None if list == STANDARD_INPUT => Box::new(io::stdin()),
        None => Box::new(open_named(Path::new(local_path(list).unwrap_or(list)))?),
    };
    let mut bytes = BufReader::new(bytes);
    let mut start = Vec::new();
    bytes.by_ref().take(2).read_to_end(&mut start)?;
    let is_gzip = start == [0x1f, 0x8b];
    let whole = Cursor::new(start).chain(bytes);
    Ok(if is_gzip {
        Box::new(BufReader::new(MultiGzDecoder::new(whole)))
    } else {
        Box::new(whole)
    })
}

/// The lines of a list, held one at a time.
struct ListLines {
    text: io::Take<Box<dyn BufRead>>,
    line: Vec<u8>,
    number: usize,
}

impl ListLines {
    fn new(text: Box<dyn BufRead>) -> Self {
        Self {
            text: text.take(LONGEST_LIST),
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line without blanks around it. The rest of an overlong line is not held, because the line is refused.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let most = 2 * LONGEST_LINE as u64;
        if self
            .text
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.line)?
            == 0
        {
            return Ok(None);
        }
        self.number += 1;
        let start = if self.number == 1 {
            &b"\xEF\xBB\xBF"[..]
        } else {
            b""
        };
        Ok(Some(
            self.line
                .strip_prefix(start)
                .unwrap_or(&self.line)
                .trim_ascii(),
        ))
    }

    /// Whether the text is longer than the part that is read.
    fn is_cut(&mut self) -> bool {
        self.text.limit() == 0
            && self
                .text
                .get_mut()
                .fill_buf()
                .is_ok_and(|rest| !rest.is_empty())
    }
}

/// The path in a line of a list, or what was found there instead.
fn listed_path(line: &[u8]) -> Result<PathBuf, String> {
    if line.len() > LONGEST_LINE {
        return Err(format!("found {} bytes", line.len()));
    }
    if let Some(byte) = line.iter().find(|byte| byte.is_ascii_control()) {
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

/// A path that is not UTF-8, on systems that have such paths.
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
