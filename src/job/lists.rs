//! Lists of inputs: one path or URL a line, plain or gzipped, from a file, standard input or a URL.
//!
//! Example: Common Crawl's `warc.paths.gz`. Blank lines and lines that begin with `#` are no inputs. A path is below
//! `--base`; in a list that came from a URL, else below the root of its host or bucket, so that it never names a local
//! file. What a list names is not looked at: a missing archive is a row in `archives`.

use super::base::{self, Base, file_input};
use super::urls;
use crate::archive::Input;
use crate::error::Error;
use crate::store::{Places, RemoteUrl, has_scheme, local_path};
use crate::web::shown::without_credentials;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A longer line of a list is neither a path nor a URL.
const LONGEST_LINE: usize = 8 << 10;
/// A longer list is not read; that of a whole crawl has 15 MiB.
const LONGEST_LIST: u64 = 1 << 30;

/// Reads a list.
pub fn from_list(list: &str, base: &Base<'_>, places: &Places, inputs: &mut Vec<Input>) -> Result<(), Error> {
    let location = || if list == "-" { "standard input".to_owned() } else { without_credentials(list) };
    let list_url = if has_scheme(list) && local_path(list).is_none() { Some(base::url(list)?) } else { None };
    let bytes = read_list(list, list_url.as_ref(), places).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::InputMissing { location: location() },
        _ => Error::InputUnreadable { location: location(), source },
    })?;
    let root = list_url.map(|url| Base::Url(url.root()));
    let base = root.as_ref().filter(|_| matches!(base, Base::None)).unwrap_or(base);
    let before = inputs.len();
    let lines = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).split(|byte| *byte == b'\n');
    for (line, text) in (1..).zip(lines.map(<[u8]>::trim_ascii)) {
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let bad = |detail| Error::BadLine { location: location(), line, detail };
        let path = listed_path(text).map_err(bad)?;
        if let Some(url) = remote(&path, base).map_err(bad)? {
            inputs.push(urls::input(&url, base.url(), places)?);
        } else {
            let folder = base.folder();
            let path = folder.map_or_else(|| path.clone(), |folder| folder.join(&path));
            inputs.push(file_input(&path, folder));
        }
    }
    if inputs.len() == before { Err(Error::EmptyList { location: location() }) } else { Ok(()) }
}

/// Returns the URL in a line, or that of a path below a URL.
fn remote(path: &Path, base: &Base<'_>) -> Result<Option<RemoteUrl>, String> {
    match (path.to_str(), base) {
        (Some(text), _) if has_scheme(text) => RemoteUrl::new(text).map(Some),
        (Some(text), Base::Url(base)) => base.join(text).map(Some),
        (None, Base::Url(_)) => Err("found a line that is not UTF-8".to_owned()),
        (_, Base::None | Base::Folder(_)) => Ok(None),
    }
}

fn read_list(list: &str, url: Option<&RemoteUrl>, places: &Places) -> io::Result<Vec<u8>> {
    let bytes = match url {
        Some(url) => places.read(url, LONGEST_LIST)?,
        None if list == "-" => bounded(io::stdin())?,
        None => bounded(File::open(local_path(list).unwrap_or(list))?)?,
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return bounded(MultiGzDecoder::new(bytes.as_slice()));
    }
    Ok(bytes)
}

fn bounded(list: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    list.take(LONGEST_LIST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_LIST {
        return Err(io::Error::other(format!("a list of more than {LONGEST_LIST} bytes")));
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
