//! The noes: of every system, in every carrier.

use crate::message::{Carrier, Message};

/// A site with one no.
pub struct Kind {
    pub name: &'static str,
    /// The response that carries the no.
    pub message: Message,
    /// The responses beside it, one of which says yes.
    pub others: Vec<Message>,
}

const YES_LINES: &str =
    "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\nAllow: /\n";
const YES_SIGNAL: &str = "search=yes, ai-input=yes, ai-train=yes";

/// The path of every page.
pub const PAGE: &str = "/news/1";

/// The head of every page, in which `[metas]` is replaced.
const HTML: &str = "<!DOCTYPE html>\n<html>\n<head>\n<title>A page</title>\n[metas]\n</head>\n<body>\n<p>Text of the page.</p>\n</body>\n</html>\n";

pub fn all() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = FILES
        .iter()
        .map(|(name, carrier, path, body)| file(name, *carrier, path, body))
        .collect();
    kinds.extend(
        HEADERS
            .iter()
            .map(|(name, field, value)| page(name, &[(field, value)], "")),
    );
    kinds.extend(METAS.iter().map(|(name, meta)| page(name, &[], meta)));
    kinds
}

const FILES: [(&str, Carrier, &str, &str); 15] = [
    (
        "robots all",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nDisallow: /\n",
    ),
    (
        "robots one",
        Carrier::Robots,
        "/robots.txt",
        "# rules\n\nUser-agent: *\nAllow: /\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /news/\n",
    ),
    (
        "robots path",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nAllow: /open/\nDisallow: /news/*\nDisallow: /b\n",
    ),
    (
        "robots Content-Usage",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
    ),
    (
        "robots Content-Usage of a path",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: /news/ train-ai=n, search=n\nAllow: /\n",
    ),
    (
        "robots Content-Signal",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    ),
    (
        "robots Content-Signal of a path",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nContent-Signal: /news/ ai-train=no, ai-input=no\nAllow: /\n",
    ),
    (
        "robots Usage",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nUsage: ai=n\nAllow: /\n",
    ),
    (
        "robots DisallowAITraining",
        Carrier::Robots,
        "/robots.txt",
        "User-agent: *\nDisallowAITraining: /\nAllow: /\n",
    ),
    (
        "tdmrep all",
        Carrier::Tdmrep,
        "/.well-known/tdmrep.json",
        "[{\"location\": \"/\", \"tdm-reservation\": 1}]\n",
    ),
    (
        "tdmrep path",
        Carrier::Tdmrep,
        "/.well-known/tdmrep.json",
        "[{\"location\": \"/open\", \"tdm-reservation\": 0},\n {\"location\": \"/news/*\", \"tdm-reservation\": 1}]\n",
    ),
    (
        "trust.txt",
        Carrier::TrustTxt,
        "/trust.txt",
        "member=https://a.example/\ndatatrainingallowed=no\n",
    ),
    (
        "ai.txt rules",
        Carrier::AiTxt,
        "/ai.txt",
        "User-Agent: *\nDisallow: *.jpg\nDisallow: /\n",
    ),
    (
        "ai.txt policy",
        Carrier::AiTxt,
        "/.well-known/ai.txt",
        "Site-Name: a\nTraining: deny\nIndexing: deny\n",
    ),
    (
        "automation-preferences.txt",
        Carrier::Automation,
        "/automation-preferences.txt",
        "scope: /\nuser-agent: *\nallowed-methods: HEAD\n",
    ),
];

const HEADERS: [(&str, &str, &str); 10] = [
    (
        "header Content-Usage",
        "Content-Usage",
        "train-ai=n, search=y",
    ),
    ("header Content-Usage, all", "Content-Usage", "bots=n"),
    ("header Content-Usage of SUP", "Content-Usage", "ai=n"),
    (
        "header Content-Signal",
        "Content-Signal",
        "search=yes, ai-train=no",
    ),
    ("header TDM-Reservation", "TDM-Reservation", "1"),
    ("header X-Robots-Tag", "X-Robots-Tag", "noai, noimageai"),
    ("header X-Robots-Tag, noindex", "X-Robots-Tag", "noindex"),
    ("header X-Robots-Tag, a name", "X-Robots-Tag", "ccbot: noai"),
    (
        "header X-Robots-Tag, a date",
        "X-Robots-Tag",
        "unavailable_after: 25 Jun 2010 15:00:00 PST",
    ),
    ("header Robots-Tag", "Robots-Tag", "*;noai;noindex"),
];

const METAS: [(&str, &str); 11] = [
    (
        "meta robots",
        "<meta name=\"robots\" content=\"noai, noindex\">",
    ),
    (
        "meta robots, one rule",
        "<meta name=\"robots\" content=\"noai\">",
    ),
    (
        "meta robots, notrain",
        "<meta name=\"robots\" content=\"notrain\">",
    ),
    (
        "meta robots, DisallowAITraining",
        "<meta name=\"robots\" content=\"DisallowAITraining\">",
    ),
    (
        "meta CCBot",
        "<meta name=\"CCBot\" content=\"noindex, noml\">",
    ),
    (
        "meta tdm-reservation",
        "<meta name=\"tdm-reservation\" content=\"1\">",
    ),
    (
        "http-equiv X-Robots-Tag",
        "<meta http-equiv=\"X-Robots-Tag\" content=\"noai\">",
    ),
    (
        "http-equiv Content-Usage",
        "<meta http-equiv=\"Content-Usage\" content=\"train-ai=n\">",
    ),
    (
        "http-equiv TDM-Reservation",
        "<meta http-equiv=\"TDM-Reservation\" content=\"1\">",
    ),
    (
        "meta Content-Signal",
        "<meta name=\"content-signal\" content=\"ai-train=no\">",
    ),
    (
        "property robots",
        "<meta property=\"robots\" content=\"noai\">",
    ),
];

fn file(name: &'static str, carrier: Carrier, path: &str, body: &str) -> Kind {
    let media_type = if carrier == Carrier::Tdmrep {
        "application/json"
    } else {
        "text/plain"
    };
    let message = Message::new(carrier, path, media_type, body.as_bytes());
    let page = html("")
        .with("Content-Signal", YES_SIGNAL)
        .with("Content-Usage", "train-genai=y");
    Kind {
        name,
        message,
        others: vec![page],
    }
}

fn page(name: &'static str, fields: &[(&str, &str)], meta: &str) -> Kind {
    let message = fields
        .iter()
        .fold(html(meta), |page, (name, value)| page.with(name, value));
    let robots = Message::new(
        Carrier::Robots,
        "/robots.txt",
        "text/plain",
        YES_LINES.as_bytes(),
    );
    Kind {
        name,
        message,
        others: vec![robots],
    }
}

fn html(metas: &str) -> Message {
    Message::new(
        Carrier::Page,
        PAGE,
        "text/html",
        HTML.replace("[metas]", metas).as_bytes(),
    )
}
