//! Reading a scenario from JSON. Left out: the meaning of the keys, which `docs/explain.md` explains.

use crate::explain::Scenario;
use crate::robots::Extent;
use crate::systems::Viewpoint;
use crate::systems::sup;
use crate::systems::{aipref_vocab::Vocabulary, app_directives::Applications};
use crate::verdict::timeline::{FetchOutcome, Validator};
use crate::verdict::{AgentsTable, MaxAge, RecordLocation, Request};
use crate::web::product_token::{ProductToken, TokenMatch};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, field::Carrier, preference::Preference, timestamp::Timestamp,
};
use data_encoding::BASE64;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

/// Every key of a scenario, documented in `docs/explain.md`.
pub const KEYS: &str = "\
    id url fetched captures warc_filename warc_record_offset content_type headers meta unread not_seen \
    robots_txt robots_txt_base64 robots_txt_parts robots_fetch robots_history robots_slack robots_max_age \
    site_files automation_preferences_txt product_token token_match vocabulary vocabulary_lines \
    agents applications application method statements expressions usage_labels default robots_tag";

/// The longest robots.txt that is joined from parts, as JSON can ask for any length: thirty times what RFC 9309 2.5 asks a parser to read.
const PARTS_BYTES: usize = 16 << 20;

/// The longest reason in an error, in characters; any number of this size.
const REASON: usize = 200;

/// Why a scenario cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    #[error("found a value that is not an object, expected a scenario")]
    NotAnObject,
    #[error("{0}: unknown key; the keys are {KEYS}")]
    UnknownKey(String),
    #[error("{key}: {reason}")]
    Key { key: &'static str, reason: String },
    #[error("nothing is asked; expected url, headers, meta, statements, expressions or robots_tag")]
    AsksNothing,
}

type ScenarioRead<T> = Result<T, ScenarioError>;

/// A header's value, or a meta's content.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected text, or an object with base64")]
enum GivenText {
    Text(String),
    Base64 { base64: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    name: String,
    content: GivenText,
    r#in: Option<String>,
    carrier: Option<String>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected strings, and objects with repeat and times"
)]
enum TextPart {
    Text(String),
    Repeat { repeat: String, times: usize },
}

/// A request in `robots_fetch`, `robots_history` or `site_files`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioCapture {
    kind: Option<String>,
    url: Option<String>,
    fetched: Option<String>,
    #[serde(default, deserialize_with = "present")]
    status: Option<Value>,
    /// Why there is no status; for human readers.
    #[serde(rename = "error")]
    _error: Option<String>,
    location: Option<String>,
    robots_txt: Option<String>,
    body: Option<String>,
    body_base64: Option<String>,
    cut: Option<bool>,
    /// `ETag` or, without one, Last-Modified.
    etag: Option<String>,
    warc_filename: Option<String>,
    warc_record_offset: Option<u64>,
}

/// Distinguishes null from a missing key.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub fn read(json: &Value) -> ScenarioRead<Scenario> {
    let Value::Object(object) = json else {
        return Err(ScenarioError::NotAnObject);
    };
    if let Some(key) = object
        .keys()
        .find(|key| !KEYS.split(' ').any(|known| known == **key))
    {
        return Err(ScenarioError::UnknownKey(
            key.chars().take(REASON).collect(),
        ));
    }
    let keys = ScenarioKeys(object);
    let mut scenario = Scenario {
        viewpoint: keys.viewpoint()?,
        ..Scenario::default()
    };
    keys.page(&mut scenario)?;
    keys.robots(&mut scenario)?;
    for file in keys
        .get::<Vec<ScenarioCapture>>("site_files")?
        .unwrap_or_default()
    {
        let file = site_file(file, &scenario)?;
        scenario.site_files.push(file);
    }
    if let Some(body) = keys.get::<String>("automation_preferences_txt")? {
        scenario.add_file(CaptureKind::Automation, body.into_bytes());
    }
    keys.questions(&mut scenario)?;
    if scenario.asks() {
        Ok(scenario)
    } else {
        Err(ScenarioError::AsksNothing)
    }
}

struct ScenarioKeys<'j>(&'j Map<String, Value>);

