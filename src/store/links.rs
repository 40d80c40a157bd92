//! Symbolic links in folders: what a job may follow, and what it refuses.
//!
//! Anybody who can write to a folder can put a link there. Below an output no link is followed, because files are replaced and
//! removed there: `OUT/pages/crawl=x` as a link to another folder is refused with its name. Below an input a link is followed,
//! and its target is read once, however many links lead there. Left out: a link that is made while a job runs, and hard links.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Whether the links below a folder are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A link is an error that names it.
    Refused,
    /// The target of a link is read, once.
    Followed,
}

impl Links {
    /// Refuses a path below `folder` that leads through a link, the path's last part included.
    pub fn check(self, folder: &Path, name: &str) -> io::Result<()> {
        let mut path = folder.to_owned();
        for part in name.split('/') {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() && self == Self::Refused => {
                    return Err(refused(&path));
                }
                Ok(_) => {}
                // Nothing below it exists, either.
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Refuses a path below `folder` whose folders are links. A link in the place of the file itself is replaced, not followed.
    pub fn check_folders(self, folder: &Path, name: &str) -> io::Result<()> {
        name.rsplit_once('/')
            .map_or(Ok(()), |(folders, _)| self.check(folder, folders))
    }

    /// Returns the files below a folder, each once, in no order. A link that leads nowhere is a file.
    pub fn files_below(self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let start = fs::canonicalize(folder)?;
        let mut walk = Walk {
            links: self,
            seen: HashSet::new(),
            files: Vec::new(),
            linked: Vec::new(),
        };
        walk.folder(folder, &start)?;
        // Files in the folder itself keep their own names, whatever links lead to them.
        while !walk.linked.is_empty() {
            let mut linked = std::mem::take(&mut walk.linked);
            linked.sort();
            for link in linked {
                walk.link(link, &start)?;
            }
        }
        Ok(walk.files)
    }
}

struct Walk {
    links: Links,
    /// The folders and files found so far, without links in their paths.
    seen: HashSet<PathBuf>,
    files: Vec<PathBuf>,
    linked: Vec<PathBuf>,
}

impl Walk {
    fn folder(&mut self, folder: &Path, real: &Path) -> io::Result<()> {
        let mut folders = vec![(folder.to_owned(), real.to_owned())];
        while let Some((folder, real)) = folders.pop() {
            if !self.seen.insert(real.clone()) {
                continue;
            }
            let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let entries = entries.map_err(|error| super::folder::named(&folder, &error, None))?;
            for entry in entries {
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_symlink() {
                    // Names that begin with a dot are not output.
                    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                    match self.links {
                        Links::Refused if is_hidden => {}
                        Links::Refused => return Err(refused(&path)),
                        Links::Followed => self.linked.push(path),
                    }
                } else if kind.is_dir() {
                    folders.push((path, real.join(entry.file_name())));
                } else if self.seen.insert(real.join(entry.file_name())) {
                    self.files.push(path);
                }
            }
        }
        Ok(())
    }

    fn link(&mut self, path: PathBuf, start: &Path) -> io::Result<()> {
        let Ok(real) = fs::canonicalize(&path) else {
            self.files.push(path);
            return Ok(());
        };
        if real.is_dir() {
            // A link to a folder around the first one is a loop.
            return if start.starts_with(&real) {
                Ok(())
            } else {
                self.folder(&path, &real)
            };
        }
        if self.seen.insert(real) {
            self.files.push(path);
        }
        Ok(())
    }
}

fn refused(path: &Path) -> io::Error {
    let detail = format!(
        "{}: a symbolic link, which is not followed below an output; remove it, or name the folder it leads to",
        path.display()
    );
    io::Error::new(ErrorKind::InvalidInput, detail)
}

#[cfg(test)]
mod tests {
    use super::Links;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn names(links: Links, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = links
            .files_below(folder)
            .unwrap()
            .iter()
            .map(|path| {
                path.strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn local_of_an_input_each_file_is_found_once_however_links_lead_there() {
        let folder = tempfile::tempdir().unwrap();
        let [inside, outside] = ["in", "out"].map(|name| folder.path().join(name));
        for folder in [inside.join("a"), outside.join("deep")] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in [
            inside.join("a/1"),
            inside.join("2"),
            outside.join("3"),
            outside.join("deep/4"),
        ] {
            fs::write(file, "").unwrap();
        }
        // To itself, twice to another folder, to a part of that, around everything, to files, to nothing.
        for (link, to) in [
            ("self", &inside),
            ("a/self", &inside),
            ("a/up", &folder.path().to_owned()),
            ("x", &outside),
            ("y", &outside),
            ("w", &outside.join("deep")),
            ("1", &inside.join("a/1")),
            ("3", &outside.join("3")),
            ("gone", &outside.join("no")),
        ] {
            symlink(to, inside.join(link)).unwrap();
        }
        symlink(&inside, outside.join("back")).unwrap();
        assert_eq!(
            names(Links::Followed, &inside),
            ["2", "3", "a/1", "gone", "w/4"]
        );
    }

    #[test]
    fn local_below_an_output_a_link_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/1"), "").unwrap();
        assert_eq!(names(Links::Refused, folder.path()), ["a/b/1"]);
        symlink(folder.path(), folder.path().join("a/link")).unwrap();
        let error = Links::Refused
            .files_below(folder.path())
            .unwrap_err()
            .to_string();
        assert!(error.contains("a/link: a symbolic link"), "{error}");
        for (name, whole, folders) in [
            ("a/link", false, true),
            ("a/link/x", false, false),
            ("a/b/1", true, true),
            ("no/x", true, true),
        ] {
            assert_eq!(
                Links::Refused.check(folder.path(), name).is_ok(),
                whole,
                "{name}"
            );
            assert_eq!(
                Links::Refused.check_folders(folder.path(), name).is_ok(),
                folders,
                "{name}"
            );
            assert!(Links::Followed.check(folder.path(), name).is_ok());
        }
    }
}
