//! The sites: those of the vectors, and some for the files that vectors do not have.
//!
//! Each site has its no, or its yes, in one carrier, and a yes to every label in another one, so that a no that is lost
//! shows as a yes.

use crate::message::{Carrier, Message};
use serde_json::Value;
use std::path::Path;

/// A site: its files, and the page as the last message.
#[derive(Clone)]
pub struct Site {
    pub name: String,
    pub token: String,
    pub vocabulary: String,
    pub messages: Vec<Message>,
    /// How many of the messages are its own; the one behind them says yes.
    own: Vec<bool>,
}

const YES_LINES: &str =
    "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\nAllow: /\n";
const YES_FIELDS: [(&str, &str); 2] = [
    ("Content-Signal", "search=yes, ai-input=yes, ai-train=yes"),
    (
        "Content-Usage",
        "train-ai=y, train-genai=y, search=y, ai=y, tdm=y",
    ),
];

impl Site {
    /// Returns the places of the messages that are changed.
    pub fn subjects(&self) -> impl Iterator<Item = usize> {
        self.own
            .iter()
            .enumerate()
            .filter(|(_, own)| **own)
            .map(|(place, _)| place)
    }

    fn new(name: &str, path: &str, files: Vec<Message>) -> Self {
        let page = page(path, &[], &[]);
        let own = files.iter().map(|_| true).chain([false]).collect();
        let mut site = Self {
            name: name.to_owned(),
            token: "CCBot".to_owned(),
            vocabulary: "03".to_owned(),
            messages: files.into_iter().chain([page]).collect(),
            own,
        };
        site.say_yes();
        site
    }

    /// Adds a yes where the site says nothing.
    fn say_yes(&mut self) {
        let page = self.messages.last_mut().expect("a page");
        let says = |field: &(String, Vec<u8>)| {
            YES_FIELDS
                .iter()
                .any(|(name, _)| field.0.eq_ignore_ascii_case(name))
        };
        if !page.fields.iter().any(says) && self.messages.len() > 1 {
            let page = self.messages.pop().expect("a page");
            self.messages.push(
                YES_FIELDS
                    .iter()
                    .fold(page, |page, (name, value)| page.with(name, value)),
            );
        } else if self
            .messages
            .iter()
            .all(|message| message.carrier != Carrier::Robots)
        {
            self.messages.insert(0, file(Carrier::Robots, YES_LINES));
            self.own.insert(0, false);
        }
    }
}

/// Returns a site file.
fn file(carrier: Carrier, body: &str) -> Message {
    let (path, media_type) = match carrier {
        Carrier::Robots => ("/robots.txt", "text/plain"),
        Carrier::Tdmrep => ("/.well-known/tdmrep.json", "application/json"),
        Carrier::TrustTxt => ("/trust.txt", "text/plain"),
        Carrier::AiTxt => ("/ai.txt", "text/plain"),
        Carrier::Automation => ("/automation-preferences.txt", "text/plain"),
        Carrier::Page => unreachable!("no site file"),
    };
    Message::new(carrier, path, media_type, body.as_bytes())
}

/// Returns a page.
fn page(path: &str, fields: &[(String, String)], metas: &[(String, String)]) -> Message {
    let mut page = Message::new(Carrier::Page, path, "text/html", b"");
    for (name, value) in fields {
        page = page.with(name, value);
    }
    page.metas = metas.to_vec();
    page.body = html("<!DOCTYPE html><html><head>", metas, "").into_bytes();
    page
}

