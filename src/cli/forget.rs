//! `forget`: removes a crawl from an output folder.
//!
//! Example: `out: removed CC-MAIN-2026-30: 2000 archives, 4000 files of evidence, 130 files of tables`.

use super::args::ForgetArgs;
use super::call::Ended;
use super::event::Detail;
use super::log::Log;
use super::{output, resolve};
use crawlprefs::job::{self, Forgotten};
use crawlprefs::runs::{Forgetting, ForgottenTables};
use std::fmt::Write;

/// Returns where messages go.
pub fn log(args: &ForgetArgs) -> Log {
    Log::new(args.log_format.into(), Detail::Problems)
}

/// Removes a crawl, or lists what would be removed; returns the exit status.
pub fn forget(args: &ForgetArgs) -> Result<u8, Ended> {
    let places = args.remote.watched_places(None);
    let store = resolve::store(&args.out, &places)?;
    let tables = if args.keep_tables { ForgottenTables::Kept } else { ForgottenTables::Removed };
    let forgetting = Forgetting { crawl: args.crawl.clone(), tables };
    if args.dry_run {
        let found = job::to_forget(store.as_ref(), &forgetting)?;
        let mut names = String::new();
        for name in found.files() {
            // Writing to a String does not fail.
            let _ = writeln!(names, "{name}");
        }
        output::print(&names)?;
        return Ok(0);
    }
    let forgotten = job::forget(store.as_ref(), &forgetting)?;
    output::print(&text(args, &forgotten))?;
    Ok(0)
}

fn text(args: &ForgetArgs, forgotten: &Forgotten) -> String {
    let Forgotten { archives, evidence, tables, .. } = forgotten;
    let (out, crawl) = (args.out.display(), &args.crawl);
    let (archives, evidence, tables) = (archives.len(), evidence.len(), tables.len());
    let kept = if args.keep_tables { "; its tables are kept" } else { "" };
    let mut text = format!(
        "{out}: removed {crawl}: {archives} archives, {evidence} files of evidence, {tables} files of tables{kept}\n"
    );
    if forgotten.makes_stale {
        let _ = writeln!(
            text,
            "Next: crawlprefs resolve {out}    (site files of {crawl} counted for other crawls; give the same options as before)"
        );
    }
    text
}
