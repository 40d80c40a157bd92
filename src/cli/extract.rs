//! `extract`: the records behind a decision, or those of a file, as a small WARC, or as one for each archive.

use super::args::ExtractArgs;
use super::index;
use super::output::{escaped, is_same_file};
use super::resolve::{Refusal, read, with_evidence};
use crawlprefs::explain::Scenario;
use crawlprefs::explain::tables::{self, LookupError, WantedPage};
use crawlprefs::job::{
    Checked, Extracted, Extraction, NamedCapture, OriginalArchives, RecordPlace, is_path_below,
    script_digest,
};
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::{Places, Store};
use crawlprefs::tables::record_places::{self, PlaceRow};
use crawlprefs::verdict::{RecordLocation, Request};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::shown::visible;
use std::path::{Path, PathBuf};

pub fn extract(args: &ExtractArgs, places: &Places) -> Result<String, Refusal> {
    if let Some(path) = &args.verify {
        return verified(
            path,
            OriginalArchives {
                base: args.base.as_deref(),
                places,
            },
        );
    }
    let base = args.base.as_deref().unwrap_or(Path::new("."));
    let (mut records, reason) = match (args.sites.as_slice(), &args.url) {
        ([_, ..], Some(url)) => {
            let captures = captures(args, url, places)?;
            if args.out.is_none() {
                return listed(&captures);
            }
            let captures = captures.into_iter().map(|(_, capture)| capture).collect();
            let found =
                NamedCapture::places(captures, base, places).map_err(|error| error.to_string())?;
            (
                found,
                format!("the captures of site files behind an index's answer about {url}"),
            )
        }
        _ => records(args, places)?,
    };
    if records.is_empty() {
        let of = args
            .url
            .as_deref()
            .map_or("nothing is listed".to_owned(), |url| {
                format!("{url}: the tables have no capture of it")
            });
        return Err(format!("{of}, so there is no record to copy"));
    }
    let out = args.out.as_deref().unwrap_or(Path::new(""));
    records.sort();
    refuse_replacing(out, base, &records)?;
    let refusal = |error: std::io::Error| format!("{}: cannot be written: {error}", out.display());
    let write = |store: &dyn Store, name: &str, records: &[RecordPlace]| {
        let mut file = store.create(name).map_err(refusal)?;
        let extraction = Extraction {
            records: records.to_vec(),
            base,
            reason: &reason,
        };
        let count = extraction
            .write(places, &mut file)
            .map_err(|error| error.to_string())?;
        file.commit().map_err(refusal)?;
        Ok::<_, Refusal>(count)
    };
    let copied = if is_folder(out) {
        let store = places.store(out).map_err(refusal)?;
        let archives = records.chunk_by(|one, other| one.filename == other.filename);
        let write = |records: &[RecordPlace]| {
            let name = records.first().map_or("", |record| &record.filename);
            if !is_path_below(name) {
                return Err(format!(
                    "{name}: expected the path of an archive below --base, to use it below -o"
                ));
            }
            let ending = if name.ends_with(".warc.gz") {
                ""
            } else {
                ".warc.gz"
            };
            write(store.as_ref(), &format!("{name}{ending}"), records)
        };
        archives
            .map(write)
            .collect::<Result<Vec<Extracted>, Refusal>>()?
    } else {
        let (folder, name) = folder_and_name(out)?;
        vec![write(
            places.store(folder).map_err(refusal)?.as_ref(),
            name,
            &records,
        )?]
    };
    let count: usize = copied.iter().map(|one| one.records).sum();
    let without: usize = copied.iter().map(|one| one.without_original).sum();
    // An index does not say where the original of a revisit is; tables do.
    let note = if without > 0 && !args.sites.is_empty() {
        format!(
            "Revisits whose original is in another archive: {without}. A scan of the copies does not know their bodies; \
             with --tables the originals are copied, too\n"
        )
    } else {
        String::new()
    };
    Ok(format!(
        "Copied {count} records to {}\n{note}",
        out.display()
    ))
}

/// Refuses an output that is one of the archives of some records, which are sorted, or their folder.
fn refuse_replacing(out: &Path, base: &Path, records: &[RecordPlace]) -> Result<(), Refusal> {
    let mut archives = records.chunk_by(|one, other| one.filename == other.filename);
    let is_archive = |records: &[RecordPlace]| {
        let archive = records.first().map(|record| base.join(&record.filename));
        archive.is_some_and(|archive| is_same_file(out, &archive))
    };
    if is_same_file(out, base) || archives.any(is_archive) {
        return Err(format!(
            "{}: both an input and the output; choose another one for the output",
            out.display()
        ));
    }
    Ok(())
}

