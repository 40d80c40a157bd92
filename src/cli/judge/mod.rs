//! `judge`: documents from files or standard input, to files or standard output.

mod audit;
mod progress;
mod streams;
mod summary;

use crate::cli::args::{JudgeArgs, ViewpointArgs};
use crate::cli::call::{Ended, watching};
use crate::cli::event::Failure;
use crate::cli::log::Log;
use crate::cli::{INPUTS_FAILED, index, jobs, log, output, resolve};
use crawlprefs::error::Error;
use crawlprefs::judge::files::{
    Codec, ColumnNames, DocumentNames, DocumentSample, DocumentsFile, EarlierPlace, FilePlan,
    FilesOptions, FilesTally, JudgeCall, ListedDocuments, OutputFolder, Outputs, about_folder,
    judge_files, list, plan_files,
};
use crawlprefs::judge::{Added, At, Judge, JudgeOptions, Policy, Taken};
use crawlprefs::plan::{Existing, Missing};
use crawlprefs::runs::TableOptions;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::{Places, Store, StoreFile};
use crawlprefs::web::shown::visible;
use crawlprefs::web::timestamp::Timestamp;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use streams::{Spooled, Stdout};

/// The name of the output of standard input.
const STDIN: &str = "stdin";

type OpenedJudge = (Judge, FilesOptions);

pub fn judge(args: &JudgeArgs) -> Result<u8, Ended> {
    watching(
        "judge",
        args.out.as_deref().and_then(Path::to_str),
        &args.watch,
        &args.remote,
        args.log(),
        |places| {
            let opened = open(args, places)?;
            let judged = judged_by(args, places, &opened);
            // The index gave no answer before it was replaced.
            let is_untouched = args.out.is_none() && !Stdout::is_written();
            if judged.is_err()
                && is_untouched
                && opened.0.index().is_some_and(|index| index.is_replaced())
            {
                return judged_by(args, places, &open(args, places)?);
            }
            judged
        },
    )
}

fn judged_by(args: &JudgeArgs, places: &Places, opened: &OpenedJudge) -> Result<u8, Ended> {
    if let Some(bytes) = opened.0.memory_needed() {
        let needed = bytes.div_ceil(1 << 20);
        let detail = format!(
            "--memory-limit is so low that the evidence is read several times for each portion of documents; with {needed}M it \
             is read once"
        );
        args.log()
            .warn(Failure::lasting("memory_limit_low", detail));
    }
    if args.dry_run {
        return plan(args, opened, places);
    }
    let log = (!args.quiet).then(|| args.log());
    finish(args, &tally(args, opened, places, log.as_ref())?, opened)
}

pub fn open(args: &JudgeArgs, places: &Places) -> Result<OpenedJudge, Ended> {
    let log = args.log();
    let is_allowed = args.allow_incomplete;
    let input = |folder: &PathBuf| resolve::input(folder, places);
    let tables = args.tables.as_ref().map(input).transpose()?;
    let mut judge = match (args.sites.as_slice(), tables) {
        ([_, ..], tables) => {
            let index = SiteLayers::open(&args.sites, places)?;
            index::check_complete(&index, is_allowed, &log)?;
            Judge::open_index(index, tables, made_for(args)?, options(args)?)?
        }
        ([], Some(tables)) => {
            let evidence = args.evidence.iter().map(input).collect::<Result<_, _>>()?;
            Judge::open(tables, evidence, options(args)?)?
        }
        ([], None) => return Err(Failure::bad_option("--tables or --sites is missing").into()),
    };
    index::check(judge.lacking()?, is_allowed, &log)?;
    let options = files_options(args, &judge)?;
    if let Some(policy) = &options.policy {
        judge = judge.for_policy(policy);
    }
    Ok((judge, options))
}

/// Returns the agent that the verdicts are for, if there are no tables.
fn made_for(args: &JudgeArgs) -> Result<TableOptions, resolve::Refusal> {
    let viewpoint = ViewpointArgs {
        agent: args.agent.clone(),
        agent_unknown: args.agent_unknown,
        agents: args.agents.clone(),
        vocab: args.vocab.clone(),
        applications: args.applications.clone(),
        token_match: args.token_match,
    };
    let slack = args.robots_slack.unwrap_or_default();
    let max_age = args.robots_max_age.unwrap_or_default();
    Ok(TableOptions {
        slack,
        max_age,
        ..resolve::table_options(&viewpoint)?
    })
}