impl ScenarioKeys<'_> {
    /// Returns the value of a key; null is not a value.
    fn get<T: for<'de> Deserialize<'de>>(&self, key: &'static str) -> ScenarioRead<Option<T>> {
        let value = self.0.get(key).filter(|value| !value.is_null());
        value
            .map(T::deserialize)
            .transpose()
            .map_err(|error| fault(key, &error))
    }

    /// Returns the meaning of the text of a key.
    fn read<T, E: Display>(
        &self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> ScenarioRead<Option<T>> {
        let text = self.get::<String>(key)?;
        text.map(|text| read(&text))
            .transpose()
            .map_err(|error| fault(key, &error))
    }

    fn viewpoint(&self) -> ScenarioRead<Viewpoint> {
        let mut viewpoint = Viewpoint::default();
        if let Some(token) = self.read("product_token", ProductToken::of_crawler)? {
            viewpoint.token = token;
        }
        if self.get::<String>("token_match")?.as_deref() == Some("prefix") {
            viewpoint.token_match = TokenMatch::Prefix;
        }
        let name = self.get::<String>("vocabulary")?;
        let name = name.as_deref().unwrap_or(viewpoint.vocabulary.name());
        let of_lines = |lines: &str| Vocabulary::from_lines(name, lines.as_bytes());
        viewpoint.vocabulary = match self.read("vocabulary_lines", of_lines)? {
            Some(vocabulary) => vocabulary,
            None => Vocabulary::named(name).ok_or_else(|| {
                let known: Vec<&str> = Vocabulary::names().collect();
                fault(
                    "vocabulary",
                    &format!("found {name}, expected one of {}", known.join(", ")),
                )
            })?,
        };
        let applications = |lines: &str| Applications::from_lines(lines.as_bytes());
        if let Some(applications) = self.read("applications", applications)? {
            viewpoint.applications = applications;
        }
        Ok(viewpoint)
    }

    fn page(&self, scenario: &mut Scenario) -> ScenarioRead<()> {
        if let Some(table) = self.read("agents", AgentsTable::read)? {
            scenario.agents = table;
        }
        scenario.url = self
            .get::<String>("url")?
            .map(|url| page_url("url", &url))
            .transpose()?;
        if let Some(fetched) = self.get::<String>("fetched")? {
            scenario.fetched_at = Timestamp::new(fetched.as_bytes());
        }
        let captures = self.get::<Vec<String>>("captures")?;
        scenario.captures = captures.map(|times| {
            times
                .iter()
                .map(|at| Timestamp::new(at.as_bytes()))
                .collect()
        });
        scenario.location.warc_filename = self.get("warc_filename")?;
        scenario.location.warc_record_offset = self.get("warc_record_offset")?;
        if self.0.contains_key("content_type") {
            let media_type = self.get::<String>("content_type")?;
            scenario.media_type = media_type.map(|media_type| media_type.to_ascii_lowercase());
        }
        scenario.unread = self.get("unread")?.unwrap_or_default();
        scenario.not_seen = self.get("not_seen")?.unwrap_or_default();
        scenario.slack = Duration::from_secs(self.get("robots_slack")?.unwrap_or_default());
        scenario.max_age = match self.0.get("robots_max_age") {
            None => MaxAge::default(),
            Some(age) if age.as_str() == Some(MaxAge::NONE) => MaxAge::Unlimited,
            Some(_) => {
                let seconds = self.get("robots_max_age")?.unwrap_or_default();
                MaxAge::Of(Duration::from_secs(seconds))
            }
        };
        for (name, value) in self
            .get::<Vec<(String, GivenText)>>("headers")?
            .unwrap_or_default()
        {
            scenario.add_field(Carrier::Header, &name, &value.bytes("headers")?);
        }
        for meta in self.get::<Vec<Meta>>("meta")?.unwrap_or_default() {
            let carrier = meta
                .carrier
                .as_deref()
                .and_then(Carrier::named)
                .unwrap_or(Carrier::Meta);
            let value = meta.content.bytes("meta")?;
            // draft-illyes-repext-02, Security Considerations: only metas in the head.
            if meta.r#in.as_deref() != Some("body") {
                scenario.add_field(carrier, &meta.name, &value);
            }
        }
        Ok(())
    }

    /// The requests for robots.txt: a history, the responses to one request, or a current file.
    fn robots(&self, scenario: &mut Scenario) -> ScenarioRead<()> {
        let body = self.robots_txt()?;
        if let Some(history) = self.get::<Vec<ScenarioCapture>>("robots_history")? {
            scenario.is_history = true;
            let request = |capture: ScenarioCapture| {
                let at = capture
                    .fetched
                    .as_ref()
                    .and_then(|at| Timestamp::new(at.as_bytes()));
                capture.request("robots_history", CaptureKind::Robots, at, Value::Null)
            };
            scenario.robots = history
                .into_iter()
                .map(request)
                .collect::<ScenarioRead<_>>()?;
        } else if let Some(fetches) = self.get::<Vec<ScenarioCapture>>("robots_fetch")? {
            for capture in fetches {
                let at = scenario.fetched_at;
                let request =
                    capture.request("robots_fetch", CaptureKind::Robots, at, Value::Null)?;
                let body = body.clone().filter(|_| request.answer.is_success());
                scenario.robots.push(Request {
                    body: body.into(),
                    ..request
                });
            }
        } else if let Some(body) = body {
            scenario.add_file(CaptureKind::Robots, body);
        }
        Ok(())
    }

    /// Returns the file: a string, Base64, or joined parts.
    fn robots_txt(&self) -> ScenarioRead<Option<Vec<u8>>> {
        if let Some(base64) = self.get::<String>("robots_txt_base64")? {
            return decoded("robots_txt_base64", &base64).map(Some);
        }
        let Some(parts) = self.get::<Vec<TextPart>>("robots_txt_parts")? else {
            return Ok(self.get::<String>("robots_txt")?.map(String::into_bytes));
        };
        let mut joined = String::new();
        for part in parts {
            let (text, times) = match part {
                TextPart::Text(text) => (text, 1),
                TextPart::Repeat { repeat, times } => (repeat, times),
            };
            if text
                .len()
                .saturating_mul(times)
                .saturating_add(joined.len())
                > PARTS_BYTES
            {
                return Err(fault("robots_txt_parts", &"more than 16 MiB in all"));
            }
            joined.push_str(&text.repeat(times));
        }
        Ok(Some(joined.into_bytes()))
    }

    fn questions(&self, scenario: &mut Scenario) -> ScenarioRead<()> {
        let questions = &mut scenario.questions;
        questions.statements = self.get("statements")?;
        questions.expressions = self.get("expressions")?;
        questions.application = self.get("application")?;
        questions.method = self.get("method")?;
        questions.tag = self.get("robots_tag")?;
        let defaults = self
            .get::<BTreeMap<String, String>>("default")?
            .unwrap_or_default();
        let default = |label: &str| {
            let Some(default) = defaults.get(label) else {
                return Ok(Preference::Unknown);
            };
            Preference::named(default).ok_or_else(|| {
                fault(
                    "default",
                    &format!("found {default}, expected allow, disallow or unknown"),
                )
            })
        };
        let labels = self.get::<Vec<String>>("usage_labels")?;
        let usage = |label: String| {
            let named = sup::SupLabel::named(&label);
            let expected = || {
                fault(
                    "usage_labels",
                    &format!("found {label}, expected tdm, ai, genai or search"),
                )
            };
            Ok((named.ok_or_else(expected)?, default(&label)?))
        };
        questions.usage = labels
            .map(|labels| labels.into_iter().map(usage).collect::<ScenarioRead<_>>())
            .transpose()?;
        Ok(())
    }
}

