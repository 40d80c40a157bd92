//! A simulated year: two machines scan two crawls night by night; calls are killed, archives are published damaged and
//! repaired, a folder is unmounted, the lists of a release change, a crawl is removed.
//!
//! After every call, either `status` says that all is complete, and evidence and tables are byte for byte those of one
//! `run` over the archives as they were read, or what was refused names the next command.

use crate::command::{Ran, crawlprefs_in, done, refused};
use crate::files::files;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const OLD: &str = "CC-MAIN-2026-30";
const NEW: &str = "CC-MAIN-2026-34";
const SAMPLE: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
/// The folder of evidence of each machine.
const MACHINES: [&str; 2] = ["monday", "tuesday"];
/// What is published damaged, in which night, and when it is repaired.
const DAMAGED: [(usize, usize, usize); 3] = [(1, 1, 5), (6, 14, 17), (8, 16, 24)];
const NIGHTS: usize = 30;

/// Bytes of files by name.
type Files = BTreeMap<String, Vec<u8>>;

struct Year {
    folder: tempfile::TempDir,
    random: Rng,
    /// All archives of the year, in the order in which they are published.
    archives: Vec<(String, Vec<u8>)>,
    /// Those that are in the lists now.
    published: BTreeSet<usize>,
    /// The whole files of one `run`, by what it was given.
    runs: BTreeMap<Vec<(usize, bool)>, Files>,
    complete: usize,
    refused: usize,
    killed: usize,
}

/// Returns the archives of a crawl: those of the sample; of the older crawl with other pages under each name.
fn archives_of(crawl: &str) -> Vec<(String, Vec<u8>)> {
    let sample = files(Path::new(SAMPLE));
    let named = |(name, bytes): (&String, &Vec<u8>)| {
        let other = name
            .replace("00000.warc", "other.warc")
            .replace("00001.warc", "00000.warc");
        let other = other.replace("other.warc", "00001.warc");
        let bytes = if crawl == OLD {
            sample.get(&other).unwrap_or(bytes)
        } else {
            bytes
        };
        (
            format!("crawl-data/{crawl}/segments/1786000000000.1/{name}"),
            bytes.clone(),
        )
    };
    sample.iter().map(named).collect()
}

fn flipped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes
}

/// Returns the evidence among the files of a folder, or the tables.
fn part(files: &Files, is_evidence: bool) -> Files {
    let of_evidence = |name: &str| {
        ["_manifest/", "evidence/captures/", "evidence/site_files/"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    // The two marks say where evidence is. A killed call leaves hidden files, until their file is written again.
    let is_mark = |name: &str| matches!(name, "_crawlprefs.json" | "_resolved.json");
    let wanted =
        |name: &str| of_evidence(name) == is_evidence && !is_mark(name) && !name.contains("/.");
    files
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, bytes)| (name.clone(), bytes.clone()))
        .collect()
}

impl Year {
    fn new(seed: u64) -> Self {
        let archives = [OLD, NEW].into_iter().flat_map(archives_of).collect();
        let year = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            random: Rng::with_seed(seed),
            archives,
            published: BTreeSet::new(),
            runs: BTreeMap::new(),
            complete: 0,
            refused: 0,
            killed: 0,
        };
        // What evidence says of each archive, whole and damaged.
        for (out, is_damaged) in [("good", false), ("bad", true)] {
            for (name, bytes) in &year.archives {
                write(
                    &year.at(out).join(name),
                    &if is_damaged {
                        flipped(bytes)
                    } else {
                        bytes.clone()
                    },
                );
            }
            year.done(&[
                "scan",
                "-q",
                &format!("{out}/crawl-data"),
                "-o",
                &format!("{out}-evidence"),
            ]);
        }
        year
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn done(&self, args: &[&str]) -> Ran {
        done(self.folder.path(), args)
    }

    fn publish(&mut self, number: usize, is_damaged: bool) {
        let (name, bytes) = &self.archives[number];
        write(
            &self.at("base").join(name),
            &if is_damaged {
                flipped(bytes)
            } else {
                bytes.clone()
            },
        );
        self.published.insert(number);
        self.write_lists();
    }

    /// Writes the list of all archives, and that of each machine.
    fn write_lists(&self) {
        let list = |wanted: &dyn Fn(usize) -> bool| -> String {
            let numbers = self
                .published
                .iter()
                .copied()
                .filter(|number| wanted(*number));
            numbers
                .map(|number| self.archives[number].0.clone() + "\n")
                .collect()
        };
        write(&self.at("list"), list(&|_| true).as_bytes());
        for (machine, out) in MACHINES.iter().enumerate() {
            write(
                &self.at(&format!("list-{out}")),
                list(&|number| number % 2 == machine).as_bytes(),
            );
        }
    }