/// Judges the inputs; a log gets lines of how far it is, or a terminal a bar.
pub fn tally(
    args: &JudgeArgs,
    (judge, options): &OpenedJudge,
    places: &Places,
    log: Option<&Log>,
) -> Result<FilesTally, Ended> {
    let (files, _spooled) = files(args)?;
    if args.out.is_none() && files.len() > 1 {
        let detail = match args.mask {
            Some(_) => "several inputs: --mask is of one",
            None => "several inputs: give a folder for the documents with -o",
        };
        return Err(Failure::bad_option(detail).into());
    }
    let folders = output_folders(args, places)?;
    let to_stdout = || Ok(Box::new(Stdout) as Box<dyn StoreFile>);
    let mask = |mask: &Path| -> Result<_, Ended> {
        if args
            .inputs
            .iter()
            .any(|input| output::is_same_file(input, mask))
        {
            let detail = "--mask: both an input and the output; choose another file";
            return Err(Failure::bad_option(detail).into());
        }
        let name = mask
            .file_name()
            .ok_or("--mask: found no name of a file".to_owned())?;
        Ok((
            resolve::store(output::folder_of(mask), places)?,
            name.to_string_lossy().into_owned(),
        ))
    };
    let mask = args.mask.as_deref().map(mask).transpose()?;
    let to_mask = || {
        mask.as_ref()
            .map_or_else(to_stdout, |(folder, name)| folder.create(name))
    };
    let outputs = outputs(&folders).unwrap_or(Outputs::Stream(&to_mask));
    let work = || judge_files(judge, &files, &outputs, options);
    let Some(log) = log else { return Ok(work()?) };
    let judged = progress::watched(log, &options.progress, files.len(), work);
    Ok(judged.map_err(|error| Error::Workers {
        jobs: 1,
        detail: error.to_string(),
    })??)
}

fn plan(args: &JudgeArgs, (judge, options): &OpenedJudge, places: &Places) -> Result<u8, Ended> {
    let (files, _spooled) = files(args)?;
    let folders = output_folders(args, places)?;
    let Some(outputs) = outputs(&folders) else {
        return Err(Failure::bad_option("--dry-run needs --out").into());
    };
    let line = |file: &FilePlan| {
        let make = match file.dialect {
            Some(dialect) => format!("judge, read as {dialect}"),
            None => "judge".to_owned(),
        };
        format!("{}: {}\n", visible(&file.name), file.step.words(&make))
    };
    let plan = plan_files(judge, &files, &outputs, options)?;
    Ok(output::print(&plan.iter().map(line).collect::<String>())?)
}

/// A folder for documents, and the one beside it.
type FolderPair = [Arc<dyn Store>; 2];

/// For documents that are kept, and for those that are dropped.
fn output_folders(args: &JudgeArgs, places: &Places) -> Result<[Option<FolderPair>; 2], Ended> {
    let open = |out: &Option<PathBuf>| -> Result<Option<FolderPair>, Ended> {
        let Some(out) = out else { return Ok(None) };
        let about = about_folder(out)?;
        Ok(Some([
            resolve::store(out, places)?,
            resolve::store(&about, places)?,
        ]))
    };
    let absolute = |folder: &Option<PathBuf>| std::path::absolute(folder.as_ref()?).ok();
    if let (Some(out), Some(dropped)) = (absolute(&args.out), absolute(&args.dropped))
        && (out.starts_with(&dropped)
            || dropped.starts_with(&out)
            || output::is_same_file(&out, &dropped))
    {
        let detail =
            "--dropped: expected a folder that is neither that of --out, nor in it or above it";
        return Err(Failure::bad_option(detail).into());
    }
    Ok([open(&args.out)?, open(&args.dropped)?])
}

fn outputs([kept, dropped]: &[Option<FolderPair>; 2]) -> Option<Outputs<'_>> {
    fn folder([documents, about]: &FolderPair) -> OutputFolder<'_> {
        OutputFolder {
            documents: documents.as_ref(),
            about: about.as_ref(),
        }
    }
    Some(Outputs::Folder(
        folder(kept.as_ref()?),
        dropped.as_ref().map(folder),
    ))
}