/// A file without a URL belongs to the page's site, and one without a status was fetched with 200.
fn site_file(mut file: ScenarioCapture, scenario: &Scenario) -> ScenarioRead<Request> {
    let kind = file.kind.as_deref().and_then(CaptureKind::named);
    let kind = kind.filter(|kind| kind.is_beside_robots());
    let expected = || {
        fault(
            "site_files",
            &format!(
                "expected one of the kinds {}",
                CaptureKind::names_beside_robots()
            ),
        )
    };
    let kind = kind.ok_or_else(expected)?;
    if file.url.is_none() {
        file.url = scenario
            .site_file_url(kind)
            .map(|url| url.as_str().to_owned());
    }
    let fetched_at = match &file.fetched {
        Some(fetched) => Timestamp::new(fetched.as_bytes()),
        None => scenario.fetched_at,
    };
    file.request("site_files", kind, fetched_at, 200.into())
}

impl ScenarioCapture {
    fn request(
        self,
        key: &'static str,
        kind: CaptureKind,
        fetched_at: Option<Timestamp>,
        status: Value,
    ) -> ScenarioRead<Request> {
        let url = page_url(key, &self.url.unwrap_or_default())?;
        let body = match self.body_base64 {
            Some(base64) => Some(decoded(key, &base64)?),
            None => self.body.or(self.robots_txt).map(String::into_bytes),
        };
        let (warc_filename, warc_record_offset) = (self.warc_filename, self.warc_record_offset);
        Ok(Request {
            answer: answer(&self.status.unwrap_or(status)),
            redirect: self.location,
            body: body.into(),
            validator: self.etag.as_deref().and_then(Validator::new),
            extent: if self.cut == Some(true) {
                Extent::CutOff
            } else {
                Extent::Whole
            },
            location: RecordLocation {
                warc_filename,
                warc_record_offset,
                warc_record_length: None,
            },
            ..Request::new(kind, url, fetched_at)
        })
    }
}

fn answer(status: &Value) -> FetchOutcome {
    match (status.as_u64(), status.is_null()) {
        (Some(status), _) => FetchOutcome::Status(u16::try_from(status).unwrap_or(0)),
        (None, true) => FetchOutcome::NetworkError,
        (None, false) if status.as_str() == Some("stored") => FetchOutcome::Stored,
        (None, false) => FetchOutcome::StatusUnreadable,
    }
}

impl GivenText {
    fn bytes(self, key: &'static str) -> ScenarioRead<Vec<u8>> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Base64 { base64 } => decoded(key, &base64),
        }
    }
}

fn page_url(key: &'static str, url: &str) -> ScenarioRead<PageUrl<'static>> {
    let found = |_| fault(key, &format!("found {url}, expected an http or https URL"));
    PageUrl::new(url.as_bytes())
        .map(PageUrl::into_owned)
        .map_err(found)
}

fn decoded(key: &'static str, base64: &str) -> ScenarioRead<Vec<u8>> {
    BASE64
        .decode(base64.as_bytes())
        .map_err(|error| fault(key, &format!("not Base64: {error}")))
}

fn fault(key: &'static str, reason: &dyn Display) -> ScenarioError {
    let reason = reason.to_string();
    ScenarioError::Key {
        key,
        reason: reason.chars().take(REASON).collect(),
    }
}
