//! A scenario: what was asked for, by whom, and what was there.

use crate::robots::Extent;
use crate::systems::Viewpoint;
use crate::systems::aipref_vocab::Vocabulary;
use crate::systems::app_directives::Applications;
use crate::verdict::AgentsTable;
use crate::verdict::timeline::Answer;
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Carrier;
use crate::web::product_token::{ProductToken, TokenMatch};
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use data_encoding::BASE64;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// When things happen of which a scenario tells only the order.
const SOME_TIME: &[u8] = b"2025-09-01T00:00:00Z";

/// The longest robots.txt that is made of parts: a line of JSON can ask for any length.
const PARTS_BYTES: usize = 16 << 20;

/// Why a scenario cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// A key has a value that is none.
    #[error("{key}: found {found}, expected {expected}")]
    Key {
        /// The key.
        key: &'static str,
        /// What stands there.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The viewpoint's vocabulary or token is none.
    #[error("{0}")]
    Viewpoint(String),
}

/// What was asked for, by whom, and what was there.
pub struct Scenario {
    /// For whom and in which words.
    pub viewpoint: Viewpoint,
    /// The tokens that `disallowed_agents` is about.
    pub agents: AgentsTable,
    /// The page.
    pub url: Option<PageUrl<'static>>,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// The requests for robots.txt.
    pub fetches: Vec<RobotsFetch>,
    /// The requests for other site files.
    pub site_files: Vec<FileFetch>,
    /// How much later than the page a robots.txt may be.
    pub slack: Duration,
    /// The page's header fields and metas: carrier, name in lower case, value.
    pub signals: Vec<(Carrier, String, Vec<u8>)>,
    /// Its media type, where the response has one.
    pub media_type: Option<String>,
    /// The carriers of its record that could not be read whole.
    pub unread: Vec<Value>,
    /// Statements of the vocabulary, each from a source of its own.
    pub statements: Option<Vec<String>>,
    /// Whether the requests have times, so that copies can be told apart.
    pub is_history: bool,
}

/// A request for a robots.txt, or for what it redirects to.
pub struct RobotsFetch {
    /// Which URL was asked for.
    pub url: PageUrl<'static>,
    /// When.
    pub fetched_at: Option<Timestamp>,
    /// How it was answered.
    pub answer: Answer,
    /// Where it redirects.
    pub location: Option<String>,
    /// Its body.
    pub body: Option<Vec<u8>>,
    /// Whether that is all.
    pub extent: Extent,
    /// Where its record stands: `warc_filename` and `warc_record_offset`, where that is told.
    pub place: Map<String, Value>,
}