    /// Runs a call; every third one is killed after a while.
    fn call(&mut self, args: &[&str]) {
        let kill = self.random.usize(..3) == 0;
        let after = Duration::from_millis(self.random.u64(2..42));
        let signal = ["-KILL", "-TERM"][self.random.usize(..2)];
        if !kill {
            return self.ended(args);
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
            .args(args)
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        std::thread::sleep(after);
        Command::new("kill")
            .args([signal, &child.id().to_string()])
            .stderr(Stdio::null())
            .status()
            .expect("kill");
        self.killed += usize::from(!child.wait().expect("it ends").success());
    }

    fn ended(&mut self, args: &[&str]) {
        let ran = crawlprefs_in(self.folder.path(), args);
        if ran.status != 0 {
            assert!([1, 3].contains(&ran.status), "{args:?}: {}", ran.err);
            let message = ran
                .err
                .replace("crawlprefs: error: ", "")
                .replace("crawlprefs: warning: ", "");
            assert!(
                message.contains("crawlprefs ") || message.contains("--drop-missing"),
                "{args:?}: {message}"
            );
            self.refused += 1;
        }
    }

    /// Scans on both machines and resolves, without kills.
    fn do_all(&mut self) {
        for machine in MACHINES {
            let list = format!("list-{machine}");
            self.ended(&[
                "scan",
                "-q",
                "--paths-from",
                &list,
                "--base",
                "base",
                "-o",
                machine,
            ]);
        }
        self.ended(&["resolve", "-q", MACHINES[0], MACHINES[1], "-o", "tables"]);
    }

    fn scan(&mut self, machine: &str) {
        let list = format!("list-{machine}");
        if fs::metadata(self.at(&list)).is_ok_and(|list| list.len() > 0) {
            self.call(&[
                "scan",
                "-q",
                "--paths-from",
                &list,
                "--base",
                "base",
                "-o",
                machine,
            ]);
        }
    }

    fn resolve(&mut self) {
        self.call(&["resolve", "-q", MACHINES[0], MACHINES[1], "-o", "tables"]);
    }

    /// Holds that the tables are complete and those of one `run`, or that the next command is named; returns which.
    fn look(&mut self) -> bool {
        let mut args = vec!["status", "tables", "--paths-from", "list", "--base", "base"];
        args.extend(MACHINES.iter().flat_map(|folder| ["--evidence", *folder]));
        let ran = crawlprefs_in(self.folder.path(), &args);
        if ran.status == 0 {
            self.hold_identical();
            self.complete += 1;
        } else {
            let text = format!("{}{}", ran.out, ran.err.replace("crawlprefs: error: ", ""));
            assert!(
                text.contains("crawlprefs ") && (ran.status == 1 || text.contains("Next:\n")),
                "{text}"
            );
        }
        ran.status == 0
    }

    fn hold_identical(&mut self) {
        let [good, bad] = ["good-evidence", "bad-evidence"].map(|out| files(&self.at(out)));
        let mut evidence = BTreeMap::new();
        for machine in MACHINES {
            evidence.extend(part(&files(&self.at(machine)), true));
        }
        let mut states = Vec::new();
        for number in self.published.iter().copied() {
            let name = manifest_of(&self.archives[number].0);
            let found = evidence.get(&name).expect("status says that it is read");
            assert!(
                good.get(&name) == Some(found) || bad.get(&name) == Some(found),
                "{name}"
            );
            states.push((number, bad.get(&name) == Some(found)));
        }
        let tables = part(&files(&self.at("tables")), false);
        let run = self.one_run(states);
        let (of_evidence, of_tables) = (part(run, true), part(run, false));
        for (found, expected) in [(&evidence, &of_evidence), (&tables, &of_tables)] {
            let names = found.keys().chain(expected.keys()).collect::<BTreeSet<_>>();
            let names: Vec<_> = names
                .into_iter()
                .filter(|name| found.get(*name) != expected.get(*name))
                .collect();
            assert!(names.is_empty(), "{names:?}");
        }
    }

    /// Returns what one `run` writes over archives; some of these are damaged.
    fn one_run(&mut self, states: Vec<(usize, bool)>) -> &Files {
        if !self.runs.contains_key(&states) {
            let place = format!("one-{}", self.runs.len());
            for (number, is_damaged) in &states {
                let (name, bytes) = &self.archives[*number];
                write(
                    &self.at(&place).join(name),
                    &if *is_damaged {
                        flipped(bytes)
                    } else {
                        bytes.clone()
                    },
                );
            }
            let out = format!("{place}/out");
            self.done(&["run", "-q", &format!("{place}/crawl-data"), "-o", &out]);
            self.runs.insert(states.clone(), files(&self.at(&out)));
        }
        &self.runs[&states]
    }

    /// What happens in a night, besides calls.
    fn events(&mut self, night: usize) {
        for (number, published, repaired) in DAMAGED {
            if night == published || night == repaired {
                self.publish(number, night == published);
            }
        }
        let usual = |number: &usize| DAMAGED.iter().all(|(damaged, ..)| number != damaged);
        // The older crawl comes in the first five nights, the newer one from the twelfth on.
        let number = if night < 5 {
            night
        } else {
            night.saturating_sub(7)
        };
        if (night < 5 || (12..17).contains(&night)) && usual(&number) {
            self.publish(number, false);
        }
        match night {
            8 => self.release(),
            10 => self.unmount(),
            20 => self.remove_crawl(),
            _ => {}
        }
    }

    /// The lists of another release: tables were made with another suffix list and another agents table.
    fn release(&mut self) {
        for round in 0..2 {
            let tables = self.at("tables");
            for (name, bytes) in files(&tables) {
                let (key, length) = match name.as_str() {
                    "_resolved.json" if round == 0 => ("\"agents_digest\": \"", 32),
                    _ if name.starts_with("_resolved/") && round == 1 => ("\"evidence\": \"", 32),
                    _ => continue,
                };
                let text = String::from_utf8(bytes).expect("JSON");
                let Some(at) = text.find(key).map(|at| at + key.len()) else {
                    continue;
                };
                let text = format!(
                    "{}{}{}",
                    &text[..at],
                    "A".repeat(length),
                    &text[at + length..]
                );
                write(&tables.join(name), text.as_bytes());
            }
            assert!(!self.look(), "tables of another release are not complete");
            let resolve = ["resolve", "-q", MACHINES[0], MACHINES[1], "-o", "tables"];
            if round == 0 {
                // Tables of another agents table are replaced where one asks for it.
                refused(
                    &crawlprefs_in(self.folder.path(), &resolve),
                    "or resolve with --overwrite",
                );
                self.done(&[&resolve[..], &["--overwrite"]].concat());
            } else {
                self.ended(&resolve);
            }
            assert!(self.look());
        }
    }

    /// The folder of one machine is not mounted: nothing is made of the other alone.
    fn unmount(&mut self) {
        fs::rename(self.at(MACHINES[1]), self.at("unmounted")).expect("renamed");
        let before = files(&self.at("tables"));
        for is_mount_point in [false, true] {
            if is_mount_point {
                fs::create_dir(self.at(MACHINES[1])).expect("a mount point");
            }
            let refused = self.refused;
            self.ended(&["resolve", "-q", MACHINES[0], MACHINES[1], "-o", "tables"]);
            self.ended(&["resolve", "-q", MACHINES[0], "-o", "tables"]);
            assert!(self.refused == refused + 2 && !self.look());
            assert!(files(&self.at("tables")) == before);
        }
        fs::remove_dir(self.at(MACHINES[1])).expect("an empty folder");
        fs::rename(self.at("unmounted"), self.at(MACHINES[1])).expect("renamed");
    }

    /// The older crawl is removed from the folders of evidence; `status` names the call for the tables.
    fn remove_crawl(&mut self) {
        for machine in MACHINES {
            for folder in [
                "_manifest",
                "_known",
                "evidence/captures",
                "evidence/site_files",
            ] {
                let folder = self.at(machine).join(folder).join(format!("crawl={OLD}"));
                if folder.exists() {
                    fs::remove_dir_all(folder).expect("removed");
                }
            }
        }
        self.published
            .retain(|number| !self.archives[*number].0.contains(OLD));
        self.write_lists();
        assert!(!self.look());
        let status = ["status", "tables", "--paths-from", "list", "--base", "base"];
        let text = crawlprefs_in(self.folder.path(), &status).out;
        let next = text
            .lines()
            .find(|line| line.contains(&format!("the tables of {OLD} have no evidence")));
        let next = next
            .and_then(|line| line.split_once("crawlprefs resolve "))
            .expect("the next command")
            .1;
        let next: Vec<&str> = ["resolve", "-q"]
            .into_iter()
            .chain(next.split(' '))
            .collect();
        self.done(&next);
    }
}

fn manifest_of(archive: &str) -> String {
    let parts: Vec<&str> = archive.split('/').collect();
    let file = parts[5].trim_end_matches(".warc.gz");
    format!(
        "_manifest/crawl={}/{}-{}-{file}.json",
        parts[1], parts[3], parts[4]
    )
}

fn write(file: &Path, bytes: &[u8]) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, bytes).expect("written");
}

#[test]
fn local_every_end_of_a_year_is_complete_or_refused_with_the_next_command() {
    let mut year = Year::new(2026);
    for night in 0..NIGHTS {
        if night == 8 {
            // The release comes to tables that are complete.
            year.do_all();
            assert!(year.look());
        }
        year.events(night);
        let machine = MACHINES[year.random.usize(..2)];
        year.scan(machine);
        if year.random.bool() {
            year.look();
            year.resolve();
        }
        year.look();
    }
    // What status names as next completes it.
    year.do_all();
    assert!(year.look(), "complete at the end");
    let good = files(&year.at("good-evidence"));
    for machine in MACHINES {
        for (name, bytes) in part(&files(&year.at(machine)), true) {
            assert!(
                good.get(&name) == Some(&bytes),
                "{name} is that of the repaired archive"
            );
        }
    }
    assert!(
        year.refused >= 4 && year.complete >= 5,
        "{} {} {}",
        year.killed,
        year.refused,
        year.complete
    );
}
