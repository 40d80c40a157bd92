//! Classes of robots.txt files as two published studies counted them, for comparison with ours.
//!
//! Ours: both cut a file into lines, cut off comments and white space, and give groups the names of their
//! user-agent lines; what else they do is each one's own (`dpi`, `imc`). Example: `User-agent: A # b` names
//! `a` for both.
//! Left out: everything that RFC 9309 would make of a line.

mod dpi;
mod imc;
mod names;

use super::site::Class;
use crate::robots::RobotsTxt;
use dpi::DpiFile;
use imc::ImcFile;

/// The classes of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudyClasses {
    /// The class by the rules of the Data Provenance Initiative's study.
    pub dpi: Class,
    /// The class by the rules of Liu et al., IMC 2025; `None` where too many paths would have to be asked for.
    pub imc: Option<Class>,
}

/// A file as both studies read it.
pub struct Studies<'a> {
    dpi: DpiFile<'a>,
    imc: ImcFile<'a>,
}

impl<'a> Studies<'a> {
    /// Reads a file.
    #[must_use]
    pub fn read(robots: &'a RobotsTxt) -> Self {
        let file = robots.bytes();
        let most = robots.records().len();
        let (mut dpi, mut imc) = (DpiFile::with_capacity(most), ImcFile::with_capacity(file, most));
        if robots.bad_line_count() == 0 {
            // No line is lost to us that they may read, and our records are cut as their lines are.
            for record in robots.records() {
                dpi.add(record.text);
                imc.add_record(&record);
            }
        } else {
            for (_, line) in robots.lines() {
                let end = memchr::memchr(b'#', line).unwrap_or(line.len());
                let text = line.get(..end).unwrap_or(line).trim_ascii();
                dpi.add(text);
                imc.add(text);
            }
        }
        dpi.names.sort();
        imc.names.sort();
        Self { dpi, imc }
    }

    /// Returns the classes of an agent, named in lower case.
    pub fn classes(&mut self, agent: &[u8]) -> StudyClasses {
        StudyClasses { dpi: self.dpi.class(agent), imc: self.imc.class(agent) }
    }
}