/// Returns a page that begins with `start`.
pub fn html(start: &str, metas: &[(String, String)], slash: &str) -> String {
    let meta = |(name, content): &(String, String)| {
        format!(
            "<meta name=\"{}\" content=\"{}\"{slash}>\n",
            escaped(name),
            escaped(content)
        )
    };
    let metas: String = metas.iter().map(meta).collect();
    format!(
        "{start}\n{metas}<title>A page</title></head><body><p>Text of the page.</p></body></html>"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}

/// Returns all sites.
pub fn all() -> Vec<Site> {
    let mut sites = made_up();
    let mut paths: Vec<_> = Path::new("tests/vectors")
        .read_dir()
        .expect("the vectors are in the project")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    for path in paths {
        let json: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
        let vectors = json["vectors"].as_array().expect("a list");
        sites.extend(
            vectors
                .iter()
                .filter_map(|vector| of_vector(&vector["id"], &vector["input"])),
        );
        sites.extend(vectors.iter().filter_map(of_wild_tag));
    }
    sites
}

fn of_vector(id: &Value, input: &Value) -> Option<Site> {
    let url = input["url"].as_str().unwrap_or("https://example.com/a");
    let path = url
        .splitn(4, '/')
        .nth(3)
        .map_or("/".to_owned(), |path| format!("/{path}"));
    let path = path.split('#').next()?;
    if path.contains(|character: char| character.is_control() || character == ' ')
        || path == "/robots.txt"
    {
        return None;
    }
    let file = |carrier, key: &str| input[key].as_str().map(|text| file(carrier, text));
    let files: Vec<Message> = [
        file(Carrier::Robots, "robots_txt"),
        file(Carrier::Automation, "automation_preferences_txt"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
    let header = |header: &Value| {
        Some((
            header[0].as_str()?.to_owned(),
            header[1].as_str()?.to_owned(),
        ))
    };
    let mut headers: Vec<_> = input["headers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(header)
        .collect();
    headers.retain(|(name, _)| !is_type(name));
    let statements = input["statements"].as_array().into_iter().flatten();
    headers.extend(
        statements.filter_map(|one| Some(("Content-Usage".to_owned(), one.as_str()?.to_owned()))),
    );
    let meta = |meta: &Value| {
        Some((
            meta["name"].as_str()?.to_owned(),
            meta["content"].as_str()?.to_owned(),
        ))
    };
    let metas: Vec<_> = input["meta"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(meta)
        .collect();
    if files.is_empty() && headers.is_empty() && metas.is_empty() {
        return None;
    }
    let own_page = !headers.is_empty() || !metas.is_empty();
    let own = files.iter().map(|_| true).chain([own_page]).collect();
    let mut site = Site {
        name: id.as_str()?.to_owned(),
        token: input["product_token"]
            .as_str()
            .unwrap_or("CCBot")
            .to_owned(),
        vocabulary: input["vocabulary"].as_str().unwrap_or("03").to_owned(),
        messages: files
            .into_iter()
            .chain([page(path, &headers, &metas)])
            .collect(),
        own,
    };
    site.say_yes();
    Some(site)
}

/// Returns the site of an entry of `robots-tag-wild.json`, which has a form of its own.
fn of_wild_tag(vector: &Value) -> Option<Site> {
    let lines = vector["lines"].as_array()?.iter().filter_map(Value::as_str);
    let named = |name: &str| {
        lines
            .clone()
            .map(|line| (name.to_owned(), line.to_owned()))
            .collect::<Vec<_>>()
    };
    let (fields, metas) = match vector["source"].as_str()? {
        "meta" => (Vec::new(), named("robots")),
        name => (named(name), Vec::new()),
    };
    let mut site = Site::new(vector["id"].as_str()?, "/", Vec::new());
    site.messages = vec![page("/tagged", &fields, &metas)];
    site.own = vec![true];
    site.say_yes();
    Some(site)
}

/// Returns sites for the files and metas of which vectors have few.
fn made_up() -> Vec<Site> {
    let one =
        |name: &str, carrier, body: &str| Site::new(name, "/news/1", vec![file(carrier, body)]);
    let metas = |name: &str, metas: &[(&str, &str)]| {
        let metas: Vec<_> = metas
            .iter()
            .map(|(n, c)| ((*n).to_owned(), (*c).to_owned()))
            .collect();
        let mut site = Site::new(name, "/news/1", Vec::new());
        site.messages = vec![page("/news/1", &[], &metas)];
        site.own = vec![true];
        site.say_yes();
        site
    };
    vec![
        one(
            "robots-all",
            Carrier::Robots,
            "User-agent: *\nDisallow: /\n",
        ),
        one(
            "robots-one",
            Carrier::Robots,
            "User-agent: CCBot\nDisallow: /news/\n",
        ),
        one("robots-short", Carrier::Robots, "User-agent:*\nDisallow:/"),
        one(
            "robots-signal",
            Carrier::Robots,
            "# a policy\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=no, search=yes\nContent-Usage: train-ai=n\nDisallowAITraining: /\nAllow: /\n",
        ),
        one(
            "tdmrep-all",
            Carrier::Tdmrep,
            "[{\"location\": \"/\", \"tdm-reservation\": 1}]\n",
        ),
        one(
            "tdmrep-news",
            Carrier::Tdmrep,
            "[{\"location\": \"/open\", \"tdm-reservation\": 0},\n {\"location\": \"/news/*\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://p.example/\"}]",
        ),
        one(
            "trust-no",
            Carrier::TrustTxt,
            "member=https://association.example/\ndatatrainingallowed=no\n",
        ),
        one("trust-only", Carrier::TrustTxt, "datatrainingallowed=no"),
        one("ai-txt-all", Carrier::AiTxt, "User-Agent: *\nDisallow: /\n"),
        one(
            "ai-txt-news",
            Carrier::AiTxt,
            "# ai.txt\nUser-Agent: *\nDisallow: *.jpg\nDisallow: /news/\n",
        ),
        one(
            "automation",
            Carrier::Automation,
            "user-agent: *\nscope: /\nallowed-methods: HEAD\n",
        ),
        metas("meta-noai", &[("robots", "noai, noindex")]),
        metas(
            "meta-tdm",
            &[("tdm-reservation", "1"), ("robots", "nosnippet")],
        ),
        metas("meta-named", &[("CCBot", "noindex, noai")]),
    ]
}