/// Returns the captures of site files that an index's answer about a page rests on, each with its kind.
fn captures(
    args: &ExtractArgs,
    url: &str,
    places: &Places,
) -> Result<Vec<(CaptureKind, NamedCapture)>, Refusal> {
    let wanted = WantedPage {
        url,
        fetched: None,
        lists: Vec::new(),
    };
    let scenario = scenario_of_index(&args.sites, (&wanted, None), args.allow_incomplete, places)?;
    let capture = |request: &Request| {
        let filename = request.location.warc_filename.clone().unwrap_or_default();
        let capture = NamedCapture {
            filename,
            url: request.url.as_str().to_owned(),
            fetched_at: request.fetched_at,
        };
        (request.kind, capture)
    };
    let found: Vec<_> = scenario
        .robots
        .iter()
        .chain(&scenario.site_files)
        .map(capture)
        .collect();
    if found.is_empty() {
        return Err(format!(
            "{url}: the index has no capture of a file of its site"
        ));
    }
    Ok(found)
}

fn listed(captures: &[(CaptureKind, NamedCapture)]) -> Result<String, Refusal> {
    let time = |(_, capture): &(CaptureKind, NamedCapture)| {
        capture
            .fetched_at
            .map(|time| time.to_string())
            .unwrap_or_default()
    };
    let times: Vec<String> = captures.iter().map(time).collect();
    let rows = captures.iter().zip(&times).map(|((kind, capture), time)| {
        [
            capture.filename.as_str(),
            kind.as_str(),
            capture.url.as_str(),
            time.as_str(),
        ]
    });
    let text = record_places::captures_csv(rows).map_err(|error| error.to_string())?;
    Ok(escaped(&text))
}

