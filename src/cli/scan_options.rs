//! The flags of `scan` and `run` to options.

use super::args::{ReadLess, ScanArgs};
use super::event::{Event, Failure};
use crawlprefs::error::Error;
use crawlprefs::evidence::Depth;
use crawlprefs::job::{self, Changed, Named, ScanOptions, Unit};
use crawlprefs::runs::{Existing, Look};
use crawlprefs::store::Places;

/// What is behind the name of an archive on standard input.
const NAMED_STDIN: &str = "=-";
/// The name by which `--again` means all archives that are damaged.
const DAMAGED: &str = "damaged";
/// The name by which `--again` means all archives whose file is another now.
const CHANGED: &str = "changed";

/// Reads the flags, and finds the archives that they name.
pub fn options(args: &ScanArgs, unit: Unit, places: &Places) -> Result<ScanOptions, Error> {
    let stdin_name = args.inputs.iter().find_map(|input| input.strip_suffix(NAMED_STDIN));
    let without_name =
        |input: &String| if input.ends_with(NAMED_STDIN) { "-".to_owned() } else { input.clone() };
    let inputs: Vec<String> = args.inputs.iter().map(without_name).collect();
    let named =
        Named { inputs: &inputs, lists: &args.paths_from, base: args.base.as_deref(), stdin_name, places };
    let found = job::discover(&named)?;
    for path in found.skipped {
        let detail =
            format!("{}: skipped, because it is not a regular file; name it to read it", path.display());
        args.talk.log().write(&Event::Warning(Failure { kind: "not_a_file", detail, retry: false }));
    }
    let mut options = ScanOptions::new(found.inputs);
    options.crawl.clone_from(&args.crawl);
    let leaves_out = |part| args.depth.contains(&part);
    options.depth = match (leaves_out(ReadLess::Heads), leaves_out(ReadLess::NoMeta)) {
        (true, true) => Depth::HeadsNoMeta,
        (true, false) => Depth::Heads,
        (false, true) => Depth::NoMeta,
        (false, false) => Depth::Full,
    };
    let has = |word| args.again.iter().any(|name| name == word);
    options.changed = if has(CHANGED) { Changed::Replace } else { Changed::Refuse };
    options.again.damaged = has(DAMAGED);
    let is_name = |name: &&String| ![DAMAGED, CHANGED].contains(&name.as_str());
    options.again.names = args.again.iter().filter(is_name).cloned().collect();
    options.look = if args.verify { Look::Bytes } else { Look::Lengths };
    options.recheck = args.recheck;
    options.jobs = args.jobs.unwrap_or(options.jobs);
    options.downloads = args.downloads;
    options.memory_bytes = args.memory_limit;
    options.share = args.share.of(unit);
    options.existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    Ok(options)
}