fn options(args: &JudgeArgs) -> Result<JudgeOptions, resolve::Refusal> {
    Ok(JudgeOptions {
        times: asked(args)?.unwrap_or_else(|| vec![At::Page]),
        is_audited: added(args).is_ok_and(|added| added.is_audited()),
        now: Timestamp::new(log::now().as_bytes()),
        match_within: args.match_within,
        agents: args.agents.as_deref().map(resolve::agents).transpose()?,
        vocabulary: args.vocab.as_deref().map(resolve::vocabulary).transpose()?,
        applications: args
            .applications
            .as_deref()
            .map(resolve::applications)
            .transpose()?,
        jobs: jobs(args.workers.jobs),
        memory_bytes: args.workers.memory_limit,
        ..JudgeOptions::default()
    })
}

fn asked(args: &JudgeArgs) -> Result<Option<Vec<At>>, String> {
    if args.at.is_empty() {
        return Ok(None);
    }
    At::distinct(args.at.clone())
        .map(Some)
        .map_err(|error| format!("--at: {error}"))
}

fn files_options(args: &JudgeArgs, judge: &Judge) -> Result<FilesOptions, resolve::Refusal> {
    // Given names hold for every file; without them, each file shows by its names what it is.
    let has_names = !args.url.is_empty() || args.id.is_some() || args.date.is_some();
    let mut names = match args.dialect {
        Some(dialect) => DocumentNames::from_dialect(dialect),
        None if has_names => ColumnNames::default().into(),
        None => DocumentNames::default(),
    };
    names.give_urls(&args.url);
    names.give(args.id.as_ref(), |names| &mut names.id);
    if let Some(date) = &args.date {
        names.give_date(date);
    }
    let existing = Existing::of(args.overwrite);
    let missing = Missing::of(args.drop_missing);
    let format = args.format;
    let asked = asked(args)?;
    let policy = args
        .policy
        .as_deref()
        .map(|policy| self::policy(policy, judge, asked.as_deref()));
    let policy = policy.transpose()?;
    if let Some(policy) = &policy {
        names.except(&policy.exceptions.columns);
    }
    let urls_are_newest =
        asked.is_none() && !policy.as_ref().is_some_and(|policy| policy.are_times_named);
    let added = added(args)?;
    let diff = args
        .diff
        .as_deref()
        .map(EarlierPlace::from_path)
        .transpose();
    let diff = diff.map_err(|error| format!("--diff: {error}"))?;
    let mask = args
        .mask
        .as_deref()
        .map(|mask| Codec::of_name(&mask.to_string_lossy()));
    let call = JudgeCall {
        time: log::now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: args.words.clone(),
    };
    let sample = args.sample.map(|(documents, seed)| DocumentSample {
        documents,
        seed: seed.unwrap_or_else(any_seed),
    });
    Ok(FilesOptions {
        names,
        added,
        urls_are_newest,
        existing,
        missing,
        policy,
        format,
        diff,
        mask,
        sample,
        call,
        progress: Arc::default(),
    })
}

/// Returns a seed that nobody has chosen, with few digits, as people copy it.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

fn added(args: &JudgeArgs) -> Result<Added, resolve::Refusal> {
    let taken = if args.replace_prefs {
        Taken::Replaced
    } else {
        Taken::Refused
    };
    let times = asked(args)?.unwrap_or_default();
    let added = Added::new(&args.prefix, taken)?.at(&times);
    let added = if args.audit { added.audited() } else { added };
    let added = if args.sample.is_some() {
        added.with_finding()
    } else {
        added
    };
    if args.columns.is_empty() {
        return Ok(added);
    }
    added
        .of_names(&args.columns)
        .map_err(|error| format!("--columns: {error}"))
}

/// Returns the columns that are added to rows in memory: those of files, and the reason to drop a document.
pub fn added_in_memory(args: &JudgeArgs) -> Result<Added, Failure> {
    let added = added(args)?;
    Ok(if args.policy.is_some() {
        added.with_reason()
    } else {
        added
    })
}