/// Returns the scenario of a page by site indexes; with a digest, only by those that have it.
pub fn scenario_of_index(
    sites: &[PathBuf],
    (wanted, digest): (&WantedPage<'_>, Option<&String>),
    is_allowed: bool,
    places: &Places,
) -> Result<Scenario, Refusal> {
    let open = || SiteLayers::open(sites, places).map_err(|error| error.to_string());
    index::by(open, |index| {
        let found = &index.digest;
        if let Some(expected) = digest.filter(|expected| *expected != found) {
            let location = index.location();
            return (
                Err(format!(
                    "{location}: has the SHA-256 {found}, expected {expected}"
                )),
                false,
            );
        }
        if let Some(error) = index::lacking(&index).filter(|_| !is_allowed) {
            return (Err(error.to_string()), false);
        }
        let found = tables::scenario_by_index(&index, wanted).map_err(|error| error.to_string());
        let is_replaced = found.is_err() && index.is_replaced();
        (found, is_replaced)
    })
}

/// Checks an extract or a package.
fn verified(path: &Path, originals: OriginalArchives<'_>) -> Result<String, Refusal> {
    let checked = originals
        .check(path)
        .map_err(|detail| visible(&detail).into_owned())?;
    let Checked {
        files,
        records,
        whole,
        compared,
    } = checked;
    let compared = match originals.base {
        Some(base) => format!("{compared} are as in the archives at {}", base.display()),
        None => "not compared with the archives; --base says where these are".to_owned(),
    };
    let package = match files {
        0 => String::new(),
        _ => format!(
            "\n{files} files have their digests; verify.py is that of every package, SHA-256 {}",
            script_digest()
        ),
    };
    let whole = if whole == 0 {
        String::new()
    } else {
        format!(" and {whole} whole archives")
    };
    Ok(format!(
        "{}: {records} records{whole}: {compared}{package}\n",
        path.display()
    ))
}

/// Returns whether each archive's records get a file of their own with its name, so that its crawl and segment are known.
fn is_folder(out: &Path) -> bool {
    out.to_str().is_some_and(|out| out.ends_with('/'))
}

/// Returns also the reason.
fn records(args: &ExtractArgs, places: &Places) -> Result<(Vec<RecordPlace>, String), Refusal> {
    if let (Some(folder), Some(url)) = (&args.tables, &args.url) {
        let lists = vec!["agents_table", "vocabulary_file", "applications_file"];
        let wanted = WantedPage {
            url,
            fetched: args.fetched,
            lists,
        };
        let (scenario, originals) =
            by_tables(folder, &args.evidence, places, |store, evidence| {
                let scenario = tables::scenario(store, evidence, &wanted)?;
                let known: Vec<RecordLocation> = locations(&scenario).cloned().collect();
                let originals = tables::originals(store, evidence, url, &known)?;
                Ok::<_, LookupError>((scenario, originals))
            })?;
        let at = scenario
            .fetched_at
            .map(|at| format!(", fetched at {at}"))
            .unwrap_or_default();
        let places = locations(&scenario)
            .chain(&originals)
            .map(place)
            .collect::<Result<_, Refusal>>()?;
        return Ok((
            places,
            format!("the records behind the decision about {url}{at}"),
        ));
    }
    let Some(file) = &args.from else {
        return Err("expected --tables with --url, or --from".to_owned());
    };
    let rows =
        record_places::read(read(file)?).map_err(|error| format!("{}: {error}", file.display()))?;
    if let Some(folder) = &args.tables {
        return with_sites(folder, args, rows, places);
    }
    Ok((
        rows.into_iter()
            .map(|(filename, offset, length)| RecordPlace {
                filename,
                offset,
                length,
            })
            .collect(),
        "the records of a list".to_owned(),
    ))
}

/// Returns the records behind a decision: of the page, if it was captured, and of the files of its site.
fn locations(scenario: &Scenario) -> impl Iterator<Item = &RecordLocation> {
    let page = Some(&scenario.location).filter(|location| location.warc_filename.is_some());
    let requests = scenario.robots.iter().chain(&scenario.site_files);
    page.into_iter()
        .chain(requests.map(|request| &request.location))
}

/// Returns the places of rows of the tables, and of the files of their sites. In one archive all site files count for all
/// pages, but in the tables those of a page's own segment, so rows of several segments need a folder.
fn with_sites(
    folder: &Path,
    args: &ExtractArgs,
    rows: Vec<PlaceRow>,
    places: &Places,
) -> Result<(Vec<RecordPlace>, String), Refusal> {
    let rows = rows
        .into_iter()
        .map(|(filename, offset, _)| (filename, offset))
        .collect();
    let found = by_tables(folder, &args.evidence, places, |store, evidence| {
        tables::records(store, evidence, &rows)
    })?;
    let out = args.out.as_deref().unwrap_or(Path::new(""));
    if found.groups > 1 && !is_folder(out) {
        return Err(format!(
            "--from: found rows of {} segments, and a page is judged by the site files of its own; use -o {}/, for a \
             folder with a file for each archive",
            found.groups,
            out.display()
        ));
    }
    let records = found
        .records
        .iter()
        .map(place)
        .collect::<Result<_, Refusal>>()?;
    Ok((
        records,
        format!(
            "{} records of a list, and the files of their sites",
            found.rows
        ),
    ))
}

fn place(location: &RecordLocation) -> Result<RecordPlace, Refusal> {
    let RecordLocation {
        warc_filename,
        warc_record_offset,
        warc_record_length,
    } = location.clone();
    let filename = warc_filename.unwrap_or_default();
    let (Some(offset), Some(length)) = (warc_record_offset, warc_record_length) else {
        return Err(format!(
            "{filename}: a record there has no length of its own, so that it cannot be copied"
        ));
    };
    Ok(RecordPlace {
        filename,
        offset,
        length,
    })
}

fn folder_and_name(file: &Path) -> Result<(&Path, &str), Refusal> {
    let text = file.to_str().ok_or("-o: expected a name in UTF-8")?;
    match text.rsplit_once('/') {
        _ if text.is_empty() || text.ends_with('/') => Err(format!("-o {text}: expected a file")),
        Some(("", name)) => Ok((Path::new("/"), name)),
        Some((folder, name)) => Ok((Path::new(folder), name)),
        None => Ok((Path::new("."), text)),
    }
}

pub fn scenario_of_page(
    folder: &Path,
    evidence: &[PathBuf],
    wanted: &WantedPage<'_>,
    places: &Places,
) -> Result<Scenario, Refusal> {
    by_tables(folder, evidence, places, |store, evidence| {
        tables::scenario(store, evidence, wanted)
    })
}

fn by_tables<T, E: ToString>(
    folder: &Path,
    evidence: &[PathBuf],
    places: &Places,
    ask: impl FnOnce(&dyn Store, &[&dyn Store]) -> Result<T, E>,
) -> Result<T, Refusal> {
    let (tables, evidence) =
        with_evidence(folder, evidence, places).map_err(|error| error.to_string())?;
    let evidence: Vec<&dyn Store> = evidence.iter().map(AsRef::as_ref).collect();
    ask(tables.as_ref(), &evidence).map_err(|error| error.to_string())
}
