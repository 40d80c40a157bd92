//! The files that are measured, and URLs made from their own rules.

use crawlprefs::archive::{Archive, Event};
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use crawlprefs::robots::{LineKind, RobotsTxt};
use crawlprefs::web::capture_kind::CaptureKind;
use std::path::PathBuf;

/// A robots.txt, and URLs to ask it about.
pub struct Site {
    /// The file.
    pub body: Vec<u8>,
    /// Whole URLs.
    pub urls: Vec<String>,
}

impl Site {
    fn new(body: Vec<u8>) -> Self {
        let robots = RobotsTxt::parse(&body);
        let rules = robots
            .records()
            .filter(|record| matches!(record.kind, LineKind::Allow | LineKind::Disallow));
        let paths = rules.filter_map(|record| std::str::from_utf8(record.value).ok());
        let plain =
            |path: &&str| path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
        let mut urls: Vec<String> = paths.filter(plain).take(50).map(filled).collect();
        urls.push("https://a.example/".to_owned());
        Self { body, urls }
    }
}

/// Makes a URL that a rule matches: stars are filled, the end is kept.
fn filled(path: &str) -> String {
    let path = path.replace('*', "x1").replace('$', "");
    format!(
        "https://a.example{path}{}",
        if path.ends_with('/') {
            "page.html?a=1"
        } else {
            ""
        }
    )
}

/// Returns every so-many-th of the corpus's files, so that there are about `count`; or generated ones.
pub fn sites(count: usize) -> Vec<Site> {
    let Some(corpus) = std::env::var_os("CRAWLPREFS_CORPUS") else {
        return (0..count)
            .map(|number| many_rules(number % 97, number % 11))
            .collect();
    };
    let bodies = bodies(&PathBuf::from(corpus).join("robots.warc.gz"));
    let step = (bodies.len() / count).max(1);
    bodies.into_iter().step_by(step).map(Site::new).collect()
}

/// Returns a file with so many rules without and with wildcards.
pub fn many_rules(literal: usize, wildcards: usize) -> Site {
    let mut body = String::from("User-agent: *\n");
    for number in 0..literal {
        body.push_str(&format!(
            "Disallow: /{}/{}/page-{number}\n",
            number % 7,
            number % 131
        ));
    }
    for number in 0..wildcards {
        body.push_str(&format!(
            "Disallow: /{}/*/item-{number}*.html$\n",
            number % 7
        ));
    }
    let url = |number: usize| {
        let (one, other) = (number % 7, number % 131);
        [
            format!("https://a.example/{one}/{other}/page-{number}/x?y=1"),
            format!(
                "https://a.example/{one}/z/item-{}-a.html",
                number % wildcards.max(1)
            ),
        ]
    };
    Site {
        body: body.into_bytes(),
        urls: (0..literal).step_by(191).flat_map(url).collect(),
    }
}

fn bodies(file: &PathBuf) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = RecordReader::new(Depth::Full);
    let mut archive = Archive::open(bytes.as_slice())
        .expect("a slice can be read")
        .unwrap_or_else(|_| panic!("no archive"));
    let mut bodies = Vec::new();
    while let Some(event) = archive.next().expect("a slice can be read") {
        if let Event::Record(record) = event
            && let Reading::Capture(capture) = reader.read(&record, None)
            && let (CaptureKind::Robots, Some(body)) = (capture.kind, &capture.body)
        {
            bodies.push(body.bytes.to_vec());
        }
    }
    bodies
}