/// A request for a site file that is no robots.txt.
pub struct FileFetch {
    /// What it is.
    pub kind: CaptureKind,
    /// How it went.
    pub fetch: RobotsFetch,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`], with the key.
    pub fn read(json: &Value) -> Result<Self, ScenarioError> {
        let some_time = Timestamp::new(SOME_TIME);
        let url = text(json, "url")?.map(|url| page_url(url, "url")).transpose()?;
        let body = robots_body(json)?;
        let history = list(json, "robots_history")?;
        let fetches = match (&history, list(json, "robots_fetch")?, &url, body) {
            (Some(history), ..) => history.iter().map(history_entry).collect::<Result<_, _>>()?,
            (None, Some(fetches), _, body) => robots_fetches(&fetches, body.as_deref(), some_time)?,
            (None, None, Some(url), Some(body)) => vec![current(url, body, some_time)?],
            (None, None, _, _) => Vec::new(),
        };
        Ok(Self {
            viewpoint: viewpoint(json)?,
            agents: agents(json)?,
            fetched_at: match text(json, "fetched")? {
                Some(time) => Timestamp::new(time.as_bytes()),
                None => some_time,
            },
            site_files: site_files(json, url.as_ref(), some_time)?,
            slack: Duration::from_secs(json["robots_slack"].as_u64().unwrap_or(0)),
            signals: signals(json)?,
            media_type: match json.get("content_type") {
                Some(Value::Null) => None,
                Some(_) | None => {
                    Some(text(json, "content_type")?.unwrap_or("text/html").to_ascii_lowercase())
                }
            },
            unread: list(json, "unread")?.unwrap_or_default(),
            statements: statements(json)?,
            is_history: history.is_some(),
            url,
            fetches,
        })
    }
}

fn viewpoint(json: &Value) -> Result<Viewpoint, ScenarioError> {
    let token = text(json, "product_token")?.unwrap_or("CCBot");
    let vocabulary = text(json, "vocabulary")?.unwrap_or("03");
    let unknown = || ScenarioError::Viewpoint(format!("vocabulary {vocabulary}: expected 01 to 07"));
    let of_lines = |lines: &str| {
        Vocabulary::from_lines(vocabulary, lines.as_bytes())
            .map_err(|error| ScenarioError::Viewpoint(format!("vocabulary {vocabulary}: {error}")))
    };
    let prefix = text(json, "token_match")? == Some("prefix");
    Ok(Viewpoint {
        token: ProductToken::new(token)
            .map_err(|error| ScenarioError::Viewpoint(format!("product_token {token}: {error}")))?,
        token_match: if prefix { TokenMatch::Prefix } else { TokenMatch::Exact },
        vocabulary: match text(json, "vocabulary_lines")? {
            Some(lines) => of_lines(lines)?,
            None => Vocabulary::named(vocabulary).ok_or_else(unknown)?,
        },
        applications: Applications::from_lines(text(json, "applications")?.unwrap_or_default().as_bytes())
            .map_err(|error| ScenarioError::Viewpoint(format!("applications: {error}")))?,
    })
}

fn agents(json: &Value) -> Result<AgentsTable, ScenarioError> {
    match text(json, "agents")? {
        Some(table) => {
            AgentsTable::read(table).map_err(|error| ScenarioError::Viewpoint(format!("agents: {error}")))
        }
        None => Ok(AgentsTable::bundled()),
    }
}

/// A robots.txt that is simply there: fetched with 200, and current.
fn current(url: &PageUrl<'_>, body: Vec<u8>, at: Option<Timestamp>) -> Result<RobotsFetch, ScenarioError> {
    let robots = format!("{}/robots.txt", url.origin());
    let fetch = fetch_of(&json!({ "url": robots, "status": 200 }), at)?;
    Ok(RobotsFetch { body: Some(body), ..fetch })
}

/// The requests of a chain; the body is that of its 2xx answer.
fn robots_fetches(
    fetches: &[Value],
    body: Option<&[u8]>,
    at: Option<Timestamp>,
) -> Result<Vec<RobotsFetch>, ScenarioError> {
    let read = |fetch: &Value| {
        let fetch = fetch_of(fetch, at)?;
        let received = matches!(fetch.answer, Answer::Status(200..=299));
        Ok(RobotsFetch { body: body.filter(|_| received).map(<[u8]>::to_vec), ..fetch })
    };
    fetches.iter().map(read).collect()
}

/// The other site files: each as it was answered, or an automation-preferences.txt that is simply there.
fn site_files(
    json: &Value,
    page: Option<&PageUrl<'_>>,
    at: Option<Timestamp>,
) -> Result<Vec<FileFetch>, ScenarioError> {
    let given = list(json, "site_files")?.unwrap_or_default();
    let mut files = given.iter().map(|file| site_file(file, page, at)).collect::<Result<Vec<_>, _>>()?;
    if let (Some(body), Some(page)) = (text(json, "automation_preferences_txt")?, page) {
        let fetch = json!({ "kind": CaptureKind::Automation.as_str(), "status": 200, "body": body });
        files.push(site_file(&fetch, Some(page), at)?);
    }
    Ok(files)
}

/// A file without a URL is the page's site's, and without a status it was fetched with 200.
fn site_file(
    file: &Value,
    page: Option<&PageUrl<'_>>,
    at: Option<Timestamp>,
) -> Result<FileFetch, ScenarioError> {
    let named = text(file, "kind")?.and_then(CaptureKind::named);
    let kind = named.filter(|kind| kind.read_as() != CaptureKind::Robots && *kind != CaptureKind::Page);
    let kind = kind.ok_or_else(|| wrong("kind", file, "automation, tdmrep, ai_txt or trust_txt"))?;
    let (origin, path) = (page.map(PageUrl::origin), kind.paths().first());
    let url = match (text(file, "url")?, origin, path) {
        (Some(url), ..) => url.to_owned(),
        (None, Some(origin), Some(path)) => format!("{origin}{path}"),
        (None, ..) => return Err(wrong("site_files", file, "a url")),
    };
    let body = match text(file, "body_base64")? {
        Some(base64) => Some(decoded(base64, "body_base64")?),
        None => text(file, "body")?.map(|body| body.as_bytes().to_vec()),
    };
    let fetched_at = match text(file, "fetched")? {
        Some(fetched) => Timestamp::new(fetched.as_bytes()),
        None => at,
    };
    let mut given = file.as_object().cloned().unwrap_or_default();
    given.insert("url".to_owned(), url.into());
    given.entry("status").or_insert_with(|| 200.into());
    let fetch = fetch_of(&given.into(), fetched_at)?;
    Ok(FileFetch { kind, fetch: RobotsFetch { body, ..fetch } })
}

fn history_entry(entry: &Value) -> Result<RobotsFetch, ScenarioError> {
    let fetched = text(entry, "fetched")?.and_then(|fetched| Timestamp::new(fetched.as_bytes()));
    let body = match text(entry, "body_base64")? {
        Some(base64) => Some(decoded(base64, "body_base64")?),
        None => text(entry, "robots_txt")?.map(|body| body.as_bytes().to_vec()),
    };
    Ok(RobotsFetch { body, ..fetch_of(entry, fetched)? })
}

fn fetch_of(fetch: &Value, fetched_at: Option<Timestamp>) -> Result<RobotsFetch, ScenarioError> {
    let url = text(fetch, "url")?.unwrap_or_default();
    let status = fetch["status"].as_u64().map(|status| u16::try_from(status).unwrap_or(0));
    Ok(RobotsFetch {
        url: page_url(url, "url")?,
        fetched_at,
        answer: match (status, fetch["status"].is_null()) {
            (Some(status), _) => Answer::Status(status),
            (None, true) => Answer::NetworkError,
            (None, false) => Answer::StatusUnreadable,
        },
        location: text(fetch, "location")?.map(str::to_owned),
        body: None,
        extent: if fetch["cut"] == Value::Bool(true) { Extent::CutOff } else { Extent::Whole },
        place: place(fetch),
    })
}

/// Returns where a record stands, as far as that is told.
pub fn place(record: &Value) -> Map<String, Value> {
    let told = |key: &str| Some((key.to_owned(), record.get(key)?.clone()));
    ["warc_filename", "warc_record_offset"].into_iter().filter_map(told).collect()
}

/// The file as a string, in parts, or in Base64.
fn robots_body(json: &Value) -> Result<Option<Vec<u8>>, ScenarioError> {
    if let Some(base64) = text(json, "robots_txt_base64")? {
        return decoded(base64, "robots_txt_base64").map(Some);
    }
    if let Some(parts) = list(json, "robots_txt_parts")? {
        return joined(&parts).map(|text| Some(text.into_bytes()));
    }
    Ok(text(json, "robots_txt")?.map(|text| text.as_bytes().to_vec()))
}

fn joined(parts: &[Value]) -> Result<String, ScenarioError> {
    let mut joined = String::new();
    for part in parts {
        let (text, times) = match (part.as_str(), part["repeat"].as_str(), part["times"].as_u64()) {
            (Some(text), ..) => (text, 1),
            (None, Some(repeat), Some(times)) => (repeat, usize::try_from(times).unwrap_or(usize::MAX)),
            (None, ..) => {
                return Err(wrong("robots_txt_parts", part, "strings and objects with repeat and times"));
            }
        };
        if text.len().saturating_mul(times).saturating_add(joined.len()) > PARTS_BYTES {
            return Err(wrong("robots_txt_parts", part, "at most 16 MiB in all"));
        }
        joined.push_str(&text.repeat(times));
    }
    Ok(joined)
}

fn signals(json: &Value) -> Result<Vec<(Carrier, String, Vec<u8>)>, ScenarioError> {
    let mut signals = Vec::new();
    for header in list(json, "headers")?.unwrap_or_default() {
        let value = header.get(1).map(|value| bytes(value, "headers")).transpose()?;
        let (Some(name), Some(value)) = (header[0].as_str(), value) else {
            return Err(wrong("headers", &header, "[name, value]"));
        };
        signals.push((Carrier::Header, name.to_ascii_lowercase(), value));
    }
    for meta in list(json, "meta")?.unwrap_or_default() {
        let content = meta.get("content").map(|content| bytes(content, "meta")).transpose()?;
        let (Some(name), Some(content)) = (meta["name"].as_str(), content) else {
            return Err(wrong("meta", &meta, "an object with name and content"));
        };
        let carrier = meta["carrier"].as_str().and_then(Carrier::named).unwrap_or(Carrier::Meta);
        if meta["in"].as_str() != Some("body") {
            signals.push((carrier, name.to_ascii_lowercase(), content));
        }
    }
    Ok(signals)
}

/// Returns the bytes of a text, or of an object with `base64`.
fn bytes(value: &Value, key: &'static str) -> Result<Vec<u8>, ScenarioError> {
    match (value, value["base64"].as_str()) {
        (Value::String(text), _) => Ok(text.as_bytes().to_vec()),
        (_, Some(base64)) => decoded(base64, key),
        (_, None) => Err(wrong(key, value, "text, or an object with base64")),
    }
}

fn statements(json: &Value) -> Result<Option<Vec<String>>, ScenarioError> {
    let text = |statement: &Value| {
        statement.as_str().map(str::to_owned).ok_or_else(|| wrong("statements", statement, "strings"))
    };
    list(json, "statements")?.map(|list| list.iter().map(text).collect()).transpose()
}

fn page_url(url: &str, key: &'static str) -> Result<PageUrl<'static>, ScenarioError> {
    let found = || wrong(key, &Value::from(url), "an http or https URL");
    PageUrl::new(url.as_bytes()).map(PageUrl::into_owned).map_err(|_| found())
}

fn decoded(base64: &str, key: &'static str) -> Result<Vec<u8>, ScenarioError> {
    BASE64.decode(base64.as_bytes()).map_err(|_| wrong(key, &Value::from(base64), "Base64"))
}

fn text<'j>(json: &'j Value, key: &'static str) -> Result<Option<&'j str>, ScenarioError> {
    match json.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(key, other, "a string")),
    }
}

fn list(json: &Value, key: &'static str) -> Result<Option<Vec<Value>>, ScenarioError> {
    match json.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) => Ok(Some(list.clone())),
        Some(other) => Err(wrong(key, other, "a list")),
    }
}

fn wrong(key: &'static str, found: &Value, expected: &'static str) -> ScenarioError {
    const SHOWN: usize = 80;
    let found = found.to_string();
    ScenarioError::Key { key, found: found.chars().take(SHOWN).collect(), expected }
}