/// Returns a preset by its name, or the policy of a file; the files that it names are beside it.
fn policy(name: &str, judge: &Judge, asked: Option<&[At]>) -> Result<Policy, resolve::Refusal> {
    let named = Path::new(name);
    let beside = |list: &str| {
        resolve::read_named_by_file(&named.parent().unwrap_or(Path::new("")).join(list))
    };
    let is_preset = Policy::presets().any(|preset| preset == name);
    if is_preset || (!named.exists() && !name.contains(['/', '.'])) {
        // If no file has this name, the message lists the presets.
        return Policy::read(name, &judge.resolver, asked, &beside);
    }
    let text = resolve::read(named)?;
    let text = std::str::from_utf8(&text).map_err(|_| format!("{name}: not UTF-8"))?;
    Policy::read(text, &judge.resolver, asked, &beside).map_err(|error| format!("{name}: {error}"))
}

/// Returns the named files, with standard input as one of them.
fn files(args: &JudgeArgs) -> Result<(Vec<DocumentsFile>, Option<Spooled>), Ended> {
    let (stdin, named): (Vec<_>, Vec<_>) = args
        .inputs
        .iter()
        .cloned()
        .partition(|input| input == Path::new("-"));
    let ListedDocuments {
        mut files,
        left_out,
        skipped,
    } = if named.is_empty() {
        ListedDocuments::default()
    } else {
        list(&named)?
    };
    for path in skipped {
        args.log()
            .warn(Failure::lasting("not_a_file", resolve::not_a_file(&path)));
    }
    if !left_out.is_empty() {
        let counts: Vec<String> = left_out
            .iter()
            .map(|(ending, count)| match ending.as_str() {
                "" => format!("{count} without an ending"),
                ending => format!("{count} .{ending}"),
            })
            .collect();
        let detail = format!(
            "files of a folder that are not read, by their endings: {}",
            counts.join(", ")
        );
        args.log().warn(Failure::lasting("files_left_out", detail));
    }
    if stdin.is_empty() {
        return Ok((files, None));
    }
    let spooled = Spooled::new().map_err(|source| Error::InputUnreadable {
        location: "standard input".to_owned(),
        source,
    })?;
    files.push(DocumentsFile {
        name: STDIN.to_owned(),
        path: spooled.path().to_owned(),
    });
    Ok((files, Some(spooled)))
}

/// Reports the files that failed, and the counts; returns the exit status.
fn finish(
    args: &JudgeArgs,
    tally: &FilesTally,
    (judge, options): &OpenedJudge,
) -> Result<u8, Ended> {
    let log = args.log();
    for (name, detail) in &tally.failed {
        log.warn(Failure::lasting(
            "documents_unreadable",
            format!("{name}: {detail}"),
        ));
    }
    let is_any_read =
        tally.judged + tally.known > 0 || tally.failed.is_empty() || tally.audit.is_some();
    if !args.quiet && is_any_read {
        // The documents may be on standard output.
        let policy = options.policy.as_ref();
        let costs_of = policy.filter(|_| tally.audit.is_none());
        let costs = costs_of
            .map(|policy| summary::of_cost(tally, policy))
            .unwrap_or_default();
        let diff = options.diff.as_ref();
        let changes = tally
            .counts
            .changes
            .as_ref()
            .map(|changes| summary::of_changes(changes, diff));
        let about = args.out.as_deref().and_then(|out| about_folder(out).ok());
        let sums = tally
            .sums
            .as_ref()
            .zip(about)
            .map(|(sums, about)| summary::of_sums(tally, sums, &about));
        let has_column = options
            .added
            .columns
            .iter()
            .any(|own| own.column.name == "prefs_robots_age_days");
        let has_ages = has_column || policy.is_some_and(|policy| policy.max_age().is_some());
        let documents = summary::of_documents(tally, judge.times(), has_ages);
        let audit = tally.audit.as_ref().map(audit::text).unwrap_or_default();
        let text = [
            documents,
            audit,
            costs,
            changes.unwrap_or_default(),
            sums.unwrap_or_default(),
        ]
        .concat();
        if args.out.is_some() || args.mask.is_some() {
            output::print(&output::fitted(&text))?;
        } else {
            Log::summary(&text);
        }
    }
    if tally.failed.len() <= args.max_failed {
        return Ok(0);
    }
    let failed = tally.failed.len();
    let inputs = tally.failed.len() + tally.judged + tally.known;
    let detail = format!(
        "{failed} of {inputs} inputs failed, --max-failed allows {}",
        args.max_failed
    );
    log.error(Failure::lasting("inputs_failed", detail));
    Ok(INPUTS_FAILED)
}
