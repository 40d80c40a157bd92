//! What commands write: text on standard output, and files beside the output, such as a report. A file is replaced as a whole,
//! and checked before the work begins.

use crawlprefs::error::Error;
use crawlprefs::store::{FolderStore, Store, StoreFile, is_same_place};
use crawlprefs::web::shown::{visible, visible_json};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use textwrap::{Options, WordSeparator, WordSplitter};

/// Writes text for people; returns the exit status. Nothing that others wrote reaches the terminal as it is.
pub fn print(text: &str) -> io::Result<u8> {
    print_bytes(escaped(text).as_bytes())
}

/// Writes JSON, which stays JSON: what is hidden of texts is escaped as JSON has it.
pub fn print_json(text: &str) -> io::Result<u8> {
    let lines: String = text
        .lines()
        .flat_map(|line| [visible_json(line), "\n".into()])
        .collect();
    print_bytes(lines.as_bytes())
}

/// Writes a list that other calls read: nothing in it is escaped, except on a terminal.
pub fn print_list(text: &str) -> io::Result<u8> {
    if io::stdout().is_terminal() {
        print(text)
    } else {
        print_bytes(text.as_bytes())
    }
}

pub fn print_bytes(bytes: &[u8]) -> io::Result<u8> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(0)
}

/// Prints help, a version, or what is wrong with the arguments; returns the exit status.
pub fn print_usage(error: &clap::Error) -> io::Result<u8> {
    let text = error.render().to_string();
    let escaped = escaped(&text);
    if escaped == text {
        error.print()?;
    } else {
        // If standard error is closed, the status says it.
        drop(io::stderr().write_all(escaped.as_bytes()));
    }
    io::stdout().flush()?;
    Ok(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns text without what a terminal obeys, except line ends.
pub fn escaped(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|text| {
            let (line, end) = text
                .strip_suffix('\n')
                .map_or((text, ""), |line| (line, "\n"));
            visible(line).into_owned() + end
        })
        .collect()
}

/// Returns whether two paths lead to one file or folder that exists.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(std::fs::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}

pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// A file that is written under a temporary name and then renamed.
pub struct WholeFile {
    folder: FolderStore,
    name: String,
    /// The path as given.
    pub path: PathBuf,
}

impl WholeFile {
    /// Checks that the file can be written; its present content stays for now.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let folder = folder_of(path);
        let name = path
            .file_name()
            .and_then(OsStr::to_str)
            .filter(|_| !path.is_dir());
        let file = Self {
            folder: FolderStore::new(folder.to_owned()),
            name: name.unwrap_or_default().to_owned(),
            path: path.to_owned(),
        };
        let checked = if name.is_none() {
            Err(io::Error::other("it is a folder, or its name is not UTF-8"))
        } else if folder.is_dir() {
            file.begin().map(drop)
        } else {
            let detail = format!("there is no folder {}", folder.display());
            Err(io::Error::new(io::ErrorKind::NotFound, detail))
        };
        checked.map_err(|source| file.unwritable(source))?;
        Ok(file)
    }

    /// Returns whether both are one file, even if their folders are named differently.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && is_same_place(&self.folder, &other.folder)
    }

    /// Begins new content, which replaces the earlier content on commit.
    pub fn begin(&self) -> io::Result<Box<dyn StoreFile>> {
        self.folder.create(&self.name)
    }

    pub fn write(&self, content: impl AsRef<[u8]>) -> Result<(), Error> {
        self.folder
            .put(&self.name, content.as_ref())
            .map_err(|source| self.unwritable(source))
    }

    pub fn unwritable(&self, source: io::Error) -> Error {
        Error::OutputUnwritable {
            location: self.path.display().to_string(),
            source,
        }
    }
}

pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok());
    groups.collect::<Vec<_>>().join(",")
}

/// Returns the command as it was called, so that what a text advises can be typed: a path where it is not found by its name.
pub fn program() -> String {
    let called = std::env::args_os()
        .next()
        .map(|name| name.to_string_lossy().into_owned());
    let path = called.filter(|name| name.contains(std::path::MAIN_SEPARATOR));
    path.map_or("crawlprefs".to_owned(), |path| visible(&path).into_owned())
}

/// Returns the columns of a line of text for people: 80, or fewer in a narrower terminal.
pub fn width() -> usize {
    const WIDTH: usize = 80;
    const LEAST: usize = 60;
    if io::stdout().is_terminal() {
        textwrap::termwidth().clamp(LEAST, WIDTH)
    } else {
        WIDTH
    }
}

/// Returns lines of at most this many columns, except for a longer word, that begin with `first` and then with `next`.
pub fn wrapped(text: &str, width: usize, first: &str, next: &str) -> String {
    let options = Options::new(width)
        .initial_indent(first)
        .subsequent_indent(next)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options)
        .iter()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect()
}

/// Wraps the lines that are wider than the terminal; they go on two columns further right. A command can be copied as it stands.
pub fn fitted(text: &str) -> String {
    let width = width();
    let line = |line: &str| {
        if line.contains("crawlprefs ") {
            return format!("{line}\n");
        }
        let indent = line.len() - line.trim_start().len();
        wrapped(
            line.trim_start(),
            width,
            &" ".repeat(indent),
            &" ".repeat(indent + 2),
        )
    };
    text.lines().map(line).collect()
}

#[allow(clippy::cast_precision_loss)] // shown with one decimal
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Formats a time to wait in the unit that gives a small number.
pub fn waiting(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        7200.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, waiting};

    #[test]
    fn local_thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn local_times_to_wait_have_a_fitting_unit() {
        for (seconds, text) in [
            (0, "0 s"),
            (119, "119 s"),
            (121, "3 min"),
            (7260, "2 h 1 min"),
        ] {
            assert_eq!(waiting(seconds), text);
        }
    }
}
