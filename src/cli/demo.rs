//! `demo`: a first answer for a user without archives, from the seven small archives of sample-data, which are in the binary.

use super::args::DemoArgs;
use super::call::Ended;
use super::event::Failure;
use super::{carry_out, output, parsed};
use crawlprefs::web::shown::visible;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

macro_rules! archive {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../../sample-data/", $path)))
    };
}

/// The archives of sample-data: path below the folder, and bytes.
const ARCHIVES: &[(&str, &[u8])] = &[
    archive!(
        "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/crawldiagnostics/CC-MAIN-20260810060000-20260810090000-00000.warc.gz"
    ),
    archive!(
        "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/robotstxt/CC-MAIN-20260810060000-20260810090000-00000.warc.gz"
    ),
    archive!(
        "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/robotstxt/CC-MAIN-20260810060000-20260810090000-00001.warc.gz"
    ),
    archive!(
        "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/warc/CC-MAIN-20260810060000-20260810090000-00000.warc.gz"
    ),
    archive!(
        "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/warc/CC-MAIN-20260810060000-20260810090000-00001.warc.gz"
    ),
    archive!("local/site.warc"),
    archive!("local/whole.warc.gz"),
];

pub fn demo(args: &DemoArgs) -> Result<u8, Ended> {
    let archives = args.out.join("archives");
    let out = args.out.join("out");
    write_archives(&archives)?;
    let mut into = OsString::from("--out=");
    into.push(&out);
    let words = [
        "crawlprefs".into(),
        "run".into(),
        into,
        "--".into(),
        archives.clone().into(),
    ];
    let status = match parsed(words) {
        Ok((command, asked)) => carry_out(&command, &asked)?,
        Err(error) => output::print_usage(&error)?,
    };
    if status == 0 {
        output::print(&next_steps(&archives, &out))?;
    }
    Ok(status)
}

/// Writes each archive that does not exist; does not replace a file of that name with other bytes.
fn write_archives(folder: &Path) -> Result<(), Failure> {
    for (path, bytes) in ARCHIVES {
        let path = folder.join(path);
        let unwritable = |error: io::Error| Failure {
            kind: "output_unwritable",
            detail: format!(
                "{}: cannot be written: {error}; choose another folder with -o",
                path.display()
            ),
            retry: true,
        };
        match fs::read(&path) {
            Ok(found) if found == *bytes => {}
            Ok(_) => {
                let detail = format!(
                    "{}: not a file of the demo; choose another folder with -o",
                    path.display()
                );
                return Err(Failure::bad_option(detail));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                path.parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .map_err(unwritable)?;
                fs::write(&path, bytes).map_err(unwritable)?;
            }
            Err(error) => return Err(unwritable(error)),
        }
    }
    Ok(())
}

fn next_steps(archives: &Path, out: &Path) -> String {
    let archives = archives.to_string_lossy();
    let out = out.to_string_lossy();
    let archives = visible(&archives);
    let out = visible(&out);
    let where_they_are = format!(
        "The archives are in {archives}, the tables in {out}. Every host in them is invented. Try next:"
    );
    let mut text = format!(
        "\n{}\n",
        output::wrapped(&where_they_are, output::width(), "", "")
    );
    let program = output::program();
    for (command, what) in [
        (
            format!("explain https://signal.example/ --tables {out}"),
            "why a page is open or closed, with the lines that decided",
        ),
        (
            "schema pages".to_owned(),
            "what the columns of the table of pages mean",
        ),
        (
            "run YOUR.warc.gz -o YOUR-TABLES".to_owned(),
            "the same for archives of yours",
        ),
    ] {
        text.extend(["  ", &program, " ", &command, "\n"]);
        text += &output::wrapped(what, output::width(), "      ", "      ");
    }
    text
}
